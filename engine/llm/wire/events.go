package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// objection turns a payload that is no part of an answer into an error: an event that reports an error,
// or (inStream false) the beginning of a body that is no event stream. nil is no objection.
type objection func(payload []byte, inStream bool) error

// maxEvent limits one event, one line of a stream, and a document, in bytes.
const maxEvent = 16 << 20

var errLongEvent = errors.New("a part of the answer is larger than 16 MiB")

// events reads an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html) and passes it
// on in the one form that the library decodes correctly: each event as one complete "data:" line. It drops
// comments, other fields, CRs and a byte order mark, joins several data lines of one event, and accepts servers
// that omit the blank line between events. It drops an incomplete last event, as the specification requires. If
// a library skips events without a name, each gets the same name.
//
// After an event with an error, and at the end of a body without any event, Read returns the error from stray.
type events struct {
	body  io.ReadCloser
	lines *bufio.Reader
	stray objection
	named bool // events are passed on with a name, and end with a blank line

	pending []byte // data of the current event
	ready   []byte // lines that are ready to be read
	seen    bool   // there was at least one event
	other   []byte // the beginning of a body without events
	err     error  // returned after ready
}

func newEvents(body io.ReadCloser, stray objection) *events {
	return &events{body: body, lines: bufio.NewReader(body), stray: stray}
}

// Close closes the body.
func (e *events) Close() error { return e.body.Close() }

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		line, err := e.line()
		if err != nil {
			e.end(line, err)
			continue
		}
		e.take(bytes.TrimRight(line, "\r\n"))
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// line reads up to the next newline, or fails with the incomplete line.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.lines.ReadSlice('\n')
		line = append(line, part...)
		if len(line)+len(e.pending) > maxEvent {
			return nil, errLongEvent
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (e *events) take(line []byte) {
	line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case isData:
		e.data(bytes.TrimSpace(data))
	case len(line) == 0 && len(e.pending) > 0:
		e.emit()
	case !e.seen && len(line) > 0 && !isField(line):
		e.note(line)
	}
}

// data adds a line to the event. An event of one line, which is the usual case, is passed on without
// waiting for the blank line, so that text appears when it arrives. Further lines are not parsed until
// the blank line, so that the work stays linear.
func (e *events) data(data []byte) {
	if len(e.pending) > 0 {
		e.pending = append(append(e.pending, ' '), data...)
		return
	}
	e.pending = append(e.pending, data...)
	if string(e.pending) == "[DONE]" || json.Valid(e.pending) {
		e.emit()
	}
}

func (e *events) emit() {
	e.seen = true
	if holdsError(e.pending) {
		e.err = e.stray(e.pending, true)
	} else {
		e.ready = e.write(e.ready[:0])
	}
	e.pending = e.pending[:0]
}

// write appends the event to lines in the library's form.
func (e *events) write(lines []byte) []byte {
	if !e.named {
		return append(append(append(lines, "data: "...), e.pending...), '\n')
	}
	return append(append(append(lines, "event: message\ndata: "...), e.pending...), "\n\n"...)
}

// end records how the body ended; rest is the text after its last newline.
func (e *events) end(rest []byte, err error) {
	e.err = err
	if e.seen || !errors.Is(err, io.EOF) {
		return
	}
	if !isField(rest) {
		e.note(rest)
	}
	if len(e.other) > 0 {
		if objection := e.stray(e.other, false); objection != nil {
			e.err = objection
		}
	}
}

// note keeps the beginning of a body that is not an event stream.
func (e *events) note(line []byte) {
	const enough = 64 << 10
	if room := enough - len(e.other); room > 0 {
		e.other = append(append(e.other, line[:min(len(line), room)]...), '\n')
	}
}

// isField reports whether a line, or its beginning, belongs to an event stream.
func isField(line []byte) bool {
	for _, field := range []string{":", "data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(field)) || bytes.HasPrefix([]byte(field), line) {
			return true
		}
	}
	return false
}
