package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// document reads a body that is one JSON document, an object or a list, and passes it on only if it is complete,
// valid and no error. Otherwise Read returns the fault: the loss, ErrUnfinished if it ends too soon, or the error
// from stray. A connection that is lost after the last brace is no fault.
type document struct {
	body  io.ReadCloser
	stray objection

	ready io.Reader // nil before the first Read
}

func newDocument(body io.ReadCloser, stray objection) *document {
	return &document{body: body, stray: stray}
}

// Close closes the body.
func (d *document) Close() error { return d.body.Close() }

// Read implements io.Reader.
func (d *document) Read(p []byte) (int, error) {
	if d.ready == nil {
		whole, err := io.ReadAll(io.LimitReader(d.body, maxEvent+1))
		whole = bytes.TrimPrefix(bytes.TrimSpace(whole), []byte("\uFEFF"))
		if err != nil && !isWhole(whole) {
			return 0, err
		}
		if err := d.check(whole); err != nil {
			return 0, err
		}
		d.ready = bytes.NewReader(whole)
	}
	return d.ready.Read(p)
}

func (d *document) check(whole []byte) error {
	switch {
	case len(whole) > maxEvent:
		return errLongEvent
	case len(whole) == 0:
		return ErrUnfinished
	case !begins(whole), holdsError(whole):
		return d.stray(whole, false)
	case isWhole(whole):
		return nil
	case isCut(whole):
		return ErrUnfinished
	default:
		var none any
		return fmt.Errorf("read the answer: %w", json.Unmarshal(whole, &none))
	}
}

func begins(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

func isWhole(text []byte) bool { return begins(text) && json.Valid(text) }

// isCut reports whether a text is valid JSON as far as it goes.
func isCut(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}
