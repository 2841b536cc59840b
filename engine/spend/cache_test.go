package spend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/spend"
)

// asked is a model that counts who asks it.
type asked struct {
	calls  atomic.Int64
	answer llm.Response
	err    error
}

func (a *asked) Name() string { return "asked" }

func (a *asked) Complete(context.Context, llm.Request, func(string)) (llm.Response, error) {
	a.calls.Add(1)
	return a.answer, a.err
}

func openCache(t *testing.T, file string, o spend.CacheOptions) *spend.Cache {
	t.Helper()
	c, err := spend.OpenCache(t.Context(), file, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func text(s string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: s}}}
}

var good = llm.Response{Text: "yes", Finish: llm.FinishStop, Usage: llm.Usage{Input: 9}, Cost: llm.Cost{MicroUSD: 5}, Model: "m-1"}

func TestCache_SendsTheSameRequestOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cache.db")
	model, candidate := &asked{answer: good}, llm.Candidate{Provider: "p", ID: "m"}
	c := openCache(t, file, spend.CacheOptions{})
	first, err := c.Around(candidate, model).Complete(t.Context(), text("a"), nil)
	require.NoError(t, err)
	require.Equal(t, good, first)
	same := text("a")
	same.Key, same.Node, same.Attempt = "other", "other", 7
	for name, other := range map[string]*spend.Cache{"in memory": c, "in the file": openCache(t, file, spend.CacheOptions{})} {
		var shown []string
		again, err := other.Around(candidate, model).Complete(t.Context(), same, func(s string) { shown = append(shown, s) })
		require.NoError(t, err, name)
		require.True(t, again.Cached)
		require.Equal(t, "yes", again.Text)
		require.Equal(t, "m-1", again.Model)
		require.Zero(t, again.Usage)
		require.Zero(t, again.Cost)
		require.Equal(t, []string{"yes"}, shown)
	}
	require.EqualValues(t, 1, model.calls.Load())
	for _, other := range []llm.Candidate{{Provider: "q", ID: "m"}, {Provider: "p", ID: "n"}, {Provider: "p1", ID: ""}} {
		_, err := c.Around(other, model).Complete(t.Context(), text("a"), nil)
		require.NoError(t, err)
	}
	require.EqualValues(t, 4, model.calls.Load(), "the twin: another model answers for itself")

	n, err := c.Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
	_, err = c.Around(candidate, model).Complete(t.Context(), text("a"), nil)
	require.NoError(t, err)
	require.EqualValues(t, 5, model.calls.Load(), "it is clear")
}

func TestCache_SkipsUncacheableAnswers(t *testing.T) {
	t.Parallel()
	failing := func(kind llm.Kind) *asked {
		return &asked{answer: good, err: &llm.Error{Kind: kind, Err: errors.New("no")}}
	}
	finished := func(f llm.FinishReason) *asked { return &asked{answer: llm.Response{Text: "y", Finish: f}} }
	for name, c := range map[string]struct {
		model  *asked
		change func(*llm.Request)
	}{
		"with a temperature":         {&asked{answer: good}, func(q *llm.Request) { q.Temperature = 0.1 }},
		"at the model's temperature": {&asked{answer: good}, func(q *llm.Request) { q.OwnTemperature = true }},
		"with thinking":              {&asked{answer: good}, func(q *llm.Request) { q.Thinking = 1 }},
		"with a tool to call":        {&asked{answer: good}, func(q *llm.Request) { q.UseTool = llm.AnyTool }},
		"refused":                    {failing(llm.KindRefused), nil},
		"too long":                   {failing(llm.KindLength), nil},
		"cut off":                    {failing(llm.KindTruncated), nil},
		"ended by length":            {finished(llm.FinishLength), nil},
		"asking for tools":           {finished(llm.FinishTools), nil},
		"a secret":                   {&asked{answer: llm.Response{Text: "sk-secret", Finish: llm.FinishStop}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := openCache(t, filepath.Join(t.TempDir(), "cache.db"), spend.CacheOptions{
				Secret: func(s string) bool { return strings.Contains(s, "secret") },
			})
			q := text("a")
			if c.change != nil {
				c.change(&q)
			}
			for range 2 {
				answer, _ := kept.Around(llm.Candidate{}, c.model).Complete(t.Context(), q, nil)
				require.False(t, answer.Cached)
			}
			require.EqualValues(t, 2, c.model.calls.Load())
			n, err := kept.Clear(t.Context())
			require.NoError(t, err)
			require.Zero(t, n)
		})
	}
}

// The file does not grow past its size: what was not used for longest goes first.
func TestCache_TheOldestGoesFirst(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	file := filepath.Join(t.TempDir(), "cache.db")
	o := spend.CacheOptions{Bytes: 1000, Now: func() time.Time { now = now.Add(time.Second); return now }}
	model := &asked{answer: llm.Response{Text: strings.Repeat("x", 200), Finish: llm.FinishStop}}
	put := func(s string) bool {
		other := openCache(t, file, o) // without memory
		answer, err := other.Around(llm.Candidate{}, model).Complete(t.Context(), text(s), nil)
		require.NoError(t, err)
		require.NoError(t, other.Close())
		return answer.Cached
	}
	require.False(t, put("a"))
	require.False(t, put("b"))
	require.False(t, put("c"))
	require.True(t, put("a"), "used again")
	require.False(t, put("d"))
	require.True(t, put("a"))
	require.False(t, put("b"), "it had to go")
	model.answer.Text = strings.Repeat("x", 2000)
	require.False(t, put("large"))
	require.False(t, put("large"), "what is larger than the file may be is not kept")
}

func TestCache_ClearedByAnotherProcessHasNoAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cache.db")
	c, model := openCache(t, file, spend.CacheOptions{}), &asked{answer: good}
	ask := func() bool {
		answer, err := c.Around(llm.Candidate{}, model).Complete(t.Context(), text("q"), nil)
		require.NoError(t, err)
		return answer.Cached
	}
	require.False(t, ask())
	require.True(t, ask())
	n, err := openCache(t, file, spend.CacheOptions{}).Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.False(t, ask())
}

// A cache whose file is gone costs money, but no call, and is complained of once.
func TestCache_FailureFailsNoCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told []string
	c := openCache(t, filepath.Join(dir, "cache.db"), spend.CacheOptions{Note: func(s string) { told = append(told, s) }})
	require.NoError(t, os.RemoveAll(dir))
	model := &asked{answer: good}
	for i := range 3 {
		answer, err := c.Around(llm.Candidate{}, model).Complete(t.Context(), text(fmt.Sprint(i)), nil)
		require.NoError(t, err)
		require.False(t, answer.Cached)
	}
	require.Len(t, told, 1)
	require.Contains(t, told[0], "cannot be kept")
}

func TestCache_ManyAskAtOnce(t *testing.T) {
	t.Parallel()
	c, model := openCache(t, filepath.Join(t.TempDir(), "cache.db"), spend.CacheOptions{}), &asked{answer: good}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			answer, err := c.Around(llm.Candidate{}, model).Complete(t.Context(), text(fmt.Sprint(i%4)), nil)
			if err != nil || answer.Text != "yes" {
				t.Errorf("%v %v", answer, err)
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, model.calls.Load(), int64(64))
	before := model.calls.Load()
	_, err := c.Around(llm.Candidate{}, model).Complete(t.Context(), text("0"), nil)
	require.NoError(t, err)
	require.Equal(t, before, model.calls.Load())
}
