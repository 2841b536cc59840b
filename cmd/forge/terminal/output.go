package terminal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"forge/internal/inert"
)

// WriteJSON writes a value as one line of JSON.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// MaxShownLine bounds a line of a file as people see it, in characters.
const MaxShownLine = 140

// OnOneLine is text of a file as it is shown: inert, on one line, with its indentation, and not too long.
func OnOneLine(text string) string {
	text = strings.NewReplacer("\n", " ", "\t", "    ").Replace(inert.Text(text))
	if runes := []rune(text); len(runes) > MaxShownLine {
		return string(runes[:MaxShownLine-1]) + "…"
	}
	return text
}

// JSONProblem decodes a line and returns why it does not have these shapes, or nothing.
func JSONProblem(line []byte, into any, shapes string) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(line, into); {
	case errors.As(err, &syntax):
		return fmt.Sprintf("the line is no JSON; it goes wrong at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("the line must be an object, not %s", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Sprintf("%s cannot be %s: %s", kind.Field, article(kind.Value), shapes)
	case err != nil:
		return err.Error()
	case !utf8.Valid(line):
		return "the line is not valid UTF-8"
	}
	return ""
}

func article(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	}
	return "a " + kind
}

// maxLine bounds a line of the input, in bytes.
const maxLine = 64 << 20

// ErrLongLine says that a line was passed over because it is too long.
var ErrLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// Batch is the two ends of a command with --batch: JSON lines that come in, and go out.
type Batch struct {
	in   *bufio.Reader
	Line []byte // the last line; its memory is used again
	Out  *bufio.Writer
	JSON *json.Encoder
}

// NewBatch returns the two ends.
func NewBatch(in io.Reader, out io.Writer) *Batch {
	b := &Batch{in: bufio.NewReaderSize(in, 64<<10), Out: bufio.NewWriterSize(out, 64<<10)}
	b.JSON = json.NewEncoder(b.Out)
	b.JSON.SetEscapeHTML(false)
	return b
}

// Read reads the next line without its end. A line that is too long is passed over whole, with errLongLine.
func (b *Batch) Read() error {
	b.Line = b.Line[:0]
	size := 0
	for {
		part, err := b.in.ReadSlice('\n')
		if size += len(part); size <= maxLine {
			b.Line = append(b.Line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || size == 0):
			return err
		case size > maxLine:
			return ErrLongLine
		}
		b.Line = bytes.TrimRight(b.Line, "\r\n")
		return nil
	}
}

// Write writes an answer. It is sent at once unless a whole request is waiting already.
func (b *Batch) Write(a any) error {
	if err := b.JSON.Encode(a); err != nil {
		return err
	}
	waiting, err := b.in.Peek(b.in.Buffered())
	if err == nil && bytes.IndexByte(waiting, '\n') >= 0 {
		return nil
	}
	return b.Out.Flush()
}

// IDOf is the id of a line, or null.
func IDOf(line []byte) json.RawMessage {
	var r struct{ ID json.RawMessage }
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	return r.ID
}

// Heed runs what reads an input and gives up waiting for it when the context ends.
func Heed[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() { // ends with the input, or with the process: a read of it cannot be interrupted
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// The kinds of problems that every command with --batch has.
const (
	KindRequest  = "request"  // the line is no request
	KindRead     = "read"     // a file cannot be read
	KindInternal = "internal" // a fault of Forge
)
