package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"forge/engine/sandbox"
)

// dialogue is a running server of the Language Server Protocol. Its goroutine ends with close.
type dialogue struct {
	input    *io.PipeWriter
	heard    *heard
	settings map[string]any // what the server gets of a section that it asks for
	kill     context.CancelFunc
	asked    int
	ended    chan struct{}

	result sandbox.Result // valid once ended is closed
	err    error          // likewise
}

// message is a request, a notification or an answer, in both directions.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
}

// answer is a message of the server.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// errEnded means that the server has ended, or was stopped at its time limit.
var errEnded = errors.New("the server has ended")

// open starts a server in a folder of the tree.
func (s Servers) open(ctx context.Context, c sandbox.Command, settings map[string]any) *dialogue {
	ctx, kill := context.WithCancel(ctx)
	reader, input := io.Pipe()
	d := &dialogue{input: input, heard: newHeard(kill), settings: settings, kill: kill, ended: make(chan struct{})}
	c.Stdin, c.OnOutput, c.MaxOutput = reader, d.heard.receive, 64<<10
	go func() {
		defer close(d.ended)
		d.result, d.err = s.start(ctx, c)
		_ = reader.Close() // a pending Write returns
	}()
	return d
}

// close ends the server and waits for its process.
func (d *dialogue) close() {
	d.kill()
	_ = d.input.Close()
	<-d.ended
}

// notify sends a notification.
func (d *dialogue) notify(method string, params any) error {
	return d.send(message{Method: method, Params: params})
}

// ask sends a request and waits for its answer. seen receives the notifications until then; nil ignores them.
func (d *dialogue) ask(method string, params any, seen func(answer)) (answer, error) {
	d.asked++
	id := json.RawMessage(strconv.Itoa(d.asked))
	if err := d.send(message{ID: id, Method: method, Params: params}); err != nil {
		return answer{}, err
	}
	for {
		a, err := d.next()
		switch {
		case err != nil:
			return answer{}, err
		case a.Method == "" && bytes.Equal(a.ID, id):
			return a, nil
		case a.Method != "" && a.ID == nil && seen != nil:
			seen(a)
		}
	}
}

// next returns the server's next message, and answers it if it is a request.
func (d *dialogue) next() (answer, error) {
	body, err := d.heard.message(d.ended)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, fmt.Errorf("understand the server: %w", err)
	}
	if a.Method == "" || a.ID == nil {
		return a, nil
	}
	var given any = json.RawMessage("null")
	if a.Method == "workspace/configuration" {
		given = d.sections(a.Params)
	}
	return a, d.send(message{ID: a.ID, Result: given})
}

// sections returns the settings that the server asks for: one value for each section.
func (d *dialogue) sections(params json.RawMessage) []any {
	var asked struct{ Items []struct{ Section string } }
	_ = json.Unmarshal(params, &asked) // no items need no values
	given := make([]any, len(asked.Items))
	for i, item := range asked.Items {
		given[i] = d.settings[item.Section]
	}
	return given
}

func (d *dialogue) send(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return d.write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (d *dialogue) write(text []byte) error {
	_, err := d.input.Write(text)
	if errors.Is(err, io.ErrClosedPipe) {
		return errEnded
	}
	return err
}

// failure returns why a server does not answer. limit is its time limit.
func (d *dialogue) failure(name string, limit time.Duration, err error) string {
	d.close()
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(d.err, &missing):
		return missing.Error()
	case d.result.TimedOut:
		return fmt.Sprintf("%s did not answer within %v", name, limit)
	case !errors.Is(err, errEnded):
		return fmt.Sprintf("%s did not answer: %v", name, err)
	}
	return name + " did not answer: " + cmp.Or(firstLine(string(d.result.Stderr)), "it ended")
}

// maxHeard limits what is kept of a server's output until it is read.
const maxHeard = 64 << 20

// heard keeps the output of a server until it is read. It never blocks the server; full is called when there is too much.
type heard struct {
	full func()
	more chan struct{} // has a value after more was heard

	mu   sync.Mutex // guards data
	data []byte
}

func newHeard(full func()) *heard { return &heard{full: full, more: make(chan struct{}, 1)} }

// receive appends a part.
func (h *heard) receive(part []byte) {
	h.mu.Lock()
	fits := len(h.data)+len(part) <= maxHeard
	if fits {
		h.data = append(h.data, part...)
	}
	h.mu.Unlock()
	if !fits {
		h.full()
		return
	}
	select {
	case h.more <- struct{}{}:
	default:
	}
}

// message waits for a whole message, and returns its body. ended is closed when no more will be heard.
func (h *heard) message(ended <-chan struct{}) ([]byte, error) {
	for over := false; ; {
		if body, whole := h.take(); whole {
			return body, nil
		}
		if over {
			return nil, errEnded
		}
		select {
		case <-h.more:
		case <-ended:
			over = true
		}
	}
}

// take returns the body of the first message, if it is whole. Lines before a header are no part of a message.
func (h *heard) take() (body []byte, whole bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const header, end = "Content-Length: ", "\r\n\r\n"
	at := bytes.Index(h.data, []byte(header))
	if at < 0 {
		return nil, false
	}
	head, rest, found := bytes.Cut(h.data[at+len(header):], []byte(end))
	if !found {
		return nil, false
	}
	digits, _, _ := bytes.Cut(head, []byte("\r\n"))
	length, err := strconv.Atoi(string(digits))
	if err != nil || length < 0 || length > len(rest) {
		return nil, false
	}
	h.data = rest[length:]
	return rest[:length:length], true
}
