package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// maxRefusals is how many answers to bad frames may wait for a client that does not read; what is
// over that goes unanswered.
const maxRefusals = 32

// Stream is the jsonrpc2.Stream of the server. Unlike the library's own it survives every bad frame:
// it answers with id null, and continues with the next frame.
type Stream struct {
	in     io.Reader
	out    io.Writer
	log    *slog.Logger
	frames *frameReader

	refusals chan *jsonrpc2.Error // answers with id null, for refuse to send
	Ended    chan struct{}        // closed when nothing more comes in
	Broken   chan struct{}        // closed when nothing more can go out

	endOnce, breakOnce sync.Once
	writing            sync.Mutex // serialises frames on out; the one lock that is held over I/O
	frame              []byte     // reused by every write; guarded by writing
}

func newStream(in io.Reader, out io.Writer, log *slog.Logger) *Stream {
	s := &Stream{
		in: in, out: out, log: log,
		refusals: make(chan *jsonrpc2.Error, maxRefusals),
		Ended:    make(chan struct{}), Broken: make(chan struct{}),
	}
	s.frames = newFrameReader(in, func(reason string) { s.refuse(jsonrpc2.ParseError, reason) })
	return s
}

// Read returns the next message that can be understood. Its method and params are valid until the
// next Read. An error means that the input has ended.
func (s *Stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := s.frames.next()
		if err != nil {
			s.endOnce.Do(func() { close(s.Ended) })
			return nil, 0, err
		}
		message, refusal := decodeMessage(body)
		if refusal == nil {
			return message, int64(len(body)), nil
		}
		s.refuse(refusal.Code, refusal.Message)
	}
}

// decodeMessage reads a body as one message. Bytes that are not UTF-8 become U+FFFD, as they do in
// every editor.
func decodeMessage(body []byte) (jsonrpc2.Message, *jsonrpc2.Error) {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "batches are not part of LSP; send the messages one by one")
	}
	message, err := jsonrpc2.DecodeMessage(body)
	switch {
	case err == nil:
		return message, nil
	case errors.Is(err, jsonrpc2.ErrParse):
		return nil, jsonrpc2.NewError(jsonrpc2.ParseError, "the message is not JSON")
	default:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the message is neither a request, a notification nor a response")
	}
}

// refuse has an error with id null sent. It never waits: it is called on the read loop.
func (s *Stream) refuse(code jsonrpc2.Code, reason string) {
	s.log.Warn("frame refused", "why", reason)
	select {
	case s.refusals <- jsonrpc2.NewError(code, reason):
	default:
	}
}

// sendRefusals sends what refuse has queued, until ctx ends.
func (s *Stream) sendRefusals(ctx context.Context) {
	for {
		select {
		case refusal := <-s.refusals:
			if _, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, refusal)); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// lengthRoom is enough for the header of any frame.
const lengthRoom = len("Content-Length: \r\n\r\n") + 20

// Write sends a message as one frame. Once it has failed, broken is closed.
func (s *Stream) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if cap(s.frame) < lengthRoom || cap(s.frame) > keepBody {
		s.frame = make([]byte, lengthRoom, 4<<10)
	}
	s.frame = jsonrpc2.AppendMessage(s.frame[:lengthRoom], m)
	n, err := s.out.Write(withHeader(s.frame))
	if err != nil {
		s.breakOnce.Do(func() { close(s.Broken) })
	}
	return int64(n), err
}

// withHeader writes the header right before the body that begins at lengthRoom.
func withHeader(frame []byte) []byte {
	var room [lengthRoom]byte
	header := append(room[:0], "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(frame)-lengthRoom), 10)
	header = append(header, "\r\n\r\n"...)
	begin := lengthRoom - len(header)
	copy(frame[begin:], header)
	return frame[begin:]
}

// Close does nothing: the connection calls it under its lock, where a close that waits would hang
// everything. The server calls end.
func (s *Stream) Close() error { return nil }

// End closes in where it can be closed, so that the read loop ends too.
func (s *Stream) End() {
	if c, ok := s.in.(io.Closer); ok {
		_ = c.Close()
	}
}
