package wire

import (
	"io"
	"mime"
	"net/http"
)

// WholeError says that one document came where a stream was asked for: some gateways answer so where they cannot stream, and
// say so in the header. The document is whole and reports no error; whether it is an answer, the adapter knows.
type WholeError struct{ Document []byte }

// Error says what came.
func (e *WholeError) Error() string { return "one JSON document came instead of a stream" }

// streams reports whether a framing is one of a stream.
func (f Framing) streams() bool { return f == Events || f == NamedEvents }

// isDocument reports whether a response calls itself one JSON document.
func isDocument(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// asWhole reads a document, and gives it as an error.
func (s *Server) asWhole(body io.ReadCloser) error {
	defer body.Close() //nolint:errcheck // it was read to its end, or is of no use
	document, err := io.ReadAll(newDocument(body, s.stray))
	if err != nil {
		return err
	}
	return &WholeError{document}
}
