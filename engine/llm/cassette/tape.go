package cassette

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// heeded are the headers of a response that adapters heed.
var heeded = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "Location"}

// tape is the recording of one exchange.
type tape struct {
	recorder *Recorder
	began    time.Time // until the header has come; then that moment
	secrets  []string
	exchange exchange

	body io.ReadCloser
	end  sync.Once
}

type tapeKey struct{}

func withTape(ctx context.Context, t *tape) context.Context {
	return context.WithValue(ctx, tapeKey{}, t)
}

// tape begins to record a response.
func (r *Recorder) tape(response *http.Response) error {
	t, ok := response.Request.Context().Value(tapeKey{}).(*tape)
	if !ok {
		return errors.New("a response to no request")
	}
	now := r.now()
	t.exchange.Status, t.exchange.WaitMs = response.StatusCode, now.Sub(t.began).Milliseconds()
	t.exchange.Header = map[string]string{}
	for _, name := range heeded {
		if value := response.Header.Get(name); value != "" {
			t.exchange.Header[name] = string(t.clean([]byte(value)))
		}
	}
	t.began, t.body = now, response.Body
	response.Body = t
	return nil
}

// Read implements io.Reader: what passes is noted.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.exchange.Body = append(t.exchange.Body, newPiece(t.recorder.now().Sub(t.began).Milliseconds(), p[:n]))
	}
	if err != nil {
		t.exchange.Broken = !errors.Is(err, io.EOF)
		t.finish()
	}
	return n, err
}

// Close ends the recording. A response that was not read to its end was given up by the client.
func (t *tape) Close() error {
	t.end.Do(func() {
		t.exchange.Broken = true
		t.save()
	})
	return t.body.Close()
}

func (t *tape) finish() { t.end.Do(t.save) }

func (t *tape) save() {
	t.redact()
	_ = t.recorder.write(t.exchange) // Err says it
}

// redact takes the keys out of the body. Where one is, the body becomes one piece: the key may stand in two.
func (t *tape) redact() {
	var whole []byte
	for _, p := range t.exchange.Body {
		whole = append(whole, p.data()...)
	}
	if clean := t.clean(whole); !bytes.Equal(clean, whole) {
		t.exchange.Body = []piece{newPiece(t.exchange.Body[0].Ms, clean)}
	}
}

// clean takes the keys out of a text. One of fewer than four bytes is a placeholder, as local servers want one.
func (t *tape) clean(text []byte) []byte {
	for _, secret := range t.secrets {
		if len(secret) < 4 {
			continue
		}
		text = bytes.ReplaceAll(text, []byte(secret), []byte("[key]"))
		if escaped, err := json.Marshal(secret); err == nil { // as it stands in a document
			text = bytes.ReplaceAll(text, escaped[1:len(escaped)-1], []byte("[key]"))
		}
	}
	return text
}
