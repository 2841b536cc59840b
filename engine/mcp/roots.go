package mcp

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a call waits for a server to learn which folder it may work on.
const patience = 10 * time.Second

// roots answers a server that asks which folder it may work on.
type roots struct {
	sent chan struct{} // receives, after an answer was written to the server

	mu    sync.Mutex // guards the fields below
	root  string     // empty is none
	asked bool       // the server has asked
}

func newRoots(root string) *roots { return &roots{root: root, sent: make(chan struct{}, 1)} }

// answering answers roots/list, and leaves other requests to the SDK.
func (r *roots) answering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if method != "roots/list" {
			return next(ctx, method, request)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked = true       // if notice has missed it
		all := []*sdk.Root{} //nolint:staticcheck // not null; servers of protocol 2025-11-25 ask for it
		if r.root != "" {
			all = append(all, &sdk.Root{URI: uriOf(r.root), Name: "workspace"}) //nolint:staticcheck // servers of protocol 2025-11-25 ask for it
		}
		return &sdk.ListRootsResult{Roots: all}, nil //nolint:staticcheck // servers of protocol 2025-11-25 ask for it
	}
}

// notice records a request as it arrives, before the client reads later messages. It misses a request that arrives in two parts; answering
// records that one.
func (r *roots) notice(part []byte) {
	if bytes.Contains(part, []byte(`"roots/list"`)) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asked = true
	}
}

// move changes the folder. news reports whether the server has asked for the previous one, and has to be notified.
func (r *roots) move(root string) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news = r.root != root && r.asked
	r.root = root
	if news {
		select {
		case <-r.sent: // an earlier answer
		default:
		}
	}
	return news
}

// wait waits until the answer was written to the server, if it has asked, but not longer than patience.
func (r *roots) wait(ctx context.Context) {
	r.mu.Lock()
	asked := r.asked
	r.mu.Unlock()
	if !asked {
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-r.sent:
	case <-limited.Done():
	}
}

// watching reports when an answer has been written to a server: a call must not overtake it.
type watching struct {
	io.WriteCloser
	roots *roots
}

// Write writes one message.
func (w watching) Write(message []byte) (int, error) {
	n, err := w.WriteCloser.Write(message)
	if bytes.Contains(message, []byte(`"roots":[`)) {
		select {
		case w.roots.sent <- struct{}{}:
		default:
		}
	}
	return n, err
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
