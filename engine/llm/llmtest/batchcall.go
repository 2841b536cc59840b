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

// document is what a call is answered with.
type document struct {
	status int
	kind   string // its content type
	body   []byte
}

func found(v any) document { return document{http.StatusOK, "application/json", encode(v)} }

func refused(f format, r refusal) document {
	status, body := f.refuse(r)
	return document{status, "application/json", body}
}

// send sends the document, or only its beginning if the fault says so.
func (d document) send(w http.ResponseWriter, fault Fault) {
	part := d.body
	switch fault.kind() {
	case FaultMalformed:
		part = part[:len(part)/2]
	case FaultCut, FaultEnd:
		part = part[:min(len(part), fault.AfterBytes)]
	}
	w.Header().Set("Content-Type", d.kind)
	w.WriteHeader(d.status)
	_, err := w.Write(part)
	if err != nil || fault.kind() == FaultCut && len(part) < len(d.body) {
		_ = http.NewResponseController(w).Flush() // so that what was sent arrives before the cut
		panic(http.ErrAbortHandler)
	}
}

// call answers a call of a batch API: the script's faults come first. If the reply is to be lost, the call has its effect nevertheless.
func (s *server) call(c Call, f format, answer func(*http.Request) document) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault, label := s.script.takeCall(c)
		s.log.printf("batch %s → %s %s", c, label, fault.kind())
		switch fault.kind() {
		case FaultLost:
			answer(r)
			reset(w)
		case FaultReset:
			reset(w)
		case FaultHTML:
			webPage(w)
		case FaultHang:
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		default:
			if refused, ok := fault.refusal(s.script.Now()); ok {
				refuse(w, f, refused)
				return
			}
			answer(r).send(w, fault)
		}
	}
}

// draw finds the entry for a request like take, but every request is a new one: providers of batches know no keys of
// calls.
func (s *Script) draw(r llm.Request) (turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(r)
}
