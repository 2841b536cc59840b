package llmtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"forge/engine/llm"
)

// maxRequest bounds a request's body, in bytes.
const maxRequest = 32 << 20

// chat answers requests of one format, or lets them fail as the script demands.
func (s *server) chat(f format) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, err := receive(w, r, f)
		if err != nil {
			s.log.printf("malformed request: %v", err)
			refuse(w, f, refusal{status: http.StatusBadRequest, message: err.Error(), typ: "invalid_request_error"})
			return
		}
		t, err := s.script.take(request.Request)
		if err != nil {
			s.log.printf("UNEXPECTED %s", describe(request.Request))
			refuse(w, f, refusal{status: http.StatusBadRequest, message: err.Error(), typ: "invalid_request_error", code: "unexpected_request"})
			return
		}
		if t.again {
			s.log.printf("%s → %s, given before: not asked again", describe(request.Request), t.label)
		} else {
			s.log.printf("%s → %s", describe(request.Request), strings.TrimSpace(t.label+" "+string(t.fault().kind())))
		}
		s.answer(r.Context(), w, f, t, request.stream)
	}
}

// receive reads a request to its end: only then the server notices a client that goes away.
func receive(w http.ResponseWriter, r *http.Request, f format) (asked, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return asked{}, fmt.Errorf("read the request: %w", err)
	}
	request, err := f.read(body)
	if err != nil {
		return asked{}, err
	}
	request.Node, request.Key = r.Header.Get("X-Forge-Node"), r.Header.Get("Idempotency-Key")
	request.Attempt, _ = strconv.Atoi(r.Header.Get("X-Forge-Attempt")) // a client that sends none is at no attempt
	return request, nil
}

func (s *server) answer(ctx context.Context, w http.ResponseWriter, f format, t turn, stream bool) {
	fault := t.fault()
	if refused, ok := fault.refusal(s.script.Now()); ok {
		refuse(w, f, refused)
		return
	}
	switch fault.kind() {
	case FaultReset, FaultLost:
		reset(w)
		return
	case FaultHTML:
		webPage(w)
		return
	}
	a := s.script.answer(t)
	speaker := &speaker{w: w, control: http.NewResponseController(w), fault: fault, split: split(a.wire), format: f, wire: a.wire}
	if stream {
		speaker.stream(ctx, f.stream(a))
	} else {
		speaker.whole(ctx, a)
	}
}

// reset closes the connection so that the client sees a reset, without a byte of an answer.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the client sees an end instead: a loss either way
	}
	_ = connection.Close()
}

// webPage is what a captive portal answers.
func webPage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!DOCTYPE html>\n<title>Sign in</title>\n<p>Sign in to use this network.</p>\n")
}

// refuse answers with an error object.
func refuse(w http.ResponseWriter, f format, r refusal) {
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	status, body := f.refuse(r)
	write(w, status, body)
}

// write sends one JSON document.
func write(w http.ResponseWriter, status int, document []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(document) // the client may be gone
}

// speaker writes one response, up to where its fault ends it.
type speaker struct {
	w       http.ResponseWriter
	control *http.ResponseController
	format  format
	wire    Wire
	fault   Fault
	split   int // bytes that are written at a time
	sent    int
}

// stream ends early when ctx does: the client goes away, or the server stops.
func (s *speaker) stream(ctx context.Context, frames []frame) {
	s.header(ctx, s.format.streams())
	for _, f := range s.adapt(s.dress(frames)) {
		s.pause(ctx, f)
		if !s.write(f.bytes) {
			break
		}
	}
	s.end(ctx)
}

// whole sends an answer in one document. Its length is announced, but where it is to end early unnoticed.
func (s *speaker) whole(ctx context.Context, a answer) {
	document := s.format.whole(a)
	switch s.fault.kind() {
	case FaultMalformed:
		document = document[:len(document)/2]
	case FaultEmptyChoices:
		document = []byte("{}")
	case FaultMidError:
		_, document = s.format.refuse(refusal{status: http.StatusBadGateway, message: "scripted fault: a server error", typ: "server_error", code: "502"})
	}
	if s.fault.kind() != FaultEnd && s.fault.kind() != FaultMalformed {
		s.w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	}
	s.header(ctx, "application/json")
	f := frame{bytes: document, delay: a.delay}
	for _, piece := range a.pieces {
		f.delay += milliseconds(piece.DelayMs)
	}
	s.pause(ctx, f)
	s.write(document)
	s.end(ctx)
}

// header sends the header; a fault may withhold it.
func (s *speaker) header(ctx context.Context, contentType string) {
	if s.fault.kind() == FaultHang && s.fault.AfterBytes == 0 {
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	}
	s.w.Header().Set("Content-Type", contentType)
	if s.fault.kind() == FaultCut {
		_ = s.control.Flush() // so that the header arrives before the cut
	}
}

func (s *speaker) pause(ctx context.Context, f frame) {
	if llm.Pause(ctx, f.delay) != nil {
		panic(http.ErrAbortHandler)
	}
}

// adapt replaces the frames by those of a fault that has frames of its own.
func (s *speaker) adapt(frames []frame) []frame {
	done := frames[len(frames)-1]
	switch s.fault.kind() {
	case FaultMalformed:
		return []frame{frames[0], s.format.malformed(s.wire), done}
	case FaultEmptyChoices:
		return s.format.empty(s.wire)
	case FaultMidError:
		return s.interrupt(frames)
	default:
		return frames
	}
}

// dress adds the frames that some servers add, and leaves out what some leave out.
func (s *speaker) dress(frames []frame) []frame {
	if s.wire.NoEnd {
		finished := slices.IndexFunc(frames, func(f frame) bool { return f.finish != "" })
		frames = frames[:finished+1]
	}
	if s.wire.Empty {
		frames = slices.Insert(slices.Clone(frames), 1, s.format.empty(s.wire)...)
	}
	if s.wire.DoubleEnd {
		frames = append(slices.Clone(frames), frames[len(frames)-1])
	}
	return frames
}

// interrupt puts an error after the frames that fit into AfterBytes.
func (s *speaker) interrupt(frames []frame) []frame {
	sent := 0
	for i, f := range frames {
		if sent+f.whole > s.fault.AfterBytes {
			return append(frames[:i:i], s.format.broken(s.wire))
		}
		sent += len(f.bytes)
	}
	return frames
}

// write sends bytes, some at a time, and reports whether there may be more.
func (s *speaker) write(data []byte) bool {
	limited := s.fault.kind() == FaultCut || s.fault.kind() == FaultEnd || s.fault.kind() == FaultHang
	if limited {
		data = data[:min(len(data), s.fault.AfterBytes-s.sent)]
	}
	for len(data) > 0 {
		part := data[:min(s.split, len(data))]
		if _, err := s.w.Write(part); err != nil {
			panic(http.ErrAbortHandler)
		}
		_ = s.control.Flush() // fails only where the write fails
		s.sent += len(part)
		data = data[len(part):]
	}
	return !limited || s.sent < s.fault.AfterBytes
}

// end ends the response as the fault demands.
func (s *speaker) end(ctx context.Context) {
	switch s.fault.kind() {
	case FaultHang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case FaultCut:
		panic(http.ErrAbortHandler)
	}
}

// split is how many bytes of a reply are written at a time.
func split(w Wire) int {
	if w.SplitBytes > 0 {
		return w.SplitBytes
	}
	return 1 << 20
}
