package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/engine/spend"
)

// delivery is how answers come.
type delivery string

const (
	stream   delivery = "stream"
	sync_    delivery = "sync"
	batched  delivery = "batch"
	patience          = 30 * time.Second // of both time-outs
)

// formats make an adapter of each.
var formats = map[string]func(wire.Options) llm.Model{
	"openai":    func(o wire.Options) llm.Model { o.BaseURL += "/v1"; return openai.New(o) },
	"anthropic": func(o wire.Options) llm.Model { return anthropic.New(o) },
	"ollama":    func(o wire.Options) llm.Model { return ollama.New(ollama.Options{Options: o, Window: 8192}) },
}

// answer is the plain one; right is the one that is spoiled.
const answer = "This is the whole answer, and it is longer than one piece: “É à” 😀."

type reply struct {
	Reason string `json:"reason"`
	Done   bool   `json:"done"`
}

var right = reply{"fine", true}

// totals count what must never happen.
type totals struct {
	partial    int // parts of an answer that were taken for the whole
	early      int // calls before a moment that a provider named
	open       int // calls while a breaker was open, beyond the one probe
	multiplied int // calls of a provider beyond those that the one retry loop made
	calls      int // in all
}

func (t *totals) add(o totals) {
	t.partial += o.partial
	t.early += o.early
	t.open += o.open
	t.multiplied += o.multiplied
	t.calls += o.calls
}

// stack is what stands between a step and the provider, in the order of the comment of package llm. A twin replaces parts.
type stack struct {
	breakers llm.Breakers
	limits   llm.Limits
	learned  llm.Learned
	policy   llm.Policy
	attempts atomic.Int64 // that reached the adapter

	around func(llm.Model) llm.Model // of a twin: right around the adapter
	above  func(llm.Model) llm.Model // of a twin: around everything
	open   bool                      // of a twin: there is neither a breaker nor a limit
}

// wrap puts the stack around an adapter, or around a batch service.
func (s *stack) wrap(c llm.Candidate, adapter llm.Model, ledger *spend.Ledger) llm.Model {
	m := adapter
	if s.around != nil {
		m = s.around(m)
	}
	m = s.learned.Degrade(c.Provider, c.ID, counted{m, &s.attempts})
	if !s.open && c.Batch == nil { // a job is many requests, and no probe of a breaker
		m = s.breakers.Breaker(c.Provider, c.ID, s.limits.Limit(c.Provider, c.Rate, m))
	}
	m = spend.Wall(m, spend.Account{
		Ledger: ledger, Attempt: spend.Attempt{Tree: "run", Run: "run", Provider: c.Provider, Model: c.ID}, Window: 8192,
	})
	m = llm.Retry(m, s.policy)
	if s.above != nil {
		m = s.above(m)
	}
	return m
}

// counted counts the calls of an adapter.
type counted struct {
	llm.Model
	count *atomic.Int64
}

func (c counted) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	c.count.Add(1)
	return c.Model.Complete(ctx, q, onDelta)
}

// bench is where runs are made: a provider, a ledger and a batch service.
type bench struct {
	server  *server
	format  string
	way     delivery
	ledger  *spend.Ledger
	harness *batch.Queue
	runs    int
}

func newBench(t *testing.T, format string, way delivery) *bench {
	t.Helper()
	b := &bench{server: serve(t), format: format, way: way}
	dir := t.TempDir()
	var err error
	b.ledger, err = spend.Open(t.Context(), filepath.Join(dir, "cost.db"), spend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.ledger.Close()) })
	if way == batched {
		b.harness, err = batch.Open(t.Context(), filepath.Join(dir, "batch.db"), batch.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, b.harness.Close()) })
	}
	return b
}

// model is the stack around the format's adapter, with no connection from before.
func (b *bench) model(s *stack) llm.Model {
	adapter := formats[b.format](wire.Options{
		BaseURL: "http://127.0.0.1", Key: "sk-canary", Model: llmtest.DefaultModel, HTTP: &http.Client{Transport: b.server.transport},
		HeaderTimeout: patience, IdleTimeout: patience, TagRequests: true,
	})
	c := llm.Candidate{Model: adapter, Provider: b.format, ID: llmtest.DefaultModel}
	if b.way != batched {
		return s.wrap(c, adapter, b.ledger)
	}
	c.Batch, _ = adapter.(llm.Batcher)
	return s.wrap(c, b.harness.Model(c, batch.Waiter{}), b.ledger)
}

// fate is what must become of the call that meets the fault.
func (b *bench) fate(f fault) fate {
	if b.way == batched {
		return f.batch
	}
	return f.fate
}

// has says whether there is such a fault in this format and delivery.
func (b *bench) has(f fault) bool {
	if f.notOf == b.format {
		return false
	}
	if b.way == batched {
		return !f.never
	}
	return !f.only
}

// script is what the provider says to one call, which meets the fault or does not.
func (b *bench) script(f fault, faulty bool) (*llmtest.Script, error) {
	plain := &llmtest.Reply{Text: answer}
	entries := []llmtest.Entry{{Reply: plain}}
	if f.reply != nil && faulty && f.fault == nil {
		entries[0].Reply = f.reply
	}
	if f.fault != nil && faulty {
		e := llmtest.Entry{Fault: f.fault}
		if b.way == batched && f.call != "" {
			e.Match.Call = f.call
		} else if f.fault.Status == 0 && breaks(f.fault.Kind) {
			if e.Reply = plain; f.reply != nil {
				e.Reply = f.reply
			}
		}
		entries = append([]llmtest.Entry{e}, entries...)
		want := b.fate(f)
		if want.kind != "" && (want.asked == 0 || e.Match.Call == "") {
			entries = entries[:1]
		}
	}
	s, err := llmtest.New(entries...)
	if err == nil {
		s.Batch = llmtest.Batch{Polls: -1, TakesS: 60}
	}
	return s, err
}

func breaks(kind llmtest.FaultKind) bool {
	switch kind {
	case llmtest.FaultCut, llmtest.FaultEnd, llmtest.FaultHang, llmtest.FaultMidError, llmtest.FaultLength, llmtest.FaultFilter:
		return true
	default:
		return false
	}
}

// run makes three calls, of which one meets the fault, and returns what became of that one.
func (b *bench) run(t *testing.T, f fault, faulty int, s *stack) (fate, totals, error) {
	t.Helper()
	b.runs++
	m := b.model(s)
	var met fate
	var counted totals
	b.server.until, b.server.early = time.Time{}, 0
	for call := range 3 {
		script, err := b.script(f, call == faulty)
		require.NoError(t, err)
		b.server.play(script)
		if call == faulty {
			b.meet(f)
		}
		asked, attempts := len(b.server.asked), s.attempts.Load()
		response, err := m.Complete(t.Context(), b.request(f, call), nil)
		counted.add(b.count(f, call == faulty, response, err, script))
		reached, made := len(b.server.asked)-asked, int(s.attempts.Load()-attempts)
		if b.way != batched {
			counted.calls += reached
			counted.multiplied += max(0, reached-made)
		} else {
			counted.calls += len(script.Requests())
			counted.multiplied += max(0, len(script.Requests())-made)
		}
		if call == faulty {
			met = fate{kindOf(err), len(script.Requests())}
			counted.multiplied += max(0, len(script.Requests())-max(1, b.fate(f).asked))
			if err := script.Verify(); err != nil && s.above == nil && s.around == nil {
				return met, counted, err
			}
			continue
		}
		waits := time.Now().Before(b.server.until) && kindOf(err) == llm.KindRateLimited && reached == 0
		if err != nil && !waits {
			return met, counted, fmt.Errorf("call %d, which meets no fault: %w", call+1, err)
		}
	}
	counted.early = b.server.early
	return met, counted, nil
}

// meet prepares for the call that meets the fault.
func (b *bench) meet(f fault) {
	if f.refused {
		b.server.transport.CloseIdleConnections()
		b.server.network.refusals = 1
	}
	if f.wait > 0 {
		b.server.onFault(f.wait)
	}
}

func (b *bench) request(f fault, call int) llm.Request {
	r := llm.Request{
		Node: "executor", Attempt: 1, Key: fmt.Sprintf("run %d, call %d", b.runs, call), Temperature: 0.7, MaxTokens: 512,
		Messages: []llm.Message{{Role: llm.User, Text: fmt.Sprintf("This is call %d.", call)}}, Whole: b.way != stream,
	}
	if f.tools {
		r.Tools = []llm.ToolDef{{Name: "search", Description: "Finds.", Schema: []byte(`{"type":"object","properties":{"query":{"type":"string"}}}`)}}
	}
	return r
}

// count counts a part that was taken for the whole: an answer that is not the one that was given.
func (b *bench) count(f fault, faulty bool, response llm.Response, err error, script *llmtest.Script) (counted totals) {
	if err != nil {
		return counted
	}
	want := answer
	if faulty && f.reply != nil && f.fault == nil {
		want = wholeText(script, *f.reply)
	}
	calls := 0
	if faulty && f.reply != nil {
		calls = len(f.reply.ToolCalls)
	}
	if response.Text != want || len(response.Calls) != calls {
		counted.partial++
	}
	if faulty && f.decodes != "" {
		var got reply
		if decoded := llm.Decode(response.Text, &got) == nil; decoded != (f.decodes == read) || decoded && got != right {
			counted.partial++
		}
	}
	return counted
}

// wholeText is the text of a reply, as the script says it in process.
func wholeText(_ *llmtest.Script, r llmtest.Reply) string {
	s, err := llmtest.New(llmtest.Entry{Reply: &llmtest.Reply{
		Text: r.Text, JSON: r.JSON, Stream: r.Stream, Corrupt: r.Corrupt, Refusal: r.Refusal, ToolCalls: r.ToolCalls,
	}})
	if err != nil {
		return err.Error()
	}
	tools := []llm.ToolDef{{Name: "search"}}
	response, _ := s.Model().Complete(context.Background(), llm.Request{Whole: true, Tools: tools}, nil)
	return response.Text
}

func kindOf(err error) llm.Kind {
	var failure *llm.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure):
		return failure.Kind
	default:
		return llm.Kind(strings.ReplaceAll(err.Error(), "\n", " "))
	}
}
