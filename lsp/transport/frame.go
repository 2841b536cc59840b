package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

const (
	maxHeaderLine = 16 << 10 // bytes of a header line
	maxBody       = 64 << 20 // bytes of a message
	keepBody      = 1 << 20  // a read buffer beyond this is given back after its message
	firstBody     = 64 << 10 // what is set aside for a body before any of it has come
)

// lengthField is the only header field that matters. Field names have no case.
var lengthField = []byte("content-length:")

// frameReader splits a byte stream into message bodies, as the base protocol frames them. It bounds
// what a peer can make it hold: a header line that never ends, a length that promises too much, or
// bytes that are no frame at all are skipped up to the next Content-Length.
//
// Finding it is safe inside a skipped body: in JSON a string cannot contain a line end, so
// "Content-Length: 7\r\n" is a header and nothing else.
type frameReader struct {
	in       *bufio.Reader
	maxBody  int                 // bytes
	complain func(reason string) // receives the reason for what is skipped
	lost     bool                // what comes next is not the beginning of a header
	body     []byte              // reused by every next
}

func newFrameReader(in io.Reader, complain func(reason string)) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, maxHeaderLine), maxBody: maxBody, complain: complain}
}

// next returns the next body, which is valid until the call after. Its error is that of the reader
// below: io.EOF between frames, io.ErrUnexpectedEOF inside one.
func (f *frameReader) next() ([]byte, error) {
	for {
		length, err := f.header()
		switch {
		case err != nil:
			return nil, err
		case length < 0:
			f.complain("the header names no length")
		case length > f.maxBody:
			f.complain(fmt.Sprintf("a message of %d bytes is over the limit of %d", length, f.maxBody))
			f.lost = true
		default:
			return f.read(length)
		}
	}
}

// header reads a header block up to its blank line; blank lines before it are skipped. The length is
// -1 if there is none to be used.
func (f *frameReader) header() (length int, err error) {
	length = -1
	begun := false
	for {
		line, err := f.line()
		switch {
		case err != nil:
			return 0, endInside(err, begun)
		case len(line) == 0 && begun:
			return length, nil
		case len(line) == 0:
			continue
		}
		begun = true
		if n, ok := f.contentLength(line); ok {
			length = n
		}
	}
}

// line returns the next header line without its end; a lost reader first skips to the next
// Content-Length.
func (f *frameReader) line() ([]byte, error) {
	if f.lost {
		return f.seek()
	}
	line, err := f.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		f.complain(fmt.Sprintf("a header line is longer than %d bytes", maxHeaderLine))
		f.lost = true
		return f.seek()
	case err != nil && len(line) > 0:
		return nil, endInside(err, true)
	case err != nil:
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// seek skips whatever comes up to a line that ends in a Content-Length, and returns that field.
func (f *frameReader) seek() ([]byte, error) {
	var tail []byte // the end of the chunk before, in case the field lies across
	for {
		chunk, err := f.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, endInside(err, true)
		}
		near := append(tail, lastBytes(chunk, maxField)...)
		if at := lastField(near); err == nil && at >= 0 && fieldValue(near[at:]) > 0 {
			f.lost = false
			return bytes.TrimRight(near[at:], "\r\n"), nil
		}
		tail = nil
		if err != nil {
			tail = bytes.Clone(lastBytes(near, maxField))
		}
	}
}

// contentLength returns the value of a Content-Length line, -1 for one that is no length. Bytes before
// the field are what is left of a broken frame.
func (f *frameReader) contentLength(line []byte) (n int, ok bool) {
	at := lastField(line)
	if at < 0 {
		return 0, false
	}
	if at > 0 {
		f.complain("there are stray bytes before a header")
	}
	return fieldValue(line[at:]), true
}

// fieldValue returns the length that a Content-Length field names, or -1 if it names none.
func fieldValue(field []byte) int {
	value := bytes.TrimSpace(field[len(lengthField):])
	n, err := strconv.ParseUint(string(value), 10, strconv.IntSize-1)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return math.MaxInt
	case err != nil || n == 0:
		return -1
	}
	return int(n)
}

// maxField is more than the bytes of any Content-Length field that can be read.
const maxField = 128

// lastField returns the offset of the last Content-Length field near the end of line, or -1.
func lastField(line []byte) int {
	for at := len(line) - len(lengthField); at >= max(0, len(line)-maxField); at-- {
		if bytes.EqualFold(line[at:at+len(lengthField)], lengthField) {
			return at
		}
	}
	return -1
}

func lastBytes(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// read returns a body of n bytes. Memory is set aside as the bytes come, not as they are promised.
func (f *frameReader) read(n int) ([]byte, error) {
	if cap(f.body) > keepBody {
		f.body = nil
	}
	body := f.body[:0]
	for len(body) < n {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(n-len(body), max(firstBody, len(body))))
		}
		part := body[len(body):min(cap(body), n)]
		got, err := f.in.Read(part)
		body = body[:len(body)+got]
		if err != nil {
			return nil, endInside(err, true)
		}
	}
	f.body = body
	return body, nil
}

// endInside makes an end of input inside a frame an unexpected one.
func endInside(err error, inside bool) error {
	if inside && errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxDepth is how deep JSON may nest. Decoders are recursive; nothing an editor sends comes near it.
const maxDepth = 1000

var errTooDeep = errors.New("it is nested too deeply")

// Codec is the payload codec of the connection. It goes through protocol's functions, because
// encoding/json gets the protocol's unions wrong.
type Codec struct{}

// Marshal encodes v; a RawMessage is JSON already.
func (Codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes data into v, and refuses what is nested deeper than maxDepth.
func (Codec) Unmarshal(data []byte, v any) error {
	if tooDeep(data) {
		return errTooDeep
	}
	return protocol.Unmarshal(data, v)
}

// tooDeep reports whether data nests deeper than maxDepth, without recursion.
func tooDeep(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// stringEnd returns the index of the quote that closes the string opened at i, or the last index.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		next := bytes.IndexAny(data[i:], `"\`)
		if next < 0 {
			return len(data)
		}
		i += next
		if data[i] == '"' {
			return i
		}
		i++ // whatever is escaped is no end
	}
	return len(data)
}
