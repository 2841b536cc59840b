package wire

import (
	"io"
	"mime"
	"net/http"
)

// WholeError means that one document arrived instead of a stream: some gateways that cannot stream answer like this, with
// the matching header. The document is complete and reports no error; the adapter decides whether it is an answer.
type WholeError struct{ Document []byte }

// Error returns a message without the document.
func (e *WholeError) Error() string { return "the server sent one JSON document instead of a stream" }

// streams reports whether a framing is a stream.
func (f Framing) streams() bool { return f == Events || f == NamedEvents }

// isDocument reports whether a response declares itself as one JSON document.
func isDocument(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// asWhole reads a document, and returns it as an error.
func (s *Server) asWhole(body io.ReadCloser) error {
	defer body.Close() //nolint:errcheck // read to its end, or useless
	document, err := io.ReadAll(newDocument(body, s.stray))
	if err != nil {
		return err
	}
	return &WholeError{document}
}
