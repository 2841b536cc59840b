package openai_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// outcome is what a caller must see of a fault.
type outcome struct {
	Kind   llm.Kind
	Status int
	Wait   time.Duration
	Text   string // what there is of the answer
	Finish llm.FinishReason
}

var clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

// matrix is each fault and what must come of it, over HTTP and in process alike.
var matrix = map[string]struct {
	fault llmtest.Fault
	want  outcome
}{
	"400":                 {llmtest.Fault{Status: 400}, outcome{Kind: llm.KindInvalid, Status: 400}},
	"401":                 {llmtest.Fault{Status: 401}, outcome{Kind: llm.KindAuth, Status: 401}},
	"403":                 {llmtest.Fault{Status: 403}, outcome{Kind: llm.KindAuth, Status: 403}},
	"404":                 {llmtest.Fault{Status: 404}, outcome{Kind: llm.KindInvalid, Status: 404}},
	"413":                 {llmtest.Fault{Status: 413}, outcome{Kind: llm.KindOverflow, Status: 413}},
	"no such model":       {llmtest.Fault{Kind: llmtest.FaultNoModel}, outcome{Kind: llm.KindInvalid, Status: 404}},
	"429 without header":  {llmtest.Fault{Status: 429}, outcome{Kind: llm.KindRateLimited, Status: 429}},
	"429 seconds":         {llmtest.Fault{Status: 429, RetryAfter: "7"}, outcome{Kind: llm.KindRateLimited, Status: 429, Wait: 7 * time.Second}},
	"429 an hour":         {llmtest.Fault{Status: 429, RetryAfter: "3600"}, outcome{Kind: llm.KindRateLimited, Status: 429, Wait: time.Hour}},
	"429 milliseconds":    {llmtest.Fault{Status: 429, RetryAfterMs: 1500}, outcome{Kind: llm.KindRateLimited, Status: 429, Wait: 1500 * time.Millisecond}},
	"429 date":            {llmtest.Fault{Status: 429, RetryAfterDateS: 9}, outcome{Kind: llm.KindRateLimited, Status: 429, Wait: 9 * time.Second}},
	"429 nonsense":        {llmtest.Fault{Status: 429, RetryAfter: "soon"}, outcome{Kind: llm.KindRateLimited, Status: 429}},
	"quota":               {llmtest.Fault{Kind: llmtest.FaultQuota}, outcome{Kind: llm.KindAuth, Status: 429}},
	"500":                 {llmtest.Fault{Status: 500}, outcome{Kind: llm.KindTransient, Status: 500}},
	"502":                 {llmtest.Fault{Status: 502}, outcome{Kind: llm.KindTransient, Status: 502}},
	"503 seconds":         {llmtest.Fault{Status: 503, RetryAfter: "3"}, outcome{Kind: llm.KindTransient, Status: 503, Wait: 3 * time.Second}},
	"529":                 {llmtest.Fault{Status: 529}, outcome{Kind: llm.KindTransient, Status: 529}},
	"context length":      {llmtest.Fault{Kind: llmtest.FaultOverflow}, outcome{Kind: llm.KindOverflow, Status: 400}},
	"reset":               {llmtest.Fault{Kind: llmtest.FaultReset}, outcome{Kind: llm.KindTransient}},
	"html":                {llmtest.Fault{Kind: llmtest.FaultHTML}, outcome{Kind: llm.KindInvalid}},
	"malformed":           {llmtest.Fault{Kind: llmtest.FaultMalformed}, outcome{Kind: llm.KindTruncated}},
	"empty choices":       {llmtest.Fault{Kind: llmtest.FaultEmptyChoices}, outcome{Kind: llm.KindTruncated}},
	"cut at once":         {llmtest.Fault{Kind: llmtest.FaultCut}, outcome{Kind: llm.KindTruncated}},
	"end at once":         {llmtest.Fault{Kind: llmtest.FaultEnd}, outcome{Kind: llm.KindTruncated}},
	"cut in the middle":   {llmtest.Fault{Kind: llmtest.FaultCut, AfterBytes: 400}, outcome{Kind: llm.KindTruncated, Text: "This answer is b"}},
	"end in the middle":   {llmtest.Fault{Kind: llmtest.FaultEnd, AfterBytes: 400}, outcome{Kind: llm.KindTruncated, Text: "This answer is b"}},
	"error in the middle": {llmtest.Fault{Kind: llmtest.FaultMidError, AfterBytes: 400}, outcome{Kind: llm.KindTransient, Text: "This answer is b"}},
	"length": {llmtest.Fault{Kind: llmtest.FaultLength},
		outcome{Kind: llm.KindLength, Text: "This answer is broken off on purpose.", Finish: llm.FinishLength}},
	"filter": {llmtest.Fault{Kind: llmtest.FaultFilter},
		outcome{Kind: llm.KindRefused, Text: "This answer is broken off on purpose.", Finish: llm.FinishFilter}},
}

func TestFaults_AreTheSameStreamedAndWhole(t *testing.T) {
	t.Parallel()
	for name, test := range matrix {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entry := llmtest.Entry{Fault: &test.fault, Times: 2}
			script, base := scripted(t, entry)
			script.Now = now
			c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "scripted", Now: now})
			defer c.Close()
			for way, model := range map[string]llm.Model{"HTTP": c, "in process": script.Model()} {
				response, err := model.Complete(t.Context(), ask("n"), nil)
				failed := failure(t, err)
				got, want := outcome{failed.Kind, failed.Status, failed.RetryAfter, response.Text, response.Finish}, test.want
				if way == "in process" && test.fault.AfterBytes > 0 {
					want.Text = "" // it has no bytes, and so no part of an answer
				}
				require.Empty(t, cmp.Diff(want, got), "%s: %v", way, err)
			}
			require.NoError(t, script.Verify())
		})
	}
}

// TestFaults_ThenAnAnswer puts each fault before the first, a middle and the last call of a run of three.
func TestFaults_ThenAnAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range matrix {
		helped := test.want.Kind == llm.KindTransient || test.want.Kind == llm.KindTruncated ||
			test.want.Kind == llm.KindRateLimited && test.want.Wait < time.Hour
		for faulty := range 3 {
			t.Run(fmt.Sprintf("%s/call %d", name, faulty+1), func(t *testing.T) {
				t.Parallel()
				var entries []llmtest.Entry
				for call := range 3 {
					if call == faulty {
						entries = append(entries, llmtest.Entry{Match: at(call), Fault: &test.fault})
					}
					if call != faulty || helped {
						entries = append(entries, llmtest.Entry{Match: at(call), Reply: &llmtest.Reply{Text: fmt.Sprint("answer ", call)}})
					}
				}
				script, base := scripted(t, entries...)
				script.Now = now
				c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "scripted", Now: now, TagRequests: true})
				defer c.Close()
				model := llm.Retry(c, llm.Policy{Sleep: func(_ context.Context, d time.Duration) error {
					require.GreaterOrEqual(t, d, test.want.Wait)
					return nil
				}})
				for call := range 3 {
					response, err := model.Complete(t.Context(), ask(at(call).Node), nil)
					if call == faulty && !helped {
						require.Equal(t, test.want.Kind, failure(t, err).Kind)
						continue
					}
					require.NoError(t, err)
					require.Equal(t, fmt.Sprint("answer ", call), response.Text)
				}
				require.NoError(t, script.Verify())
			})
		}
	}
}

func at(call int) llmtest.Match { return llmtest.Match{Node: fmt.Sprint("call", call)} }

const long = `{"files":[{"path":"slug.go","text":"package slug\n\n// Slugify lowers, and joins words with dashes: “É à” → e-a.\n"}]}`

func TestFaults_TheFormOfTheStreamChangesNothing(t *testing.T) {
	t.Parallel()
	for name, wire := range map[string]llmtest.Wire{
		"split characters": {SplitBytes: 1}, "CRLF": {CRLF: true}, "comments": {Comments: true}, "all": {SplitBytes: 3, CRLF: true, Comments: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, base := scripted(t, llmtest.Entry{Times: 2, Reply: &llmtest.Reply{Text: long, Wire: wire}})
			var pieces [2][]string
			var responses [2]llm.Response
			for i, model := range []llm.Model{client(t, base), script.Model()} {
				var err error
				responses[i], err = model.Complete(t.Context(), ask("n"), func(piece string) { pieces[i] = append(pieces[i], piece) })
				require.NoError(t, err)
				responses[i].Latency = 0
			}
			require.Equal(t, long, responses[0].Text) //nolint:testifylint // byte for byte
			require.Empty(t, cmp.Diff(responses[0], responses[1]))
			require.Empty(t, cmp.Diff(pieces[0], pieces[1]))
		})
	}
}

func TestFaults_AModelIsFoundOnLoopback(t *testing.T) {
	t.Parallel()
	_, base := scripted(t, llmtest.Entry{Reply: &llmtest.Reply{Text: "a"}})
	models, err := client(t, base).Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{llmtest.DefaultModel}, models)
}
