package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// routeAnthropicBatches adds Anthropic's message batches (https://docs.anthropic.com/en/api/creating-message-batches).
func (s *server) routeAnthropicBatches(mux *http.ServeMux, prefix string) {
	b := &anthropicBatches{s.script}
	f, base := anthropic{}, prefix+"/messages/batches"
	mux.HandleFunc("POST "+base, s.call(CallSubmit, f, b.submit))
	mux.HandleFunc("GET "+base, s.call(CallList, f, b.list))
	mux.HandleFunc("GET "+base+"/{id}", s.call(CallPoll, f, b.poll))
	mux.HandleFunc("GET "+base+"/{id}/results", s.call(CallResults, f, b.results))
	mux.HandleFunc("POST "+base+"/{id}/cancel", s.call(CallCancel, f, b.cancel))
}

type anthropicBatches struct{ script *Script }

// anthropicBatch is a job.
type anthropicBatch struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Status   string         `json:"processing_status"`
	Counts   map[string]int `json:"request_counts"`
	Ended    *string        `json:"ended_at"`
	Created  string         `json:"created_at"`
	Expires  string         `json:"expires_at"`
	Archived *string        `json:"archived_at"`
	Cancel   *string        `json:"cancel_initiated_at"`
	Results  *string        `json:"results_url"`
}

func (b *anthropicBatches) batch(r *http.Request, j job) anthropicBatch {
	batch := anthropicBatch{
		ID: fmt.Sprintf("msgbatch_%d", j.number), Type: "message_batch", Status: "in_progress",
		Created: j.submitted.UTC().Format(time.RFC3339Nano), Expires: j.expires.UTC().Format(time.RFC3339Nano),
	}
	counts := j.count()
	batch.Counts = map[string]int{"processing": len(j.items)}
	for _, what := range []outcome{succeeded, errored, expired, canceled} {
		batch.Counts[string(what)] = counts[what]
	}
	if j.ended.IsZero() {
		return batch
	}
	batch.Status, batch.Counts["processing"] = "ended", 0
	batch.Ended = new(j.ended.UTC().Format(time.RFC3339Nano))
	batch.Results = new("http://" + r.Host + "/v1/messages/batches/" + batch.ID + "/results")
	if j.cancelled {
		batch.Cancel = batch.Ended
	}
	return batch
}

func (b *anthropicBatches) submit(w http.ResponseWriter, r *http.Request) {
	var asks struct {
		Requests []struct {
			Key    string          `json:"custom_id"`
			Params json.RawMessage `json:"params"`
		} `json:"requests"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asks); err != nil {
		refuse(w, anthropic{}, invalid(notA("batch", err).Error()))
		return
	}
	var keys []string
	var requests []asked
	for _, one := range asks.Requests {
		request, err := anthropic{}.read(one.Params)
		if err == nil && (one.Key == "" || len(one.Key) > 64 || slices.Contains(keys, one.Key) || request.stream) {
			err = fmt.Errorf("the request %q has no key of its own, one of more than 64 characters, or asks for a stream", one.Key)
		}
		if err != nil {
			refuse(w, anthropic{}, invalid(err.Error()))
			return
		}
		keys, requests = append(keys, one.Key), append(requests, request)
	}
	j := b.script.submit(job{}, keys, requests)
	write(w, http.StatusOK, encode(b.batch(r, *j)))
}

func (b *anthropicBatches) find(r *http.Request, polled bool) (job, bool) {
	number, err := strconv.Atoi(strings.TrimPrefix(r.PathValue("id"), "msgbatch_"))
	if err != nil {
		return job{}, false
	}
	return b.script.job(number, polled)
}

func (b *anthropicBatches) poll(w http.ResponseWriter, r *http.Request) {
	j, ok := b.find(r, true)
	if !ok {
		refuse(w, anthropic{}, absent("batch", r.PathValue("id")))
		return
	}
	write(w, http.StatusOK, encode(b.batch(r, j)))
}

func (b *anthropicBatches) cancel(w http.ResponseWriter, r *http.Request) {
	j, ok := b.find(r, false)
	if !ok {
		refuse(w, anthropic{}, absent("batch", r.PathValue("id")))
		return
	}
	j = b.script.cancel(j.number) // of one that has ended it says how that ended
	write(w, http.StatusOK, encode(b.batch(r, j)))
}

// list gives pages, the newest first.
func (b *anthropicBatches) list(w http.ResponseWriter, r *http.Request) {
	all := []anthropicBatch{}
	for _, j := range b.script.newest() {
		all = append(all, b.batch(r, j))
	}
	if after := r.FormValue("after_id"); after != "" {
		i := slices.IndexFunc(all, func(x anthropicBatch) bool { return x.ID == after })
		all = all[i+1:]
	}
	page := all[:min(len(all), limit(r))]
	var first, last *string
	if len(page) > 0 {
		first, last = &page[0].ID, &page[len(page)-1].ID
	}
	write(w, http.StatusOK, encode(map[string]any{"data": page, "has_more": len(page) < len(all), "first_id": first, "last_id": last}))
}

// results are lines, in another order than the requests.
func (b *anthropicBatches) results(w http.ResponseWriter, r *http.Request) {
	j, ok := b.find(r, false)
	if !ok || j.ended.IsZero() {
		refuse(w, anthropic{}, absent("result of the batch", r.PathValue("id")))
		return
	}
	var lines bytes.Buffer
	for _, i := range slices.Backward(j.items) {
		result := map[string]any{"type": j.outcome(i)}
		switch j.outcome(i) {
		case succeeded:
			result["message"] = json.RawMessage(anthropic{}.whole(b.script.answer(i.turn)))
		case errored:
			_, body := anthropic{}.refuse(i.refusal(b.script.Now()))
			result["error"] = json.RawMessage(body)
		}
		lines.Write(append(encode(map[string]any{"custom_id": i.key, "result": result}), '\n'))
	}
	w.Header().Set("Content-Type", "application/x-jsonl")
	_, _ = w.Write(lines.Bytes()) // who asked may be gone
}
