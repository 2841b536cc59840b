package terminal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"forge/internal/inert"
)

// WriteJSON writes a value as one line of JSON, in one write. Characters that could act on a terminal are escaped.
func WriteJSON(w io.Writer, v any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(inert.JSON(line.Bytes()))
	return err
}

// MaxShownLine bounds a displayed line of a file, in characters.
const MaxShownLine = 140

// OnOneLine formats text of a file for display: inert, on one line, with its indentation, and shortened.
func OnOneLine(text string) string {
	text = strings.NewReplacer("\n", " ", "\t", "    ").Replace(inert.Text(text))
	if runes := []rune(text); len(runes) > MaxShownLine {
		return string(runes[:MaxShownLine-1]) + "…"
	}
	return text
}

// JSONProblem decodes a line and returns why it does not have these shapes, or "".
func JSONProblem(line []byte, into any, shapes string) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(line, into); {
	case errors.As(err, &syntax):
		return fmt.Sprintf("the line is not JSON; the error is at byte %d", syntax.Offset)
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

// HasLoneSurrogate reports whether valid JSON escapes half of a surrogate pair. The decoder would silently replace it with U+FFFD.
func HasLoneSurrogate(line []byte) bool {
	for i := 0; i < len(line); {
		unit, size := escape(line[i:])
		i += size
		if unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		low, size := escape(line[i:])
		if unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += size
	}
	return false
}

// escape reads one escape or byte of valid JSON; unit is 0 for all but \u escapes.
func escape(rest []byte) (unit uint64, size int) {
	switch {
	case len(rest) < 2 || rest[0] != '\\':
		return 0, 1
	case rest[1] != 'u' || len(rest) < 6:
		return 0, 2
	}
	unit, _ = strconv.ParseUint(string(rest[2:6]), 16, 16)
	return unit, 6
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

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// Lines is a command with --batch: it answers each JSON line of the input with one line.
type Lines[A any] struct {
	Answer func(line []byte) A
	// Refuse makes the answer to a line that is too long, or whose answer panicked; the message says which.
	Refuse func(id json.RawMessage, kind, message string) A
	AtOnce bool // flush each answer before the next line is read; otherwise flush only if no whole line is buffered
}

// Serve answers line by line, in order, until the input or ctx ends. A bad line does not end it.
func (l Lines[A]) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	_, err := ReadUntilDone(ctx, func() (struct{}, error) {
		from, to := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
		var line []byte // reused
		for {
			var err error
			if line, err = readLine(from, line[:0]); errors.Is(err, io.EOF) {
				return struct{}{}, to.Flush()
			} else if err != nil && !errors.Is(err, errLongLine) {
				return struct{}{}, fmt.Errorf("read the requests: %w", err)
			}
			a := l.answer(line, err)
			if ctx.Err() != nil {
				return struct{}{}, ctx.Err()
			}
			if err = WriteJSON(to, a); err == nil && (l.AtOnce || !lineWaits(from)) {
				err = to.Flush()
			}
			if err != nil {
				return struct{}{}, fmt.Errorf("write the answers: %w", err)
			}
		}
	})
	return err
}

// answer answers one line. It converts a panic to the error of that line.
func (l Lines[A]) answer(line []byte, tooLong error) (a A) {
	if tooLong != nil {
		return l.Refuse(nil, KindRequest, tooLong.Error())
	}
	defer func() {
		if fault := recover(); fault != nil {
			var r struct{ ID json.RawMessage }
			_ = json.Unmarshal(line, &r) // an invalid line has no id
			a = l.Refuse(r.ID, KindInternal, fmt.Sprintf("caused an internal error, please report it: %v", fault))
		}
	}()
	return l.Answer(line)
}

// readLine appends the next line without its end. A line that is too long is skipped, with errLongLine.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || size == 0):
			return line, err
		case size > maxLine:
			return line, errLongLine
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// lineWaits reports whether a whole line is buffered.
func lineWaits(in *bufio.Reader) bool {
	waiting, err := in.Peek(in.Buffered())
	return err == nil && bytes.IndexByte(waiting, '\n') >= 0
}

// ReadUntilDone calls read, and returns early when the context ends.
func ReadUntilDone[T any](ctx context.Context, read func() (T, error)) (T, error) {
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

// ReadNamed returns the text of a file that the user names, or of the terminal's input for -. It may be a pipe: the end of the context ends it. A text
// of more than most bytes is an error.
func (t Terminal) ReadNamed(ctx context.Context, name string, most int) (string, error) {
	text, err := ReadUntilDone(ctx, func() (string, error) {
		in := t.In
		if name != "-" {
			file, err := os.Open(name) //nolint:gosec // the user names it
			if err != nil {
				return "", err
			}
			defer func() { _ = file.Close() }() // read only
			in = file
		}
		data, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
		return string(data), err
	})
	if err == nil && len(text) > most {
		size := fmt.Sprintf("%d MiB", most>>20)
		if most < 1<<20 {
			size = fmt.Sprintf("%d KiB", most>>10)
		}
		return "", fmt.Errorf("it is larger than %s", size)
	}
	return text, err
}

// The kinds of errors that every command with --batch has.
const (
	KindRequest  = "request"  // the line is not a request
	KindRead     = "read"     // a file cannot be read
	KindInternal = "internal" // an internal error
)
