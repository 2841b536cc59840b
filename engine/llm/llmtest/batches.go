package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// batches answers the calls about jobs that both batch APIs have.
type batches struct {
	server *server
	format format
	prefix string                              // of the id of a job
	after  string                              // the parameter with the id of the last job of the page before
	view   func(r *http.Request, j job) fields // the job as the provider words it
}

// batchItem is an item of a submission: a request and the key that its result will have.
type batchItem struct {
	key     string
	request json.RawMessage
}

// route adds the calls below a path; submit answers submissions.
func (b *batches) route(mux *http.ServeMux, base string, submit func(*http.Request) document) {
	mux.HandleFunc("POST "+base, b.server.call(CallSubmit, b.format, submit))
	mux.HandleFunc("GET "+base, b.server.call(CallList, b.format, b.list))
	mux.HandleFunc("GET "+base+"/{id}", b.server.call(CallPoll, b.format, b.poll))
	mux.HandleFunc("POST "+base+"/{id}/cancel", b.server.call(CallCancel, b.format, b.cancel))
}

// submit makes a job of items. It rejects an item without a key of its own, and one that wants a stream.
func (b *batches) submit(r *http.Request, j job, items []batchItem) document {
	var keys []string
	var requests []asked
	for _, one := range items {
		request, err := b.format.read(one.request)
		if err == nil && (one.key == "" || slices.Contains(keys, one.key) || request.stream) {
			err = fmt.Errorf("the request %q has no key of its own, or asks for a stream", one.key)
		}
		if err != nil {
			return b.invalid(err)
		}
		keys, requests = append(keys, one.key), append(requests, request)
	}
	return found(b.view(r, *b.server.script.submit(j, keys, requests)))
}

func (b *batches) find(r *http.Request, polled bool) (job, bool) {
	number, err := strconv.Atoi(strings.TrimPrefix(r.PathValue("id"), b.prefix))
	if err != nil {
		return job{}, false
	}
	return b.server.script.job(number, polled)
}

func (b *batches) poll(r *http.Request) document {
	j, ok := b.find(r, true)
	if !ok {
		return b.absent("batch", r.PathValue("id"))
	}
	return found(b.view(r, j))
}

// cancel cancels a job. OpenAI refuses that for one that has ended, Anthropic reports how that ended.
func (b *batches) cancel(r *http.Request) document {
	j, ok := b.find(r, false)
	switch {
	case !ok:
		return b.absent("batch", r.PathValue("id"))
	case b.format == format(openAI{}) && !j.ended.IsZero():
		return refused(b.format, refusal{status: http.StatusConflict, message: "the batch has ended", typ: "invalid_request_error"})
	}
	return found(b.view(r, b.server.script.cancel(j.number)))
}

// list returns a page, the newest job first.
func (b *batches) list(r *http.Request) document {
	all := []fields{}
	for _, j := range b.server.script.newest() {
		all = append(all, b.view(r, j))
	}
	if after := r.FormValue(b.after); after != "" {
		all = all[slices.IndexFunc(all, func(j fields) bool { return j["id"] == after })+1:]
	}
	page := all[:min(len(all), limit(r))]
	answer := fields{"object": "list", "data": page, "has_more": len(page) < len(all), "first_id": nil, "last_id": nil}
	if len(page) > 0 {
		answer["first_id"], answer["last_id"] = page[0]["id"], page[len(page)-1]["id"]
	}
	return found(answer)
}

// limit is how many a page has.
func limit(r *http.Request) int {
	const most = 100
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 && n <= most {
		return n
	}
	return 20
}

func (b *batches) invalid(err error) document {
	return refused(b.format, refusal{status: http.StatusBadRequest, message: err.Error(), typ: "invalid_request_error"})
}

func (b *batches) absent(kind, id string) document {
	return refused(b.format, refusal{status: http.StatusNotFound, message: fmt.Sprintf("there is no %s %q", kind, id), typ: "invalid_request_error"})
}

// decode reads the document that a request sends.
func decode(r *http.Request, v any) error {
	return json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxRequest)).Decode(v)
}

// anthropicBatches are Anthropic's message batches (https://docs.anthropic.com/en/api/creating-message-batches).
type anthropicBatches struct{ batches }

func (s *server) routeAnthropicBatches(mux *http.ServeMux, prefix string) {
	b := &anthropicBatches{batches{server: s, format: anthropic{}, prefix: "msgbatch_", after: "after_id", view: viewAnthropic}}
	base := prefix + "/messages/batches"
	b.route(mux, base, b.submit)
	mux.HandleFunc("GET "+base+"/{id}/results", s.call(CallResults, b.format, b.results))
}

func viewAnthropic(r *http.Request, j job) fields {
	id, counts := fmt.Sprintf("msgbatch_%d", j.number), map[outcome]int{"processing": len(j.items), succeeded: 0, errored: 0, expired: 0, canceled: 0}
	view := fields{
		"id": id, "type": "message_batch", "processing_status": "in_progress", "request_counts": counts,
		"created_at": stamp(j.submitted), "expires_at": stamp(j.expires),
		"ended_at": nil, "archived_at": nil, "cancel_initiated_at": nil, "results_url": nil,
	}
	if j.ended.IsZero() {
		return view
	}
	maps.Copy(counts, j.count())
	counts["processing"] = 0
	view["processing_status"], view["ended_at"] = "ended", stamp(j.ended)
	view["results_url"] = "http://" + r.Host + "/v1/messages/batches/" + id + "/results"
	if j.cancelled {
		view["cancel_initiated_at"] = stamp(j.ended)
	}
	return view
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func (b *anthropicBatches) submit(r *http.Request) document {
	var asks struct {
		Requests []struct {
			Key    string          `json:"custom_id"`
			Params json.RawMessage `json:"params"`
		} `json:"requests"`
	}
	if err := decode(r, &asks); err != nil {
		return b.invalid(notA("batch", err))
	}
	var items []batchItem
	for _, one := range asks.Requests {
		if len(one.Key) > 64 {
			return b.invalid(fmt.Errorf("the key %q has more than 64 characters", one.Key))
		}
		items = append(items, batchItem{one.Key, one.Params})
	}
	return b.batches.submit(r, job{}, items)
}

// results are lines, in another order than the requests.
func (b *anthropicBatches) results(r *http.Request) document {
	j, ok := b.find(r, false)
	if !ok || j.ended.IsZero() {
		return b.absent("result of the batch", r.PathValue("id"))
	}
	var lines bytes.Buffer
	for _, i := range slices.Backward(j.items) {
		result := fields{"type": j.outcome(i)}
		switch j.outcome(i) {
		case succeeded:
			result["message"] = json.RawMessage(b.format.whole(b.server.script.answer(i.turn)))
		case errored:
			_, body := b.format.refuse(i.refusal(b.server.script.Now()))
			result["error"] = json.RawMessage(body)
		}
		lines.Write(append(encode(fields{"custom_id": i.key, "result": result}), '\n'))
	}
	return document{http.StatusOK, "application/x-jsonl", lines.Bytes()}
}
