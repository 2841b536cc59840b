package lsptest

// Answering returns how a request of the server is answered now, so that a test can wrap it: delay it,
// do a part of it, or only pretend.
func (e *Editor) Answering(method string) Answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.handlers[method]
}
