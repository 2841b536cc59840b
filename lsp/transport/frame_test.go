package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// readAll returns every body of a byte stream, the complaints, and how it ended.
func readAll(in io.Reader, limit int) (bodies, complaints []string, err error) {
	f := newFrameReader(in, func(reason string) { complaints = append(complaints, reason) })
	f.maxBody = limit
	for {
		body, err := f.next()
		if err != nil {
			return bodies, complaints, err
		}
		bodies = append(bodies, string(body))
	}
}

func TestFrameReader_ReadsFrames(t *testing.T) {
	t.Parallel()
	good := frame(`{"a":1}`)
	long := strings.Repeat("x", 2*maxHeaderLine)
	tests := []struct {
		name       string
		in         string
		want       []string
		complaints int
		err        error
	}{
		{"nothing", "", nil, 0, io.EOF},
		{"two frames", good + frame("{}"), []string{`{"a":1}`, "{}"}, 0, io.EOF},
		{"lower case and content type", "content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}", []string{"{}"}, 0, io.EOF},
		{"bare line feeds", "Content-Length: 2\n\n{}" + good, []string{"{}", `{"a":1}`}, 0, io.EOF},
		{"blank lines between frames", good + "\r\n\r\n" + good, []string{`{"a":1}`, `{"a":1}`}, 0, io.EOF},
		{"length abc", "Content-Length: abc\r\n\r\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"length -5", "Content-Length: -5\r\n\r\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"length 0", "Content-Length: 0\r\n\r\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"length empty", "Content-Length: \r\n\r\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"no length", "X-Y: 1\r\n\r\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"the last length counts", "Content-Length: 9\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, 0, io.EOF},
		{"length too short", "Content-Length: 3\r\n\r\n{\"a\":1}" + good, []string{`{"a`, `{"a":1}`}, 1, io.EOF},
		{"length too long", "Content-Length: 20\r\n\r\n{\"a\":1}" + good + good, []string{`{"a":1}Content-Lengt`, `{"a":1}`}, 2, io.EOF},
		{"body over the limit", frame(strings.Repeat("y", 101)) + good, []string{`{"a":1}`}, 1, io.EOF},
		{"length beyond 64 bits", "Content-Length: 99999999999999999999\r\n\r\n{" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"the skipped body speaks of headers", frame(`"`+strings.Repeat(`Content-Length: 7\r\n\r\n`, 9)+`"`) + good, []string{`{"a":1}`}, 1, io.EOF},
		{"header line without end", long + good, []string{`{"a":1}`}, 1, io.EOF},
		{"header line of garbage", long + "\n" + good, []string{`{"a":1}`}, 1, io.EOF},
		{"ends in a header", "Content-Length: 2\r\n", nil, 0, io.ErrUnexpectedEOF},
		{"ends in a line", "Content-Le", nil, 0, io.ErrUnexpectedEOF},
		{"ends in a body", "Content-Length: 2\r\n\r\n{", nil, 0, io.ErrUnexpectedEOF},
		{"ends while lost", long, nil, 1, io.ErrUnexpectedEOF},
	}
	for _, test := range tests {
		for _, reader := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{{"at once", func(r io.Reader) io.Reader { return r }}, {"byte by byte", iotest.OneByteReader}} {
			t.Run(test.name+", "+reader.name, func(t *testing.T) {
				t.Parallel()
				bodies, complaints, err := readAll(reader.wrap(strings.NewReader(test.in)), 100)
				require.Equal(t, test.want, bodies)
				require.Len(t, complaints, test.complaints, complaints)
				require.ErrorIs(t, err, test.err)
			})
		}
	}
}

// The field may begin in one chunk of the reader and end in the next, wherever the border lies.
func TestFrameReader_FindsAHeaderAcrossChunks(t *testing.T) {
	t.Parallel()
	for shift := range 64 {
		garbage := strings.Repeat("x", 3*maxHeaderLine-shift)
		bodies, _, err := readAll(strings.NewReader(garbage+frame("{}")), 100)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []string{"{}"}, bodies, "shift %d", shift)
	}
}

func TestFrameReader_SetsNothingAsideForAPromise(t *testing.T) {
	t.Parallel()
	f := newFrameReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxBody)), func(string) {})
	_, err := f.next()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.LessOrEqual(t, cap(f.body), firstBody)
}

func TestFrameReader_GivesLargeBuffersBack(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("z", 3*keepBody)
	f := newFrameReader(strings.NewReader(frame(large)+frame("{}")), func(string) {})
	body, err := f.next()
	require.NoError(t, err)
	require.Len(t, body, len(large))
	_, err = f.next()
	require.NoError(t, err)
	require.LessOrEqual(t, cap(f.body), keepBody)
}

// FuzzStream feeds garbage before a good frame. Whatever comes, reading ends with the input, takes
// bounded memory, and never yields more than came in; and after a line end, a good frame is found.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"", "Content-Length: 2\r\n\r\n{}", "Content-Length: abc\r\n\r\n", "\r\n\r\n", "content-length:99\n\n{",
		"Content-Length: 18446744073709551616\r\n\r\n", "Content-Length: 7\r\nContent-Length: x\r\n\r\n",
		"A: " + strings.Repeat("b", maxHeaderLine), "Content-Length: 101\r\n\r\n[[[",
	} {
		f.Add([]byte(seed), int64(1))
	}
	f.Fuzz(func(t *testing.T, garbage []byte, chunks int64) {
		in := append(bytes.Clone(garbage), frame(`{"end":true}`)...)
		bodies, _, err := readAll(&unevenReader{in, rand.New(rand.NewPCG(uint64(chunks), 0))}, 100)
		total := 0
		for _, body := range bodies {
			require.LessOrEqual(t, len(body), 100)
			total += len(body)
		}
		require.LessOrEqual(t, total, len(in))
		if !errors.Is(err, io.EOF) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
		whole, _, _ := readAll(bytes.NewReader(in), 100)
		require.Equal(t, whole, bodies, "how the bytes come must not matter")
	})
}

// unevenReader returns chunks of random lengths.
type unevenReader struct {
	rest   []byte
	random *rand.Rand
}

func (r *unevenReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(len(r.rest), 1+r.random.IntN(40))])
	r.rest = r.rest[n:]
	return n, nil
}
