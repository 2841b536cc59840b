package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// harness is a provider of batches: it keeps what is submitted, and gives what a test lets it give.
type harness struct {
	mu      sync.Mutex
	asked   []string // method and path, with the query
	created []json.RawMessage
	jobs    map[string]string // by id: what Get and List say
	order   []string          // the newest first
	results map[string]string // by id: JSON lines
	page    int               // jobs in one page of a list
}

func job(id, status string, minutes int, counts string) string {
	return fmt.Sprintf(`{"id":%q,"type":"message_batch","processing_status":%q,"request_counts":{%s},"created_at":%q,"expires_at":%q,"archived_at":null,"results_url":null}`,
		id, status, counts, noon.Add(time.Duration(minutes)*time.Minute).Format(time.RFC3339), noon.Add(24*time.Hour).Format(time.RFC3339))
}

func (d *harness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, r.Method+" "+r.URL.RequestURI())
	path := append(strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/messages/batches"), "/"), "")
	results, kept := "", false
	if len(path) > 2 {
		results, kept = d.results[path[1]]
	}
	switch {
	case r.Method == http.MethodPost && len(path) == 2:
		var body struct{ Requests []json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&body)
		d.created = body.Requests
		_, _ = io.WriteString(w, job("msgbatch_new", "in_progress", 0, fmt.Sprintf(`"processing":%d`, len(body.Requests))))
	case len(path) == 2:
		_, _ = io.WriteString(w, d.list(r.URL.Query().Get("after_id")))
	case len(path) == 3 && d.jobs[path[1]] != "":
		_, _ = io.WriteString(w, d.jobs[path[1]])
	case path[2] == "results" && kept:
		_, _ = io.WriteString(w, results)
	case path[2] == "cancel" && d.jobs[path[1]] != "":
		_, _ = io.WriteString(w, job(path[1], "canceling", 0, `"processing":1`))
	default:
		answers(http.StatusNotFound, complaint("not_found_error", "no such batch"))(w, r)
	}
}

func (d *harness) list(after string) string {
	from := 0
	for i, id := range d.order {
		if id == after {
			from = i + 1
		}
	}
	to := min(from+d.page, len(d.order))
	var jobs []string
	for _, id := range d.order[from:to] {
		jobs = append(jobs, d.jobs[id])
	}
	return fmt.Sprintf(`{"data":[%s],"has_more":%t,"last_id":%q}`, strings.Join(jobs, ","), to < len(d.order), d.order[to-1])
}

func line(name, result string) string {
	return fmt.Sprintf("{\"custom_id\":%q,\"result\":%s}\n", name, result)
}

func succeeded(content string) string {
	return `{"type":"succeeded","message":` + message("end_turn", content) + `}`
}

func errored(kind, text string) string {
	return `{"type":"errored","error":` + complaint(kind, text) + `}`
}

// names are those that a job's requests were given, by their keys.
func names(t *testing.T, d *harness, label string, keys ...string) map[string]string {
	t.Helper()
	var items []llm.BatchItem
	for _, k := range keys {
		items = append(items, llm.BatchItem{Key: k, Request: ask("n")})
	}
	_, err := client(t, handled(t, d.ServeHTTP), old).Submit(t.Context(), label, items)
	require.NoError(t, err)
	found := map[string]string{}
	for i, request := range d.created {
		var named struct {
			CustomID string `json:"custom_id"`
		}
		require.NoError(t, json.Unmarshal(request, &named))
		require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, named.CustomID)
		found[keys[i]] = named.CustomID
	}
	return found
}

func TestBatch_ABatchIsSubmitted(t *testing.T) {
	t.Parallel()
	d := &harness{}
	c := client(t, handled(t, d.ServeHTTP), old)
	r := ask("n")
	r.Schema, r.Messages[0].Stable = json.RawMessage(shape), true
	got, err := c.Submit(t.Context(), "label-1", []llm.BatchItem{{Key: "first", Request: r}, {Key: "second", Request: ask("n")}})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(llm.BatchJob{ID: "msgbatch_new", Label: "label-1", Items: 2, Submitted: noon, Expires: noon.Add(24 * time.Hour)}, got))
	require.Len(t, d.created, 2)
	var first struct{ Params json.RawMessage }
	require.NoError(t, json.Unmarshal(d.created[0], &first))
	r.Whole = true
	require.JSONEq(t, sentWhole(t, r), string(first.Params), "a request of a batch is worded as one that goes alone")
	require.Contains(t, string(first.Params), shape)
}

// sentWhole is the body of a request that goes alone.
func sentWhole(t *testing.T, r llm.Request) string {
	t.Helper()
	var body string
	_, err := client(t, handled(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
		answers(200, message("end_turn", ""))(w, r)
	}), old).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	return body
}

func TestBatch_BatchesThatCannotBeSubmitted(t *testing.T) {
	t.Parallel()
	item := func(k string) llm.BatchItem { return llm.BatchItem{Key: k, Request: ask("n")} }
	tests := map[string]struct {
		label string
		items []llm.BatchItem
		says  string
	}{
		"nothing":         {"l", nil, "no requests"},
		"no key":          {"l", []llm.BatchItem{item("")}, "letters, digits"},
		"a key twice":     {"l", []llm.BatchItem{item("a"), item("a")}, "occurs twice"},
		"an odd key":      {"l", []llm.BatchItem{item("a b")}, "letters, digits"},
		"an odd label":    {"l.", []llm.BatchItem{item("a")}, "letters, digits"},
		"too long":        {"label", []llm.BatchItem{item(strings.Repeat("x", 58))}, "may have 62 characters"},
		"too long in hex": {strings.Repeat("l", 36), []llm.BatchItem{item(strings.Repeat("a", 40))}, "may have 62 characters"},
		"a request":       {"l", []llm.BatchItem{{Key: "a", Request: llm.Request{Schema: []byte("{")}}}, "schema"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, handled(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }), old)
			_, err := c.Submit(t.Context(), test.label, test.items)
			require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestBatch_ResultsOfABatch(t *testing.T) {
	t.Parallel()
	d := &harness{jobs: map[string]string{"b": job("b", "ended", 0, `"succeeded":4,"errored":4,"canceled":1,"expired":1`)}, results: map[string]string{}}
	keys := []string{"text", "schema", "tool", "length", "limited", "overflow", "key", "format", "canceled", "expired"}
	n := names(t, d, "label", keys...)
	d.results["b"] = line(n["expired"], `{"type":"expired"}`) + line(n["canceled"], `{"type":"canceled"}`) +
		line(n["text"], succeeded(`{"type":"text","text":"Hello"}`)) + line(n["schema"], succeeded(`{"type":"tool_use","id":"a","name":"forge_answer","input":{"z":"1"}}`)) +
		line(n["tool"], succeeded(`{"type":"tool_use","id":"a","name":"weather","input":{}}`)) +
		line(n["length"], `{"type":"succeeded","message":`+message("max_tokens", `{"type":"text","text":"Hel"}`)+`}`) +
		line(n["limited"], errored("rate_limit_error", "slow down")) + line(n["overflow"], errored("invalid_request_error", "prompt is too long: 5 tokens > 4 maximum")) +
		line(n["key"], errored("authentication_error", "no "+key)) + line(n["format"], errored("invalid_request_error", "output_config.format: Extra inputs are not permitted"))

	c := client(t, handled(t, d.ServeHTTP), old)
	got, err := c.Results(t.Context(), "b")
	require.NoError(t, err)
	whole := func(r llm.Response) llm.Response {
		r.Usage, r.Model = billed, "claude-x"
		return r
	}
	want := map[string]llm.BatchResult{
		"text":     {Response: whole(llm.Response{Text: "Hello", Finish: llm.FinishStop})},
		"schema":   {Response: whole(llm.Response{Text: `{"z":"1"}`, Finish: llm.FinishStop})},
		"tool":     {Response: whole(llm.Response{Finish: llm.FinishTools, Calls: []llm.ToolCall{call("a", "{}")}})},
		"length":   {Response: whole(llm.Response{Text: "Hel", Finish: llm.FinishLength}), Err: &llm.Error{Kind: llm.KindLength}},
		"limited":  {Err: &llm.Error{Kind: llm.KindRateLimited, Status: 429}},
		"overflow": {Err: &llm.Error{Kind: llm.KindOverflow, Status: 400}},
		"key":      {Err: &llm.Error{Kind: llm.KindAuth, Status: 401}},
		"format":   {Err: &llm.Error{Kind: llm.KindUnsupported, Status: 400, Feature: llm.FeatureSchema}},
		"canceled": {Err: &llm.Error{Kind: llm.KindMissing}},
		"expired":  {Err: &llm.Error{Kind: llm.KindMissing}},
	}
	for _, result := range got {
		if result.Err != nil {
			require.Equal(t, c.Name(), failure(t, result.Err).Model)
		}
	}
	require.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreFields(llm.Error{}, "Model", "Err")))

	again, err := c.Poll(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, "label", again.Label, "who has read results knows the label")
	require.True(t, again.Ended)
	require.Equal(t, 10, again.Items)
}

// A file of results that is cut holds no answer that was not given, and what it lacks is not missing.
func TestBatch_ResultsCutAtEveryByte(t *testing.T) {
	t.Parallel()
	d := &harness{jobs: map[string]string{"b": job("b", "ended", 0, `"succeeded":2`)}, results: map[string]string{}}
	n := names(t, d, "label", "a", "b")
	body := line(n["a"], succeeded(`{"type":"text","text":"first"}`)) + line(n["b"], succeeded(`{"type":"text","text":"second"}`))
	c := client(t, handled(t, d.ServeHTTP), old)
	for offset := range len(body) - 1 { // the newline at the end may be missing
		d.results["b"] = body[:offset]
		_, err := c.Results(t.Context(), "b")
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind, "offset %d: %v", offset, err)
	}
	d.results["b"] = body
	got, err := c.Results(t.Context(), "b")
	require.NoError(t, err)
	require.Len(t, got, 2)
}

func TestBatch_RejectsInvalidResults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status, results, says string
		kind                  llm.Kind
	}{
		"not ended":    {"in_progress", "{}", "has not ended", llm.KindTransient},
		"a web page":   {"ended", "<html>", "a web page", llm.KindInvalid},
		"no name":      {"ended", `{"result":{"type":"expired"}}`, "not a result", llm.KindInvalid},
		"malformed":    {"ended", line("x", `{"type":"expired"}`) + "{]\n", "malformed JSON", llm.KindInvalid},
		"gone":         {"ended", "", "no such batch", llm.KindInvalid},
		"an error":     {"ended", complaint("overloaded_error", "Overloaded"), "Overloaded", llm.KindTransient},
		"another kind": {"", "", "no such batch", llm.KindInvalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &harness{jobs: map[string]string{"b": job("b", test.status, 0, `"succeeded":1`)}, results: map[string]string{"b": test.results}}
			if test.status == "" {
				d.jobs = nil
			}
			if name == "gone" {
				d.results = nil
			}
			_, err := client(t, handled(t, d.ServeHTTP), old).Results(t.Context(), "b")
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// A job whose id was lost is found again by its label once it has ended; a job in progress has no visible label, and
// so none is claimed.
func TestBatch_JobsAreFoundAgain(t *testing.T) {
	t.Parallel()
	d := &harness{page: 2, order: []string{"e", "d", "c", "b", "a"}, jobs: map[string]string{
		"e": job("e", "in_progress", 50, `"processing":1`), "d": job("d", "ended", 40, `"succeeded":1`), "c": job("c", "ended", 30, `"expired":3`),
		"b": strings.Replace(job("b", "ended", 20, `"succeeded":1`), `"archived_at":null`, `"archived_at":"2026-03-01T13:00:00Z"`, 1),
		"a": job("a", "ended", 10, `"succeeded":1`),
	}}
	n := names(t, d, "mine", "0123456789abcdef")
	d.results = map[string]string{"d": line("theirs", `{"type":"canceled"}`), "c": line(n["0123456789abcdef"], `{"type":"expired"}`)}

	c := client(t, handled(t, d.ServeHTTP), old)
	for range 2 {
		d.asked = nil
		got, err := c.List(t.Context(), noon.Add(20*time.Minute))
		require.NoError(t, err)
		var labels []string
		for _, j := range got {
			labels = append(labels, fmt.Sprintf("%s %q %t %d", j.ID, j.Label, j.Ended, j.Items))
		}
		require.Equal(t, []string{`e "" false 1`, `d "" true 1`, `c "mine" true 3`, `b "" true 1`}, labels)
	}
	require.Equal(t, []string{
		"GET /v1/messages/batches?limit=100", "GET /v1/messages/batches?after_id=d&limit=100", "GET /v1/messages/batches?after_id=b&limit=100",
	}, d.asked, "what is known is not asked for again")
}

// That a label could not be read is no proof that the job is not ours.
func TestBatch_AListWithALabelThatCannotBeReadIsNone(t *testing.T) {
	t.Parallel()
	d := &harness{page: 2, order: []string{"a"}, jobs: map[string]string{"a": job("a", "ended", 0, `"succeeded":1`)}}
	broken := client(t, handled(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/results") {
			answers(http.StatusServiceUnavailable, "")(w, r)
			return
		}
		d.ServeHTTP(w, r)
	}), old)
	_, err := broken.List(t.Context(), noon)
	require.Equal(t, llm.KindTransient, failure(t, err).Kind)
	d.results = map[string]string{"a": ""}
	_, err = client(t, handled(t, d.ServeHTTP), old).List(t.Context(), noon)
	require.Equal(t, llm.KindTruncated, failure(t, err).Kind, "there must be results, if not yet")
	d.results = nil
	gone := client(t, handled(t, d.ServeHTTP), old) // it answers 404: the results were deleted
	jobs, err := gone.List(t.Context(), noon)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
}

func TestBatch_ABatchIsCancelled(t *testing.T) {
	t.Parallel()
	d := &harness{jobs: map[string]string{"b": job("b", "in_progress", 0, `"processing":1`)}}
	c := client(t, handled(t, d.ServeHTTP), old)
	require.NoError(t, c.Cancel(t.Context(), "b"))
	require.Equal(t, []string{"POST /v1/messages/batches/b/cancel"}, d.asked)
	require.Equal(t, llm.KindInvalid, failure(t, c.Cancel(t.Context(), "x")).Kind)
	require.Equal(t, llm.KindInvalid, failure(t, c.Cancel(t.Context(), "..")).Kind, "an id leads nowhere else")
	require.Equal(t, llm.KindInvalid, failure(t, c.Cancel(t.Context(), "")).Kind)
}

var _ llm.Batcher = (*anthropic.Client)(nil)
