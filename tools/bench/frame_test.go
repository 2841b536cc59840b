package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFrame_ReadFrame(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream string
		want   string
		err    string // what it says; empty when there is none
	}{
		"one":                {stream: "Content-Length: 2\r\n\r\n{}rest", want: "{}"},
		"empty body":         {stream: "Content-Length: 0\r\n\r\n", want: ""},
		"other headers":      {stream: "Content-Type: x\r\ncontent-length:3\r\n\r\n[1]", want: "[1]"},
		"line feeds alone":   {stream: "Content-Length: 2\n\n{}", want: "{}"},
		"end of the stream":  {stream: "", err: "EOF"},
		"end in the header":  {stream: "Content-Length: 2\r\n", err: "read a header: unexpected EOF"},
		"end in the body":    {stream: "Content-Length: 5\r\n\r\n{}", err: "read a message of 5 bytes: unexpected EOF"},
		"no length":          {stream: "Content-Type: x\r\n\r\n", err: "a message without Content-Length"},
		"length not a count": {stream: "Content-Length: -1\r\n\r\n", err: "is no length of a message"},
		"length too long":    {stream: "Content-Length: 99999999999\r\n\r\n", err: "is no length of a message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := readFrame(bufio.NewReader(strings.NewReader(test.stream)))
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, string(body))
		})
	}
}

// FuzzFrame_Any: what is written is read again, whatever follows, and nothing makes the reader panic.
func FuzzFrame_Any(f *testing.F) {
	f.Add([]byte("{}"), []byte("Content-Length: 1\r\n\r\n"))
	f.Add([]byte("\r\n\r\n"), []byte(""))
	f.Fuzz(func(t *testing.T, body, rest []byte) {
		var stream bytes.Buffer
		require.NoError(t, writeFrame(&stream, body))
		stream.Write(rest)
		r := bufio.NewReader(&stream)
		read, err := readFrame(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(body, read))
		for err == nil {
			_, err = readFrame(r)
		}
	})
}

func TestFrame_IsOneWrite(t *testing.T) {
	t.Parallel()
	w := &countWrites{}
	require.NoError(t, writeFrame(w, []byte("{}")))
	require.Equal(t, 1, w.writes)
}

type countWrites struct{ writes int }

func (c *countWrites) Write(p []byte) (int, error) {
	c.writes++
	return io.Discard.Write(p)
}
