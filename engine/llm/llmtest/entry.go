package llmtest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/llm"
)

// Entry is one expected request and what it gets: a reply, a fault, or a fault that a reply breaks off with.
type Entry struct {
	Match Match  `yaml:"match"`
	Reply *Reply `yaml:"reply"`
	Fault *Fault `yaml:"fault"`
	Times int    `yaml:"times"` // how often it is used; 0 is once, -1 as often as asked

	line int // in the file; 0 for an entry made in Go
}

// Match selects the requests that an entry is for. What is not set matches everything.
type Match struct {
	Node     string   `yaml:"node"`     // "pay/executor" is of one part of a plan, "executor" of any
	Attempt  int      `yaml:"attempt"`  // from 1
	Contains []string `yaml:"contains"` // each of them occurs somewhere in the messages
	Schema   string   `yaml:"schema"`   // the schema's name
	Call     Call     `yaml:"call"`     // of a batch API; the entry is about that call, and has a fault alone
}

func (m Match) fits(r llm.Request) bool {
	if m.Call != "" || m.Node != "" && m.Node != r.Node && m.Node != llm.NodeRole(r.Node) || m.Attempt != 0 && m.Attempt != r.Attempt || m.Schema != "" && !m.fitsSchema(r) {
		return false
	}
	return !slices.ContainsFunc(m.Contains, func(part string) bool {
		return !slices.ContainsFunc(r.Messages, func(message llm.Message) bool { return strings.Contains(message.Text, part) })
	})
}

// fitsSchema lets a schema without a name pass for any: not every format has a place for the name.
func (m Match) fitsSchema(r llm.Request) bool {
	return m.Schema == r.SchemaName || r.SchemaName == "" && len(r.Schema) > 0
}

// String returns what is matched, for users.
func (m Match) String() string {
	var parts []string
	if m.Node != "" {
		parts = append(parts, fmt.Sprintf("node %q", m.Node))
	}
	if m.Attempt != 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", m.Attempt))
	}
	if m.Call != "" {
		parts = append(parts, fmt.Sprintf("the batch call %q", m.Call))
	}
	if m.Schema != "" {
		parts = append(parts, fmt.Sprintf("schema %q", m.Schema))
	}
	for _, part := range m.Contains {
		parts = append(parts, fmt.Sprintf("text with %q", part))
	}
	if parts == nil {
		return "any request"
	}
	return strings.Join(parts, ", ")
}

func (e Entry) limit() int {
	if e.Times == 0 {
		return 1
	}
	return e.Times
}

func (e Entry) check() error {
	switch {
	case e.Times < -1:
		return fmt.Errorf("times is %d: give how often, or -1 for as often as asked", e.Times)
	case e.Match.Call != "" && !slices.Contains(allCalls, e.Match.Call):
		return fmt.Errorf("there is no batch call %q: it is one of %q", e.Match.Call, allCalls)
	case e.Match.Call != "" && (e.Fault == nil || e.Reply != nil):
		return errors.New("an entry for a call of a batch API has a fault, and nothing else")
	case e.Reply == nil && e.Fault == nil:
		return errors.New("it has neither a reply nor a fault")
	case e.Fault == nil:
		return e.Reply.check()
	}
	if err := e.Fault.check(); err != nil {
		return err
	}
	if e.Reply == nil {
		return nil
	}
	if !e.Fault.breaksReply() {
		return fmt.Errorf("the fault %q sends no reply: leave one of them out", e.Fault.kind())
	}
	return e.Reply.check()
}

// FaultKind names a way in which a provider or the network fails.
type FaultKind string

// The faults. Those marked with * break a reply off, and need none: without one they break a short one off.
const (
	FaultStatus       FaultKind = "status"        // the HTTP status in Status; the default where that is set
	FaultOverflow     FaultKind = "overflow"      // 400, the context length is exceeded
	FaultQuota        FaultKind = "quota"         // 429, the account has no quota
	FaultNoModel      FaultKind = "no-model"      // 404, the model does not exist
	FaultReset        FaultKind = "reset"         // the connection is reset before the headers
	FaultHTML         FaultKind = "html"          // 200 with a web page, like a captive portal
	FaultMalformed    FaultKind = "malformed"     // 200 with half an event, or half a document
	FaultEmptyChoices FaultKind = "empty-choices" // 200 with chunks of no choices, and nothing else
	FaultMidError     FaultKind = "mid-error"     // * after AfterBytes of the stream, an event that reports a server error
	FaultCut          FaultKind = "cut"           // * after AfterBytes of the stream the connection is closed
	FaultEnd          FaultKind = "end"           // * after AfterBytes the stream ends as if it were whole
	FaultHang         FaultKind = "hang"          // * after AfterBytes (0: before the headers) silence until the caller gives up
	FaultExpire       FaultKind = "expire"        // of an item of a batch: it is never answered. Elsewhere a 503
	FaultLost         FaultKind = "lost"          // of a call of a batch API: it is made, and the reply is lost. Elsewhere a reset
	FaultLength       FaultKind = "length"        // * the reply ends with finish reason length
	FaultFilter       FaultKind = "filter"        // * the reply ends with finish reason content_filter
)

// Fault is what goes wrong. One of Kind and Status is set.
type Fault struct {
	Kind   FaultKind `yaml:"kind"`
	Status int       `yaml:"status"` // 400 to 599

	Message string `yaml:"message"` // of the error; if empty, the fault is named
	Code    string `yaml:"code"`    // of the error, with a status

	RetryAfter      string `yaml:"retryAfter"`      // the header Retry-After, as it is
	RetryAfterMs    int    `yaml:"retryAfterMs"`    // the header retry-after-ms
	RetryAfterDateS int    `yaml:"retryAfterDateS"` // the header Retry-After as the date so many seconds from now

	AfterBytes int `yaml:"afterBytes"` // of the body
}

func (f Fault) kind() FaultKind {
	if f.Kind == "" && f.Status != 0 {
		return FaultStatus
	}
	return f.Kind
}

var faultKinds = []FaultKind{
	FaultStatus, FaultOverflow, FaultQuota, FaultNoModel, FaultReset, FaultHTML, FaultMalformed, FaultEmptyChoices,
	FaultMidError, FaultCut, FaultEnd, FaultHang, FaultLength, FaultFilter, FaultExpire, FaultLost,
}

func (f Fault) check() error {
	switch kind := f.kind(); {
	case !slices.Contains(faultKinds, kind):
		return fmt.Errorf("there is no fault %q: give a status or one of %q", kind, faultKinds)
	case (kind == FaultStatus) != (f.Status != 0):
		return fmt.Errorf("the fault %q and the status %d do not go together", kind, f.Status)
	case f.Status != 0 && (f.Status < 400 || f.Status > 599):
		return fmt.Errorf("the status of a fault is 400 to 599, not %d", f.Status)
	case f.AfterBytes < 0:
		return fmt.Errorf("afterBytes is %d", f.AfterBytes)
	}
	return nil
}

// breaksReply reports whether the fault sends a part of a reply.
func (f Fault) breaksReply() bool {
	return slices.Contains([]FaultKind{FaultMidError, FaultCut, FaultEnd, FaultHang, FaultLength, FaultFilter}, f.kind())
}

// finish is the finish reason that the fault puts into the reply, or empty.
func (f Fault) finish() string {
	switch f.kind() {
	case FaultLength:
		return "length"
	case FaultFilter:
		return "content_filter"
	default:
		return ""
	}
}

// refusal is a fault that is an HTTP status with an error object.
type refusal struct {
	fault              FaultKind
	status             int
	message, typ, code string
	header             map[string]string
	worded             bool // the script chose the message

	kind llm.Kind      // what it means to the caller
	wait time.Duration // what the header asks for
}

// refusal returns what the fault answers instead of a stream, or false. Retry-After dates count from now.
func (f Fault) refusal(now time.Time) (refusal, bool) {
	r := refusal{fault: f.kind(), worded: f.Message != "", status: f.Status, message: f.Message, code: f.Code, typ: "invalid_request_error"}
	switch f.kind() {
	case FaultStatus:
		r.kind = kindOf(f.Status)
	case FaultOverflow:
		r.status, r.code, r.kind = 400, "context_length_exceeded", llm.KindOverflow
	case FaultQuota:
		r.status, r.code, r.typ, r.kind = 429, "insufficient_quota", "insufficient_quota", llm.KindAuth
	case FaultExpire:
		r.status, r.kind = 503, llm.KindTransient
	case FaultNoModel:
		r.status, r.code, r.kind = 404, "model_not_found", llm.KindInvalid
	default:
		return refusal{}, false
	}
	r.message = cmp.Or(r.message, fmt.Sprintf("scripted fault: %s %d", f.kind(), r.status))
	r.header, r.wait = f.delay(now)
	if r.kind != llm.KindRateLimited && r.kind != llm.KindTransient {
		r.wait = 0
	}
	return r, true
}

// delay returns the headers that ask for a wait, and the wait.
func (f Fault) delay(now time.Time) (header map[string]string, wait time.Duration) {
	switch {
	case f.RetryAfterMs > 0:
		wait = time.Duration(f.RetryAfterMs) * time.Millisecond
		return map[string]string{"Retry-After-Ms": strconv.Itoa(f.RetryAfterMs)}, wait
	case f.RetryAfterDateS > 0:
		date := now.UTC().Add(time.Duration(f.RetryAfterDateS) * time.Second).Truncate(time.Second)
		return map[string]string{"Retry-After": date.Format(dateFormat)}, date.Sub(now)
	case f.RetryAfter != "":
		seconds, _ := strconv.Atoi(f.RetryAfter) // what is no number asks for nothing
		return map[string]string{"Retry-After": f.RetryAfter}, time.Duration(max(0, seconds)) * time.Second
	default:
		return nil, 0
	}
}

// dateFormat is that of dates in HTTP (RFC 9110, section 5.6.7).
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// kindOf is what a status means if the error object has no details.
func kindOf(status int) llm.Kind {
	switch {
	case status == 401, status == 402, status == 403:
		return llm.KindAuth
	case status == 413:
		return llm.KindOverflow
	case status == 429:
		return llm.KindRateLimited
	case status == 408, status == 409, status == 425, status >= 500:
		return llm.KindTransient
	default:
		return llm.KindInvalid
	}
}
