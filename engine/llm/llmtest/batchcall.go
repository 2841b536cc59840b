package llmtest

import (
	"net/http"

	"forge/engine/llm"
)

// takeCall returns the fault that the script has for a call of a batch API; without an entry it works.
func (s *Script) takeCall(c Call) (Fault, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, entry := range s.entries {
		if s.left[i] == 0 || entry.Match.Call != c {
			continue
		}
		s.left[i]--
		s.used[i]++
		return *entry.Fault, s.label(i)
	}
	return Fault{}, "no entry"
}

// call wraps a handler of a batch API: the script's faults come first. Where the reply is lost the handler does
// what it does, and nobody hears of it.
func (s *server) call(c Call, f format, handle func(http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault, label := s.script.takeCall(c)
		s.log.printf("batch %s → %s %s", c, label, fault.kind())
		if fault.kind() == FaultLost {
			handle(deaf{http.Header{}}, r)
			reset(w)
			return
		}
		if refused, ok := fault.refusal(s.script.Now()); ok {
			refuse(w, f, refused)
			return
		}
		switch fault.kind() {
		case FaultReset:
			reset(w)
		case FaultHTML:
			webPage(w)
		case FaultHang:
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		default:
			handle(&clipped{ResponseWriter: w, fault: fault}, r)
		}
	}
}

// clipped is a response of which only the beginning is sent, if its fault says so.
type clipped struct {
	http.ResponseWriter
	fault Fault
	sent  int
}

// Write implements http.ResponseWriter.
func (c *clipped) Write(data []byte) (int, error) {
	if kind := c.fault.kind(); kind != FaultCut && kind != FaultEnd && kind != FaultMalformed {
		return c.ResponseWriter.Write(data)
	}
	room := c.fault.AfterBytes
	if c.fault.kind() == FaultMalformed {
		room = len(data) / 2
	}
	part := data[:max(0, min(len(data), room-c.sent))]
	_, err := c.ResponseWriter.Write(part)
	c.sent += len(part)
	if err != nil || c.fault.kind() == FaultCut && len(part) < len(data) {
		_ = http.NewResponseController(c.ResponseWriter).Flush() // so that what was sent arrives before the cut
		panic(http.ErrAbortHandler)
	}
	return len(data), nil
}

// deaf is a response that goes nowhere.
type deaf struct{ header http.Header }

// Header implements http.ResponseWriter.
func (d deaf) Header() http.Header { return d.header }

// Write implements http.ResponseWriter.
func (d deaf) Write(data []byte) (int, error) { return len(data), nil }

// WriteHeader implements http.ResponseWriter.
func (d deaf) WriteHeader(int) {}

// draw finds the entry for a request like take, but every request is a new one: providers of batches know no keys of
// calls.
func (s *Script) draw(r llm.Request) (turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(r)
}
