package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

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
