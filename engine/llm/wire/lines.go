package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// lines reads JSON documents, one on each line (https://github.com/ndjson/ndjson-spec), and gives each on as one
// complete line. CRs, blank lines and a byte order mark are dropped. What the body breaks off inside of is dropped
// as well; a document that only lacks its newline is complete.
//
// Instead of a line that reports an error, and of a body that does not begin with a document, Read returns what
// stray makes of it. A line in the middle that is no document is passed on: the adapter says what is wrong with it.
type lines struct {
	body  io.ReadCloser
	lines *bufio.Reader
	stray objection

	ready []byte // what is not yet handed out
	line  []byte // the line that is being read; its memory is used again
	seen  bool   // there was a document
	other []byte // the beginning of what stands where documents should
	err   error  // comes after ready
}

func newLines(body io.ReadCloser, stray objection) *lines {
	return &lines{body: body, lines: bufio.NewReader(body), stray: stray}
}

// Close closes the body.
func (l *lines) Close() error { return l.body.Close() }

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.ready) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.ready)
	l.ready = l.ready[n:]
	return n, nil
}

// next reads one line and decides what to do with it.
func (l *lines) next() {
	l.line, l.err = appendLine(l.line[:0], l.lines)
	document := bytes.TrimSpace(bytes.TrimPrefix(l.line, []byte("\uFEFF")))
	certain := l.seen && l.err == nil // there were documents, and this is all of the line
	switch {
	case len(document) == 0:
	case len(l.other) > 0:
		l.note(document)
	case l.err != nil && !isObject(document) && (l.seen || document[0] == '{'):
		// It breaks off here: half a document is none.
	case !certain && !isObject(document):
		l.note(document)
	case holdsError(document):
		l.err = l.stray(document, true)
	default:
		l.seen = true
		l.ready = append(document, '\n')
	}
	if errors.Is(l.err, io.EOF) && len(l.other) > 0 {
		l.err = l.stray(l.other, false)
	}
}

// isObject tells a whole document: nothing that begins with a brace is one before its last byte.
func isObject(document []byte) bool { return document[0] == '{' && json.Valid(document) }

// note keeps the beginning of what is not a stream of documents.
func (l *lines) note(line []byte) {
	const enough = 64 << 10
	if room := enough - len(l.other); room > 0 {
		l.other = append(append(l.other, line[:min(len(line), room)]...), '\n')
	}
}

// appendLine reads up to the next newline, or fails with what there is of the line.
func appendLine(line []byte, from *bufio.Reader) ([]byte, error) {
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, errLongEvent
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Objection says what a payload means that is no part of an answer: an error that the server reports with a good
// status, or something that is not its API. inStream says that answers came before it. nil is no objection.
func (s *Server) Objection(payload []byte, inStream bool) error { return s.stray(payload, inStream) }
