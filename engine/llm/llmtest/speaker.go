package llmtest

import (
	"context"
	"net/http"

	"forge/engine/llm"
)

// speaker writes frames to one response, up to where its fault ends them.
type speaker struct {
	w       http.ResponseWriter
	control *http.ResponseController
	fault   Fault
	sent    int
}

// speak ends early when ctx does: the client goes away, or the server stops.
func (s *speaker) speak(ctx context.Context, frames []frame, t turn) {
	if s.fault.kind() == FaultHang && s.fault.AfterBytes == 0 {
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	if s.fault.kind() == FaultCut {
		_ = s.control.Flush() // so that the header arrives before the cut
	}
	for _, f := range s.adapt(frames) {
		if llm.Pause(ctx, f.delay) != nil {
			panic(http.ErrAbortHandler)
		}
		if !s.write(f.bytes, split(t)) {
			break
		}
	}
	s.end(ctx)
}

// adapt replaces the frames by those of a fault that has frames of its own.
func (s *speaker) adapt(frames []frame) []frame {
	done := frames[len(frames)-1]
	switch s.fault.kind() {
	case FaultMalformed:
		return []frame{frames[0], voice{}.event([]byte(`{"choices":[{`)), done}
	case FaultEmptyChoices:
		return []frame{voice{}.event([]byte(`{"choices":[]}`)), voice{}.event([]byte(`{"choices":[]}`)), done}
	case FaultMidError:
		return s.interrupt(frames)
	default:
		return frames
	}
}

// interrupt puts an error behind the frames that fit into AfterBytes.
func (s *speaker) interrupt(frames []frame) []frame {
	sent := 0
	for i, f := range frames {
		if sent+f.whole > s.fault.AfterBytes {
			broken := voice{}.event([]byte(`{"error":{"message":"scripted fault: a server error","type":"server_error","code":null}}`))
			return append(frames[:i:i], broken)
		}
		sent += len(f.bytes)
	}
	return frames
}

// write sends bytes, at most n at a time, and reports whether there may be more.
func (s *speaker) write(data []byte, n int) bool {
	limited := s.fault.kind() == FaultCut || s.fault.kind() == FaultEnd || s.fault.kind() == FaultHang
	if limited {
		data = data[:min(len(data), s.fault.AfterBytes-s.sent)]
	}
	for len(data) > 0 {
		part := data[:min(n, len(data))]
		if _, err := s.w.Write(part); err != nil {
			panic(http.ErrAbortHandler)
		}
		_ = s.control.Flush() // fails only where the write fails
		s.sent += len(part)
		data = data[len(part):]
	}
	return !limited || s.sent < s.fault.AfterBytes
}

// end ends the response as the fault says.
func (s *speaker) end(ctx context.Context) {
	switch s.fault.kind() {
	case FaultHang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case FaultCut:
		panic(http.ErrAbortHandler)
	}
}

// split is how many bytes of a turn's reply are written at a time.
func split(t turn) int {
	if t.entry.Reply != nil && t.entry.Reply.Wire.SplitBytes > 0 {
		return t.entry.Reply.Wire.SplitBytes
	}
	return 1 << 20
}
