package cli

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// tunnel is a proxy that leads every CONNECT to one place, and counts what it is asked.
type tunnel struct {
	*httptest.Server
	asked atomic.Int64
}

func newTunnel(t *testing.T, target string) *tunnel {
	t.Helper()
	p := &tunnel{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		upstream, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", target)
		if r.Method != http.MethodConnect || err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		var both sync.WaitGroup
		both.Go(func() { _, _ = io.Copy(upstream, buffered); _ = upstream.Close() })
		both.Go(func() { _, _ = io.Copy(client, upstream); _ = client.Close() })
		both.Wait()
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *tunnel) count() int64 { return p.asked.Load() }

// pemOf is a certificate as files have it.
func pemOf(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }

func silentLog() *log.Logger { return log.New(io.Discard, "", 0) }
