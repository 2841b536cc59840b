package lsp

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// stream frames messages on a pair of byte streams.
type stream struct {
	in     io.Reader
	out    io.Writer
	log    *slog.Logger
	frames *frameReader
	ended  chan struct{} // closed when nothing more comes in
	broken chan struct{} // closed when nothing more can go out

	endOnce, breakOnce sync.Once
	writing            sync.Mutex // guards out: one frame at a time
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger) *stream {
	return &stream{
		in: in, out: out, log: log,
		frames: &frameReader{in: bufio.NewReaderSize(in, maxHeaderLine)},
		ended:  make(chan struct{}), broken: make(chan struct{}),
	}
}

// Read returns the next message; bad frames are skipped.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	panic("not built yet")
}

// Write sends a message as one frame.
func (s *stream) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	return s.write(func(b []byte) []byte { return jsonrpc2.AppendMessage(b, m) })
}

func (s *stream) write(appendBody func([]byte) []byte) (int64, error) {
	body := appendBody(nil)
	frame := append(strconv.AppendInt([]byte("Content-Length: "), int64(len(body)), 10), "\r\n\r\n"...)
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.out.Write(append(frame, body...))
	if err != nil {
		s.breakOnce.Do(func() { close(s.broken) })
	}
	return int64(n), err
}

// Close is called by the connection, under its lock, when nothing is in flight; end does the work.
func (s *stream) Close() error { return nil }

// end closes in, where it can be closed.
func (s *stream) end() {
	if c, ok := s.in.(io.Closer); ok {
		_ = c.Close()
	}
}
