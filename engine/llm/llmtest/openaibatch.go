package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// openAIBatches are OpenAI's files and batches (https://platform.openai.com/docs/api-reference/batch).
type openAIBatches struct{ batches }

func (s *server) routeOpenAIBatches(mux *http.ServeMux, prefix string) {
	b := &openAIBatches{batches{server: s, format: openAI{}, prefix: "batch_", after: "after", view: viewOpenAI}}
	b.route(mux, prefix+"/batches", b.submit)
	files := prefix + "/files"
	mux.HandleFunc("POST "+files, s.call(CallUpload, b.format, b.upload))
	mux.HandleFunc("GET "+files+"/{id}", func(w http.ResponseWriter, r *http.Request) { b.file(r).send(w, Fault{}) })
	mux.HandleFunc("DELETE "+files+"/{id}", func(w http.ResponseWriter, r *http.Request) { b.drop(r).send(w, Fault{}) })
	mux.HandleFunc("GET "+files+"/{id}/content", s.call(CallResults, b.format, b.content))
}

// viewOpenAI words a job. Times are seconds since 1970.
func viewOpenAI(_ *http.Request, j job) fields {
	counts := j.count()
	view := fields{
		"id": fmt.Sprintf("batch_%d", j.number), "object": "batch", "endpoint": "/v1/chat/completions", "errors": nil,
		"input_file_id": j.file, "completion_window": "24h", "status": "in_progress", "metadata": j.metadata,
		"created_at": j.submitted.Unix(), "expires_at": j.expires.Unix(),
		"completed_at": nil, "expired_at": nil, "cancelled_at": nil, "output_file_id": nil, "error_file_id": nil,
		"request_counts": map[string]int{"total": len(j.items), "completed": counts[succeeded], "failed": counts[errored]},
	}
	if j.ended.IsZero() {
		return view
	}
	status := "completed"
	switch {
	case j.cancelled:
		status = "cancelled"
	case counts[expired] > 0:
		status = "expired"
	}
	view["status"], view[status+"_at"] = status, j.ended.Unix()
	if counts[succeeded] > 0 {
		view["output_file_id"] = fmt.Sprintf("file-output-%d", j.number)
	}
	if counts[succeeded] < len(j.items) {
		view["error_file_id"] = fmt.Sprintf("file-errors-%d", j.number)
	}
	return view
}

func (b *openAIBatches) upload(r *http.Request) document {
	r.Body = http.MaxBytesReader(nil, r.Body, maxRequest)
	part, _, err := r.FormFile("file")
	if err != nil {
		return b.invalid(fmt.Errorf("the upload has no file: %w", err))
	}
	defer part.Close() //nolint:errcheck // read to its end
	content, err := io.ReadAll(part)
	if err != nil || r.FormValue("purpose") != "batch" {
		return b.invalid(errors.New("the upload's purpose is not batch, or it broke off"))
	}
	id := fmt.Sprintf("file-%d", b.server.uploads.Add(1))
	b.server.files.Store(id, content)
	return b.describe(id, content)
}

func (b *openAIBatches) describe(id string, content []byte) document {
	return found(fields{
		"id": id, "object": "file", "bytes": len(content), "created_at": b.server.script.Now().Unix(), "filename": "batch.jsonl",
		"purpose": "batch", "status": "processed",
	})
}

// uploaded returns the content of a file.
func (b *openAIBatches) uploaded(id string) (content []byte, ok bool) {
	kept, _ := b.server.files.Load(id)
	content, ok = kept.([]byte)
	return content, ok
}

func (b *openAIBatches) file(r *http.Request) document {
	content, ok := b.uploaded(r.PathValue("id"))
	if !ok {
		return b.absent("file", r.PathValue("id"))
	}
	return b.describe(r.PathValue("id"), content)
}

func (b *openAIBatches) drop(r *http.Request) document {
	id := r.PathValue("id")
	if _, ok := b.server.files.LoadAndDelete(id); !ok {
		return b.absent("file", id)
	}
	return found(fields{"id": id, "object": "file", "deleted": true})
}

// submit makes a job of an uploaded file.
func (b *openAIBatches) submit(r *http.Request) document {
	var asks struct {
		Input    string `json:"input_file_id"`
		Endpoint string `json:"endpoint"`
		Window   string `json:"completion_window"`
		Metadata fields `json:"metadata"`
	}
	if err := decode(r, &asks); err != nil {
		return b.invalid(notA("batch", err))
	}
	content, ok := b.uploaded(asks.Input)
	if !ok {
		return b.absent("file", asks.Input)
	}
	items, err := readLines(content)
	if err == nil && (asks.Endpoint != "/v1/chat/completions" || asks.Window != "24h") {
		err = fmt.Errorf("the endpoint is %q and the window %q", asks.Endpoint, asks.Window)
	}
	if err != nil {
		return b.invalid(err)
	}
	return b.batches.submit(r, job{file: asks.Input, metadata: asks.Metadata}, items)
}

// readLines reads the requests of an input file.
func readLines(content []byte) (items []batchItem, err error) {
	for line := range bytes.Lines(content) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var l struct {
			Key    string          `json:"custom_id"`
			Method string          `json:"method"`
			URL    string          `json:"url"`
			Body   json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, notA("batch", err)
		}
		if l.Method != http.MethodPost || l.URL != "/v1/chat/completions" {
			return nil, fmt.Errorf("the line of %q is no chat completion", l.Key)
		}
		items = append(items, batchItem{l.Key, l.Body})
	}
	return items, nil
}

// content is an uploaded file, or one of the two that a job leaves.
func (b *openAIBatches) content(r *http.Request) document {
	id := r.PathValue("id")
	content, ok := b.uploaded(id)
	for _, kind := range []string{"file-output-", "file-errors-"} {
		if text, is := strings.CutPrefix(id, kind); is {
			number, _ := strconv.Atoi(text) // 0 is no job
			var j job
			if j, ok = b.server.script.job(number, false); ok {
				content = b.lines(j, kind == "file-output-")
			}
		}
	}
	if !ok {
		return b.absent("file", id)
	}
	return document{http.StatusOK, "application/octet-stream", content}
}

// lines are the results of a job, in another order than the requests: those that succeeded, or the others.
func (b *openAIBatches) lines(j job, good bool) []byte {
	var lines bytes.Buffer
	for number, i := range slices.Backward(j.items) {
		what := j.outcome(i)
		if (what == succeeded) != good {
			continue
		}
		line := fields{"id": fmt.Sprintf("batch_req_%d_%d", j.number, number), "custom_id": i.key, "response": nil, "error": nil}
		switch what {
		case succeeded:
			line["response"] = response(http.StatusOK, b.format.whole(b.server.script.answer(i.turn)))
		case errored:
			line["response"] = response(b.format.refuse(i.refusal(b.server.script.Now())))
		case expired:
			line["error"] = map[string]string{
				"code": "batch_expired", "message": "This request could not be executed before the completion window expired.",
			}
		case canceled:
			line["error"] = map[string]string{"code": "batch_cancelled", "message": "This request was not executed: the batch was cancelled."}
		}
		lines.Write(append(encode(line), '\n'))
	}
	return lines.Bytes()
}

func response(status int, body []byte) fields {
	return fields{"status_code": status, "request_id": "req_scripted", "body": json.RawMessage(body)}
}
