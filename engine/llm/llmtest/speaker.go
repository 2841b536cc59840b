package llmtest

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"forge/engine/llm"
)

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

// header says what comes; a fault may keep even that back.
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

// interrupt puts an error behind the frames that fit into AfterBytes.
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

// split is how many bytes of a reply are written at a time.
func split(w Wire) int {
	if w.SplitBytes > 0 {
		return w.SplitBytes
	}
	return 1 << 20
}
