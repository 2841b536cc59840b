package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
)

// office is a batch API on loopback: files and jobs, as OpenAI documents them
// (https://platform.openai.com/docs/api-reference/batch).
type office struct {
	mu    sync.Mutex
	files map[string]string           // guarded by mu
	jobs  []map[string]any            // guarded by mu; the oldest first
	paths []string                    // guarded by mu; what was asked for
	fail  map[string]http.HandlerFunc // by method and path; set before it is used
}

func (o *office) serve(t *testing.T) *openai.Client {
	t.Helper()
	o.files = map[string]string{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/files", o.upload)
	mux.HandleFunc("GET /v1/files/{id}/content", o.content)
	mux.HandleFunc("DELETE /v1/files/{id}", o.remove)
	mux.HandleFunc("POST /v1/batches", o.create)
	mux.HandleFunc("GET /v1/batches", o.list)
	mux.HandleFunc("GET /v1/batches/{id}", o.retrieve)
	mux.HandleFunc("POST /v1/batches/{id}/cancel", o.cancel)
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.paths = append(o.paths, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if fail, has := o.fail[r.Method+" "+r.URL.Path]; has {
			fail(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return client(t, base)
}

func (o *office) upload(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	content, _ := io.ReadAll(file)
	id := fmt.Sprint("file-", len(o.files)+1)
	o.files[id] = string(content)
	write(w, map[string]any{"id": id, "object": "file", "purpose": "batch"})
}

func (o *office) content(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, o.files[r.PathValue("id")])
}

func (o *office) remove(w http.ResponseWriter, r *http.Request) {
	delete(o.files, r.PathValue("id"))
	write(w, map[string]any{"deleted": true})
}

func (o *office) create(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	_ = json.NewDecoder(r.Body).Decode(&asked)
	job := map[string]any{
		"id": fmt.Sprint("batch_", len(o.jobs)+1), "object": "batch", "status": "validating", "errors": nil,
		"created_at": clock.Unix() + int64(len(o.jobs)), "expires_at": clock.Unix() + 86400,
	}
	maps.Copy(job, asked)
	o.jobs = append(o.jobs, job)
	write(w, job)
}

func (o *office) list(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	var page []map[string]any
	passed := r.FormValue("after") == ""
	for i := len(o.jobs) - 1; i >= 0 && len(page) < limit; i-- {
		if passed {
			page = append(page, o.jobs[i])
		}
		passed = passed || o.jobs[i]["id"] == r.FormValue("after")
	}
	more := len(page) > 0 && page[len(page)-1]["id"] != "batch_1"
	write(w, map[string]any{"object": "list", "data": page, "has_more": more})
}

func (o *office) retrieve(w http.ResponseWriter, r *http.Request) {
	for _, job := range o.jobs {
		if job["id"] == r.PathValue("id") {
			write(w, job)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	write(w, map[string]any{"error": map[string]any{"message": "No batch found with id '" + r.PathValue("id") + "'."}})
}

func (o *office) cancel(w http.ResponseWriter, r *http.Request) {
	for _, job := range o.jobs {
		if job["id"] != r.PathValue("id") {
			continue
		}
		if job["status"] == "completed" {
			w.WriteHeader(http.StatusConflict)
			write(w, map[string]any{"error": map[string]any{"message": "Cannot cancel a batch with status 'completed'."}})
			return
		}
		job["status"] = "cancelling"
		write(w, job)
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

func write(w http.ResponseWriter, value any) { _ = json.NewEncoder(w).Encode(value) }

// end puts a job into its last state.
func (o *office) end(id, status, output, failed string, counts map[string]int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, job := range o.jobs {
		if job["id"] != id {
			continue
		}
		job["status"], job["request_counts"] = status, counts
		if output != "" {
			o.files["file-out"], job["output_file_id"] = output, "file-out"
		}
		if failed != "" {
			o.files["file-err"], job["error_file_id"] = failed, "file-err"
		}
	}
}

func items(keys ...string) []llm.BatchItem {
	var all []llm.BatchItem
	for _, key := range keys {
		r := offering("")
		r.Messages[0].Text = "Hello, " + key
		all = append(all, llm.BatchItem{Key: key, Request: r})
	}
	return all
}

func TestBatch_ABatchIsSubmitted(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	got, err := c.Submit(t.Context(), "run-1/plan", items("a", "b"))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(llm.BatchJob{ID: "batch_1", Label: "run-1/plan", Submitted: clock, Expires: clock.Add(24 * time.Hour)}, got))
	require.Equal(t, "24h", o.jobs[0]["completion_window"])
	require.Equal(t, "/v1/chat/completions", o.jobs[0]["endpoint"])
	require.Equal(t, "file-1", o.jobs[0]["input_file_id"])

	lines := strings.Split(o.files["file-1"], "\n")
	require.Len(t, lines, 2)
	for i, line := range lines {
		name := string(rune('a' + i))
		require.JSONEq(t, `{"custom_id":"`+name+`","method":"POST","url":"/v1/chat/completions","body":{"model":"scripted","stream":false,"temperature":0,
			"messages":[{"role":"user","content":"Hello, `+name+`"}],
			"tools":[{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},
				{"type":"function","function":{"name":"list_files","parameters":{"type":"object"}}}]}}`, line)
	}
}

func TestBatch_AJobIsPolled(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	submitted, err := c.Submit(t.Context(), "l", items("a"))
	require.NoError(t, err)
	for status, ended := range map[string]bool{
		"validating": false, "in_progress": false, "finalizing": false, "cancelling": false, "a word of tomorrow": false,
		"completed": true, "failed": true, "expired": true, "cancelled": true,
	} {
		o.end(submitted.ID, status, "", "", nil)
		got, err := c.Poll(t.Context(), submitted.ID)
		require.NoError(t, err)
		want := submitted
		want.Ended = ended
		require.Empty(t, cmp.Diff(want, got), status)
	}
}

// answered is a line of results with an answer.
func answered(key, message, finish string) string {
	return fmt.Sprintf(`{"id":"r","custom_id":%q,"response":{"status_code":200,"request_id":"q","body":{"model":"scripted-1","choices":[{"index":0,"message":%s,"finish_reason":%q}],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}},"error":null}`+"\n", key, message, finish)
}

func TestBatch_ResultsOfAJob(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	job, err := c.Submit(t.Context(), "l", items("text"))
	require.NoError(t, err)
	o.end(job.ID, "expired",
		answered("text", `{"content":"hi"}`, "stop")+
			answered("tools", `{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read_file","arguments":"{}"}}]}`, "tool_calls")+
			answered("long", `{"content":"par"}`, "length")+
			answered("none", `{"content":"par"}`, ""),
		`{"custom_id":"slow","response":null,"error":{"code":"batch_expired","message":"This request could not be executed before the completion window expired."}}
{"custom_id":"stopped","response":null,"error":{"code":"batch_cancelled","message":"x"}}
{"custom_id":"broken","response":null,"error":{"code":"internal","message":"for `+key+`"}}
{"custom_id":"limited","response":{"status_code":429,"body":{"error":{"message":"slow down"}}},"error":null}
{"custom_id":"unsupported","response":{"status_code":400,"body":{"error":{"message":"no","param":"response_format"}}},"error":null}
{"custom_id":"empty","response":null,"error":null}`, nil)

	got, err := c.Results(t.Context(), job.ID)
	require.NoError(t, err)
	used := llm.Usage{Input: 6, Output: 2, CacheRead: 4}
	require.Empty(t, cmp.Diff(llm.Response{Text: "hi", Finish: llm.FinishStop, Model: "scripted-1", Usage: used}, got["text"].Response))
	require.NoError(t, got["text"].Err)
	require.Empty(t, cmp.Diff([]llm.ToolCall{called("a", "read_file", "{}")}, got["tools"].Response.Calls))
	require.NoError(t, got["tools"].Err)
	require.Equal(t, "par", got["long"].Response.Text)
	kinds := map[string]llm.Kind{}
	for name, result := range got {
		if result.Err != nil {
			kinds[name] = failure(t, result.Err).Kind
			require.ErrorContains(t, result.Err, "127.0.0.1:")
		}
	}
	require.Empty(t, cmp.Diff(map[string]llm.Kind{
		"long": llm.KindLength, "none": llm.KindTruncated, "slow": llm.KindMissing, "stopped": llm.KindMissing, "broken": llm.KindTransient,
		"limited": llm.KindRateLimited, "unsupported": llm.KindUnsupported, "empty": llm.KindInvalid,
	}, kinds))
	require.Equal(t, llm.FeatureSchema, failure(t, got["unsupported"].Err).Feature)
	require.Equal(t, 429, failure(t, got["limited"].Err).Status)
	require.Len(t, got, 10)
}

func TestBatch_RejectsInvalidResults(t *testing.T) {
	t.Parallel()
	line := answered("a", `{"content":"hi"}`, "stop")
	short := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		_, _ = io.WriteString(w, line)
	}
	tests := map[string]struct {
		status, output string
		completed      int
		content        http.HandlerFunc
		kind           llm.Kind
		says           string
	}{
		"not yet":              {"in_progress", "", 0, nil, llm.KindTransient, "has not ended: it is in_progress"},
		"never begun":          {"failed", "", 0, nil, llm.KindInvalid, "could not begin"},
		"fewer than counted":   {"completed", line, 2, nil, llm.KindTruncated, "1 of 2"},
		"cut":                  {"completed", line, 1, short, llm.KindTruncated, "broke off"},
		"a line that is cut":   {"completed", line + line[:20], 2, nil, llm.KindTruncated, "1 of 2"},
		"malformed":            {"completed", line + "{\"custom_id\":}\n", 2, nil, llm.KindInvalid, "malformed JSON"},
		"the same key":         {"completed", line + line, 2, nil, llm.KindInvalid, "twice"},
		"no key":               {"completed", "{\"custom_id\":\"\"}\n", 1, nil, llm.KindInvalid, "or none"},
		"a web page":           {"completed", line, 1, answers(200, "<html>"), llm.KindInvalid, "a web page"},
		"an error of the file": {"completed", line, 1, answers(404, `{"error":{"message":"No such File object"}}`), llm.KindInvalid, "No such File object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{fail: map[string]http.HandlerFunc{}}
			if test.content != nil {
				o.fail["GET /v1/files/file-out/content"] = test.content
			}
			c := o.serve(t)
			job, err := c.Submit(t.Context(), "l", items("a"))
			require.NoError(t, err)
			o.end(job.ID, test.status, test.output, "", map[string]int{"total": test.completed, "completed": test.completed})
			_, err = c.Results(t.Context(), job.ID)
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestBatch_WhyAJobCouldNotBegin(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	job, err := c.Submit(t.Context(), "l", items("a"))
	require.NoError(t, err)
	o.end(job.ID, "failed", "", "", nil)
	o.jobs[0]["errors"] = map[string]any{"data": []any{map[string]any{"code": "invalid", "message": "no such model\nfor " + key, "line": 3}}}
	_, err = c.Results(t.Context(), job.ID)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	require.ErrorContains(t, err, "line 3: no such model for [key]")
}

func TestBatch_JobsAreListed(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	for i := range 250 {
		_, err := c.Submit(t.Context(), fmt.Sprint("label-", i), items("a"))
		require.NoError(t, err)
	}
	o.jobs[7]["metadata"] = nil // somebody else's
	for _, since := range []int{0, 1, 100, 249, 250} {
		got, err := c.List(t.Context(), clock.Add(time.Duration(since)*time.Second))
		require.NoError(t, err)
		require.Len(t, got, 250-since)
		for i, job := range got {
			number := 249 - i
			require.Equal(t, fmt.Sprint("batch_", number+1), job.ID, "the newest first")
			if number == 7 {
				require.Empty(t, job.Label)
				continue
			}
			require.Equal(t, fmt.Sprint("label-", number), job.Label)
		}
	}
}

// TestBatch_AListThatNeverEnds is a server that says that there is more, and gives the same page for ever.
func TestBatch_AListThatNeverEnds(t *testing.T) {
	t.Parallel()
	page := fmt.Sprintf(`{"data":[{"id":"batch_1","created_at":%d}],"has_more":true}`, clock.Unix())
	got, err := client(t, handled(t, answers(200, page))).List(t.Context(), clock)
	require.NoError(t, err)
	require.Len(t, got, 1)
}

func TestBatch_AJobIsCancelled(t *testing.T) {
	t.Parallel()
	o := &office{}
	c := o.serve(t)
	job, err := c.Submit(t.Context(), "l", items("a"))
	require.NoError(t, err)
	require.NoError(t, c.Cancel(t.Context(), job.ID))
	require.Equal(t, "cancelling", o.jobs[0]["status"])
	o.end(job.ID, "completed", "", "", nil)
	require.NoError(t, c.Cancel(t.Context(), job.ID), "it has ended already")
	require.Equal(t, llm.KindInvalid, failure(t, c.Cancel(t.Context(), "batch_99")).Kind)
}

func TestBatch_BatchesThatCannotBe(t *testing.T) {
	t.Parallel()
	refuse := answers(400, `{"error":{"message":"no batches for `+key+`"}}`)
	tests := map[string]struct {
		fail  map[string]http.HandlerFunc
		call  func(*testing.T, *openai.Client) error
		kind  llm.Kind
		says  string
		asked []string
	}{
		"no requests":    {nil, submit(), llm.KindInvalid, "a batch of no requests", nil},
		"a key twice":    {nil, submit("a", "a"), llm.KindInvalid, `"a" occurs twice`, nil},
		"no key":         {nil, submit(""), llm.KindInvalid, "not at all", nil},
		"no upload":      {map[string]http.HandlerFunc{"POST /v1/files": refuse}, submit("a"), llm.KindInvalid, "no batches for [key]", []string{"POST /v1/files"}},
		"no files here":  {map[string]http.HandlerFunc{"POST /v1/files": answers(200, "{}")}, submit("a"), llm.KindInvalid, "has no id", []string{"POST /v1/files"}},
		"a web page":     {map[string]http.HandlerFunc{"POST /v1/files": answers(200, "<html>")}, submit("a"), llm.KindInvalid, "a web page", []string{"POST /v1/files"}},
		"a path for id":  {map[string]http.HandlerFunc{"POST /v1/files": answers(200, `{"id":"../x"}`)}, submit("a"), llm.KindInvalid, "has no id", []string{"POST /v1/files"}},
		"no job, clean":  {map[string]http.HandlerFunc{"POST /v1/batches": refuse}, submit("a"), llm.KindInvalid, "no batches for [key]", []string{"POST /v1/files", "POST /v1/batches", "DELETE /v1/files/file-1"}},
		"no job, or one": {map[string]http.HandlerFunc{"POST /v1/batches": answers(500, "")}, submit("a"), llm.KindTransient, "gave no reason", []string{"POST /v1/files", "POST /v1/batches"}},
		"poll nothing":   {nil, func(t *testing.T, c *openai.Client) error { _, err := c.Poll(t.Context(), ""); return err }, llm.KindInvalid, "not the id of a batch", nil},
		"poll a path":    {nil, func(t *testing.T, c *openai.Client) error { _, err := c.Poll(t.Context(), "a/../files"); return err }, llm.KindInvalid, "not the id of a batch", nil},
		"cancel a path":  {nil, func(t *testing.T, c *openai.Client) error { return c.Cancel(t.Context(), "a/b") }, llm.KindInvalid, "not the id of a batch", nil},
		"poll another":   {nil, func(t *testing.T, c *openai.Client) error { _, err := c.Poll(t.Context(), "batch_9"); return err }, llm.KindInvalid, "No batch found", []string{"GET /v1/batches/batch_9"}},
		"list an error": {map[string]http.HandlerFunc{"GET /v1/batches": answers(429, "")}, func(t *testing.T, c *openai.Client) error {
			_, err := c.List(t.Context(), clock)
			return err
		}, llm.KindRateLimited, "gave no reason", []string{"GET /v1/batches"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &office{fail: test.fail}
			err := test.call(t, o.serve(t))
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
			require.Equal(t, test.asked, o.paths, "each call is made once")
		})
	}
}

func submit(keys ...string) func(*testing.T, *openai.Client) error {
	return func(t *testing.T, c *openai.Client) error {
		t.Helper()
		job, err := c.Submit(t.Context(), "l", items(keys...))
		require.Zero(t, job)
		return err
	}
}
