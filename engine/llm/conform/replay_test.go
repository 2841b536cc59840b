package conform_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/wire"
)

// replay is a transport that returns a server's recorded answer up to some byte. So an answer of 4 kB is truncated at each
// of its bytes within seconds; checks over connections cover some of them.
type replay struct {
	header http.Header
	length int64 // announced length; -1 without one
	body   []byte

	kind   llmtest.FaultKind // FaultCut or FaultEnd
	offset int               // number of bytes of the body
}

// RoundTrip implements http.RoundTripper.
func (r *replay) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Body != nil {
		_, _ = io.Copy(io.Discard, q.Body)
		_ = q.Body.Close()
	}
	response := &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), ContentLength: r.length, Request: q,
	}
	var rest io.Reader = broken{}
	if r.kind == llmtest.FaultEnd {
		rest = strings.NewReader("")
		response.Header.Del("Content-Length")
		response.ContentLength = -1
	}
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(r.body[:r.offset]), rest))
	return response, nil
}

// broken is the end of a body whose connection is lost.
type broken struct{}

// Read implements io.Reader.
func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// recording is a transport that records an answer.
type recording struct {
	inner http.RoundTripper
	kept  *replay
}

// RoundTrip implements http.RoundTripper.
func (r recording) RoundTrip(q *http.Request) (*http.Response, error) {
	response, err := r.inner.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	r.kept.header, r.kept.length, r.kept.body = response.Header.Clone(), response.ContentLength, body
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// record requests an answer once, and records it.
func (t *trial) record(reply *llmtest.Reply, r llm.Request) (*replay, error) {
	s, err := t.serve(llmtest.Entry{Reply: reply})
	if err != nil {
		return nil, err
	}
	kept := &replay{}
	m := t.model(s, func(o *wire.Options) { o.HTTP = &http.Client{Transport: recording{s.client.Transport, kept}} })
	if answer := t.ask(m, r); answer.err != nil {
		return nil, answer.err
	}
	return kept, nil
}
