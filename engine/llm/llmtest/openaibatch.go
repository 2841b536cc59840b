package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// routeOpenAIBatches adds OpenAI's files and batches (https://platform.openai.com/docs/api-reference/batch).
func (s *server) routeOpenAIBatches(mux *http.ServeMux, prefix string) {
	b := &openAIBatches{script: s.script, files: s.files}
	f := openAI{}
	mux.HandleFunc("POST "+prefix+"/files", s.call(CallUpload, f, b.upload))
	mux.HandleFunc("GET "+prefix+"/files/{id}", b.file)
	mux.HandleFunc("DELETE "+prefix+"/files/{id}", b.drop)
	mux.HandleFunc("GET "+prefix+"/files/{id}/content", s.call(CallResults, f, b.content))
	mux.HandleFunc("POST "+prefix+"/batches", s.call(CallSubmit, f, b.submit))
	mux.HandleFunc("GET "+prefix+"/batches", s.call(CallList, f, b.list))
	mux.HandleFunc("GET "+prefix+"/batches/{id}", s.call(CallPoll, f, b.poll))
	mux.HandleFunc("POST "+prefix+"/batches/{id}/cancel", s.call(CallCancel, f, b.cancel))
}

type openAIBatches struct {
	script *Script
	files  *files
}

// openAIBatch is a job. Times are seconds since 1970.
type openAIBatch struct {
	ID          string         `json:"id"`
	Object      string         `json:"object"`
	Endpoint    string         `json:"endpoint"`
	Errors      any            `json:"errors"`
	Input       string         `json:"input_file_id"`
	Window      string         `json:"completion_window"`
	Status      string         `json:"status"`
	Output      *string        `json:"output_file_id"`
	ErrorFile   *string        `json:"error_file_id"`
	Created     int64          `json:"created_at"`
	Expires     int64          `json:"expires_at"`
	CompletedAt *int64         `json:"completed_at"`
	ExpiredAt   *int64         `json:"expired_at"`
	CancelledAt *int64         `json:"cancelled_at"`
	Counts      map[string]int `json:"request_counts"`
	Metadata    map[string]any `json:"metadata"`
}

func (b *openAIBatches) batch(j job) openAIBatch {
	batch := openAIBatch{
		ID: fmt.Sprintf("batch_%d", j.number), Object: "batch", Endpoint: "/v1/chat/completions", Input: j.file, Window: "24h",
		Status: "in_progress", Created: j.submitted.Unix(), Expires: j.expires.Unix(), Metadata: j.metadata,
		Counts: map[string]int{"total": len(j.items), "completed": 0, "failed": 0},
	}
	if j.ended.IsZero() {
		return batch
	}
	counts, ended := j.count(), j.ended.Unix()
	switch {
	case j.cancelled:
		batch.Status, batch.CancelledAt = "cancelled", &ended
	case counts[expired] > 0:
		batch.Status, batch.ExpiredAt = "expired", &ended
	default:
		batch.Status, batch.CompletedAt = "completed", &ended
	}
	batch.Counts["completed"], batch.Counts["failed"] = counts[succeeded], counts[errored]
	if counts[succeeded] > 0 {
		batch.Output = new(fmt.Sprintf("file-output-%d", j.number))
	}
	if counts[succeeded] < len(j.items) {
		batch.ErrorFile = new(fmt.Sprintf("file-errors-%d", j.number))
	}
	return batch
}

func (b *openAIBatches) upload(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	part, _, err := r.FormFile("file")
	if err != nil {
		refuse(w, openAI{}, invalid("the upload has no file: "+err.Error()))
		return
	}
	defer part.Close() //nolint:errcheck // read to its end
	content, err := io.ReadAll(part)
	if err != nil || r.FormValue("purpose") != "batch" {
		refuse(w, openAI{}, invalid("the upload's purpose is not batch, or it broke off"))
		return
	}
	id := b.files.add(content)
	write(w, http.StatusOK, encode(b.describe(id, len(content))))
}

func (b *openAIBatches) describe(id string, size int) map[string]any {
	return map[string]any{
		"id": id, "object": "file", "bytes": size, "created_at": b.script.Now().Unix(), "filename": "batch.jsonl",
		"purpose": "batch", "status": "processed",
	}
}

func (b *openAIBatches) file(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	content, ok := b.files.read(id)
	if !ok {
		refuse(w, openAI{}, absent("file", id))
		return
	}
	write(w, http.StatusOK, encode(b.describe(id, len(content))))
}

func (b *openAIBatches) drop(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !b.files.drop(id) {
		refuse(w, openAI{}, absent("file", id))
		return
	}
	write(w, http.StatusOK, encode(map[string]any{"id": id, "object": "file", "deleted": true}))
}

// submit makes a job of an uploaded file.
func (b *openAIBatches) submit(w http.ResponseWriter, r *http.Request) {
	var asks struct {
		Input    string         `json:"input_file_id"`
		Endpoint string         `json:"endpoint"`
		Window   string         `json:"completion_window"`
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asks); err != nil {
		refuse(w, openAI{}, invalid(notA("batch", err).Error()))
		return
	}
	content, ok := b.files.read(asks.Input)
	if !ok {
		refuse(w, openAI{}, absent("file", asks.Input))
		return
	}
	keys, requests, err := readLines(content)
	if err == nil && (asks.Endpoint != "/v1/chat/completions" || asks.Window != "24h") {
		err = fmt.Errorf("the endpoint is %q and the window %q", asks.Endpoint, asks.Window)
	}
	if err != nil {
		refuse(w, openAI{}, invalid(err.Error()))
		return
	}
	j := b.script.submit(job{file: asks.Input, metadata: asks.Metadata}, keys, requests)
	write(w, http.StatusOK, encode(b.batch(*j)))
}

// readLines reads the requests of an input file.
func readLines(content []byte) (keys []string, requests []asked, err error) {
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
			return nil, nil, notA("batch", err)
		}
		if l.Key == "" || slices.Contains(keys, l.Key) || l.Method != http.MethodPost || l.URL != "/v1/chat/completions" {
			return nil, nil, fmt.Errorf("the line of %q has no key of its own, or is no chat completion", l.Key)
		}
		request, err := openAI{}.read(l.Body)
		if err == nil && request.stream {
			err = fmt.Errorf("the line of %q asks for a stream", l.Key)
		}
		if err != nil {
			return nil, nil, err
		}
		keys, requests = append(keys, l.Key), append(requests, request)
	}
	return keys, requests, nil
}

func (b *openAIBatches) find(r *http.Request, polled bool) (job, bool) {
	number, err := strconv.Atoi(strings.TrimPrefix(r.PathValue("id"), "batch_"))
	if err != nil {
		return job{}, false
	}
	return b.script.job(number, polled)
}

func (b *openAIBatches) poll(w http.ResponseWriter, r *http.Request) {
	j, ok := b.find(r, true)
	if !ok {
		refuse(w, openAI{}, absent("batch", r.PathValue("id")))
		return
	}
	write(w, http.StatusOK, encode(b.batch(j)))
}

func (b *openAIBatches) cancel(w http.ResponseWriter, r *http.Request) {
	j, ok := b.find(r, false)
	switch {
	case !ok:
		refuse(w, openAI{}, absent("batch", r.PathValue("id")))
	case !j.ended.IsZero():
		refuse(w, openAI{}, refusal{status: http.StatusConflict, message: "the batch has ended", typ: "invalid_request_error"})
	default:
		j = b.script.cancel(j.number)
		write(w, http.StatusOK, encode(b.batch(j)))
	}
}

// list gives pages, the newest first.
func (b *openAIBatches) list(w http.ResponseWriter, r *http.Request) {
	all := []openAIBatch{}
	for _, j := range b.script.newest() {
		all = append(all, b.batch(j))
	}
	if after := r.FormValue("after"); after != "" {
		i := slices.IndexFunc(all, func(x openAIBatch) bool { return x.ID == after })
		all = all[i+1:]
	}
	page := all[:min(len(all), limit(r))]
	first, last := "", ""
	if len(page) > 0 {
		first, last = page[0].ID, page[len(page)-1].ID
	}
	write(w, http.StatusOK, encode(map[string]any{
		"object": "list", "data": page, "first_id": first, "last_id": last, "has_more": len(page) < len(all),
	}))
}

// limit is how many a page has.
func limit(r *http.Request) int {
	const most = 100
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 && n <= most {
		return n
	}
	return 20
}

// content is an uploaded file, or one of the two that a job leaves.
func (b *openAIBatches) content(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	content, ok := b.files.read(id)
	for _, kind := range []string{"file-output-", "file-errors-"} {
		if text, found := strings.CutPrefix(id, kind); found {
			number, _ := strconv.Atoi(text) // 0 is no job
			var j job
			if j, ok = b.script.job(number, false); ok {
				content = b.lines(j, kind == "file-output-")
			}
		}
	}
	if !ok {
		refuse(w, openAI{}, absent("file", id))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(content) // who asked may be gone
}

// lines are the results of a job, in another order than the requests: those that succeeded, or the others.
func (b *openAIBatches) lines(j job, good bool) []byte {
	var lines bytes.Buffer
	for number, i := range slices.Backward(j.items) {
		what := j.outcome(i)
		if (what == succeeded) != good {
			continue
		}
		line := map[string]any{"id": fmt.Sprintf("batch_req_%d_%d", j.number, number), "custom_id": i.key, "response": nil, "error": nil}
		switch what {
		case succeeded:
			line["response"] = response(http.StatusOK, openAI{}.whole(b.script.answer(i.turn)))
		case errored:
			line["response"] = response(openAI{}.refuse(i.refusal(b.script.Now())))
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

func response(status int, body []byte) map[string]any {
	return map[string]any{"status_code": status, "request_id": "req_scripted", "body": json.RawMessage(body)}
}

func invalid(message string) refusal {
	return refusal{status: http.StatusBadRequest, message: message, typ: "invalid_request_error"}
}

func absent(kind, id string) refusal {
	return refusal{status: http.StatusNotFound, message: fmt.Sprintf("there is no %s %q", kind, id), typ: "invalid_request_error"}
}
