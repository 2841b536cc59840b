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

// heeded are the headers of a response that adapters use.
var heeded = []string{"Content-Type", "Retry-After", "Retry-After-Ms", "Location"}

// tape is the recording of one exchange.
type tape struct {
	recorder *Recorder
	began    time.Time // before the header: the start; after it: the time of the header
	secrets  []string
	exchange exchange

	body io.ReadCloser
	end  sync.Once
}

type tapeKey struct{}

func withTape(ctx context.Context, t *tape) context.Context {
	return context.WithValue(ctx, tapeKey{}, t)
}

// tape starts to record a response.
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

// Read implements io.Reader and records the data.
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

// Close ends the recording. A response that was not read to its end was cancelled by the client.
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
	_ = t.recorder.write(t.exchange) // Err returns the error
}

// redact removes the keys from the body. A body with a key becomes one piece, because pieces may split the key.
func (t *tape) redact() {
	var whole []byte
	for _, p := range t.exchange.Body {
		whole = append(whole, p.data()...)
	}
	if clean := t.clean(whole); !bytes.Equal(clean, whole) {
		t.exchange.Body = []piece{newPiece(t.exchange.Body[0].Ms, clean)}
	}
}

// clean removes the keys from a text. A key of fewer than four bytes is a placeholder for local servers.
func (t *tape) clean(text []byte) []byte {
	for _, secret := range t.secrets {
		if len(secret) < 4 {
			continue
		}
		text = bytes.ReplaceAll(text, []byte(secret), []byte("[key]"))
		if escaped, err := json.Marshal(secret); err == nil { // its form in a document
			text = bytes.ReplaceAll(text, escaped[1:len(escaped)-1], []byte("[key]"))
		}
	}
	return text
}
