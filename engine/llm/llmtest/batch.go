package llmtest

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"forge/engine/llm"
)

// Batch configures the batch APIs of a script. Each item of a job takes an entry like any other request, at the
// moment of its submission; an entry's fault is then the item's: a status is an error, FaultExpire an item that is
// never answered. Entries whose match names a call are about that call instead.
type Batch struct {
	Polls   int `yaml:"polls"`   // how often a job is found unfinished before it has ended; -1 is until its time
	TakesS  int `yaml:"takesS"`  // seconds after which a job has ended, polled or not; 0 is not before it expires
	ExpireS int `yaml:"expireS"` // seconds until a job that has not ended has expired; 0 is a day
}

// Call names a call of a batch API, for Match.
type Call string

// The calls.
const (
	CallSubmit  Call = "submit" // OpenAI's upload is not one: it is a part of this
	CallUpload  Call = "upload"
	CallPoll    Call = "poll"
	CallResults Call = "results"
	CallList    Call = "list"
	CallCancel  Call = "cancel"
)

var allCalls = []Call{CallSubmit, CallUpload, CallPoll, CallResults, CallList, CallCancel}

// job is a batch that was submitted.
type job struct {
	number    int
	file      string // OpenAI's input file
	metadata  map[string]any
	submitted time.Time
	expires   time.Time
	ended     time.Time // zero while it runs
	cancelled bool
	polls     int
	items     []item
}

// item is one request of a job and the entry that it took.
type item struct {
	key     string
	turn    turn
	refused error // no entry expects it
}

// outcome of an item.
type outcome string

const (
	succeeded outcome = "succeeded"
	errored   outcome = "errored"
	expired   outcome = "expired"
	canceled  outcome = "canceled"
)

// submit makes a job of items that were read. The items take their entries at once.
func (s *Script) submit(j job, keys []string, requests []asked) *job {
	now := s.Now()
	j.submitted, j.expires = now, now.Add(s.Batch.expiry())
	for i, r := range requests {
		t, err := s.draw(r.Request)
		j.items = append(j.items, item{key: keys[i], turn: t, refused: err})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j.number = len(s.jobs) + 1
	s.jobs = append(s.jobs, &j)
	return &j
}

func (b Batch) expiry() time.Duration {
	if b.ExpireS == 0 {
		return 24 * time.Hour
	}
	return time.Duration(b.ExpireS) * time.Second
}

// job finds a job by number and lets time pass for it. polled is true if a client asked whether it has ended. The
// result is a copy, false is no such job.
func (s *Script) job(number int, polled bool) (job, bool) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 1 || number > len(s.jobs) {
		return job{}, false
	}
	j := s.jobs[number-1]
	if j.ended.IsZero() && s.Batch.Polls >= 0 && j.polls >= s.Batch.Polls {
		j.ended = now
	}
	if done := j.submitted.Add(time.Duration(s.Batch.TakesS) * time.Second); j.ended.IsZero() && s.Batch.TakesS > 0 && !now.Before(done) {
		j.ended = done
	}
	if j.ended.IsZero() && !now.Before(j.expires) {
		j.ended = j.expires
	}
	if polled {
		j.polls++
	}
	return *j, true
}

// cancel ends a job that there is, if it runs, and returns it.
func (s *Script) cancel(number int) job {
	s.job(number, false) // it may have ended meanwhile
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[number-1]
	if j.ended.IsZero() {
		j.ended, j.cancelled = now, true
	}
	return *j
}

// newest are the jobs, the newest first.
func (s *Script) newest() []job {
	var all []job
	for number := s.Jobs(); number > 0; number-- {
		j, _ := s.job(number, false)
		all = append(all, j)
	}
	return all
}

// Jobs is how many jobs were submitted so far, also if the answer that confirmed it was lost.
func (s *Script) Jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

// Adopt takes over the jobs of another script, as a server has them that was started again.
func (s *Script) Adopt(other *Script) {
	other.mu.Lock()
	jobs := slices.Clone(other.jobs)
	other.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, jobs...)
}

// outcome of an item of an ended job.
func (j job) outcome(i item) outcome {
	switch {
	case i.refused != nil:
		return errored
	case j.cancelled:
		return canceled
	case !j.ended.Before(j.expires), i.turn.fault().kind() == FaultExpire:
		return expired
	case i.turn.fault().failsItem():
		return errored
	default:
		return succeeded
	}
}

// failsItem reports whether the fault is an error of an item; the others end its answer in some way.
func (f Fault) failsItem() bool {
	return !slices.Contains([]FaultKind{"", FaultLength, FaultFilter, FaultExpire}, f.kind())
}

// refusal is why an errored item failed. A connection that breaks is a failure of the provider here: a client that
// waits for a batch has none.
func (i item) refusal(now time.Time) refusal {
	if i.refused != nil {
		return refusal{status: http.StatusBadRequest, message: i.refused.Error(), typ: "invalid_request_error", code: "unexpected_request"}
	}
	if r, ok := i.turn.fault().refusal(now); ok {
		return r
	}
	return refusal{
		status: http.StatusInternalServerError, typ: "server_error",
		message: fmt.Sprintf("scripted fault: %s in a batch", i.turn.fault().kind()),
	}
}

// count counts the outcomes of a job; none of a job that runs.
func (j job) count() map[outcome]int {
	counts := map[outcome]int{}
	if !j.ended.IsZero() {
		for _, i := range j.items {
			counts[j.outcome(i)]++
		}
	}
	return counts
}

// takeCall returns the fault that the script has for a call of a batch API; without an entry it works.
func (s *Script) takeCall(c Call) (Fault, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, entry := range s.entries {
		if s.left[i] == 0 || entry.Match.Call != c {
			continue
		}
		s.left[i]--
		s.used[i]++
		return *entry.Fault, s.label(i)
	}
	return Fault{}, "no entry"
}

// document is what a call is answered with.
type document struct {
	status int
	kind   string // its content type
	body   []byte
}

func found(v any) document { return document{http.StatusOK, "application/json", encode(v)} }

func refused(f format, r refusal) document {
	status, body := f.refuse(r)
	return document{status, "application/json", body}
}

// send sends the document, or only its beginning if the fault demands it.
func (d document) send(w http.ResponseWriter, fault Fault) {
	part := d.body
	switch fault.kind() {
	case FaultMalformed:
		part = part[:len(part)/2]
	case FaultCut, FaultEnd:
		part = part[:min(len(part), fault.AfterBytes)]
	}
	w.Header().Set("Content-Type", d.kind)
	w.WriteHeader(d.status)
	_, err := w.Write(part)
	if err != nil || fault.kind() == FaultCut && len(part) < len(d.body) {
		_ = http.NewResponseController(w).Flush() // so that what was sent arrives before the cut
		panic(http.ErrAbortHandler)
	}
}

// call answers a call of a batch API: the script's faults come first. If the reply is to be lost, the call has its effect nevertheless.
func (s *server) call(c Call, f format, answer func(*http.Request) document) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault, label := s.script.takeCall(c)
		s.log.printf("batch %s → %s %s", c, label, fault.kind())
		switch fault.kind() {
		case FaultLost:
			answer(r)
			reset(w)
		case FaultReset:
			reset(w)
		case FaultHTML:
			webPage(w)
		case FaultHang:
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		default:
			if refused, ok := fault.refusal(s.script.Now()); ok {
				refuse(w, f, refused)
				return
			}
			answer(r).send(w, fault)
		}
	}
}

// draw finds the entry for a request like take, but every request is a new one: providers of batches know no keys of
// calls.
func (s *Script) draw(r llm.Request) (turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(r)
}
