package llmtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// maxRequest bounds a request's body, in bytes.
const maxRequest = 32 << 20

// chat answers requests of one format, or lets them fail as the script says.
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
	_, _ = w.Write(document) // who asked may be gone
}
