package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// document reads a body that is one JSON document, an object or a list, and gives it on only when it is there to its
// end, is JSON and reports no error. In place of any other, Read returns what stands in its way: the loss,
// ErrUnfinished where it ends too soon, or what stray makes of it. A connection that is lost behind the last brace
// has lost nothing.
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

// isCut tells JSON that is right as far as it goes.
func isCut(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}
