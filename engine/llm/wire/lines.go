package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// lines reads JSON documents, one per line (https://github.com/ndjson/ndjson-spec), and passes on each as one
// complete line. It drops CRs, blank lines, a byte order mark and an incomplete last document; a document that only
// lacks its newline is complete.
//
// Instead of a line that reports an error, and of a body that does not begin with a document, Read returns the
// error from stray. Other invalid lines are passed on: the adapter reports them.
type lines struct {
	body  io.ReadCloser
	lines *bufio.Reader
	stray objection

	records bool // a line with an error is passed on like others

	ready []byte // lines that are ready to be read
	line  []byte // the current line; its memory is reused
	seen  bool   // there was at least one document
	other []byte // the beginning of a body without documents
	err   error  // returned after ready
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

// next reads one line and handles it.
func (l *lines) next() {
	l.line, l.err = appendLine(l.line[:0], l.lines)
	document := bytes.TrimSpace(bytes.TrimPrefix(l.line, []byte("\uFEFF")))
	certain := l.seen && l.err == nil // documents preceded it, and the line is complete
	switch {
	case len(document) == 0:
	case len(l.other) > 0:
		l.note(document)
	case l.err != nil && !isObject(document) && (l.seen || document[0] == '{'):
		// The body ends here: an incomplete document is none.
	case !certain && !isObject(document):
		l.note(document)
	case !l.records && holdsError(document):
		l.err = l.stray(document, true)
	default:
		l.seen = true
		l.ready = append(document, '\n')
	}
	if errors.Is(l.err, io.EOF) && len(l.other) > 0 {
		l.err = l.stray(l.other, false)
	}
}

// isObject reports whether a document is a complete object.
func isObject(document []byte) bool { return document[0] == '{' && json.Valid(document) }

// note keeps the beginning of a body that is not a stream of documents.
func (l *lines) note(line []byte) {
	const enough = 64 << 10
	if room := enough - len(l.other); room > 0 {
		l.other = append(append(l.other, line[:min(len(line), room)]...), '\n')
	}
}

// appendLine reads up to the next newline, or fails with the incomplete line.
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
