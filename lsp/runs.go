package lsp

import (
	"slices"
	"sync"

	"forge/lsp/transport"

	"forge/engine"
	"forge/engine/event"
)

// run is a run of this session. Its identity is settled before started is closed, its result before
// ended is closed.
type run struct {
	clientID string
	folder   Folder
	token    string       // of the progress; empty where the client shows none
	only     string       // its recipe
	about    engine.Focus // what the person pointed at; empty for a run of an earlier session

	started chan struct{}
	*engine.Run
	err error // why it could not be started

	ended  chan struct{} // closed when the last word about the run has been said to the client
	result engine.Result
}

// runs are the runs of this session, oldest first.
type runs struct {
	mu  sync.Mutex
	all []*run // guarded by mu
}

func newRuns() *runs { return &runs{} }

// reserve returns the run of a client's id, or a new one with fresh set, which the caller has to
// start. Without an id each run is new.
func (rs *runs) reserve(clientID string) (r *run, fresh bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.all {
		if clientID != "" && r.clientID == clientID {
			return r, false
		}
	}
	r = &run{clientID: clientID, started: make(chan struct{}), ended: make(chan struct{})}
	rs.all = append(rs.all, r)
	return r, true
}

// settle ends the start of a reserved run. One that could not be started is forgotten, so that the
// client may try again with the same id.
func (rs *runs) settle(r *run) {
	if r.err != nil {
		rs.mu.Lock()
		rs.all = slices.DeleteFunc(rs.all, func(other *run) bool { return other == r })
		rs.mu.Unlock()
	}
	close(r.started)
}

// list returns the runs that were started, newest first.
func (rs *runs) list() []*run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var list []*run
	for _, r := range slices.Backward(rs.all) {
		if r.wasStarted() {
			list = append(list, r)
		}
	}
	return list
}

// find returns a run by its id; an empty id is the last one.
func (rs *runs) find(id string) (*run, error) {
	list := rs.list()
	if id == "" && len(list) > 0 {
		return list[0], nil
	}
	i := slices.IndexFunc(list, func(r *run) bool { return r.ID == id })
	if i < 0 {
		return nil, unknownRun(id, list)
	}
	return list[i], nil
}

func unknownRun(id string, list []*run) error {
	if len(list) == 0 {
		return transport.InvalidParams("runId: there is no run in this session")
	}
	var ids []string
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return transport.InvalidParams("runId: there is no run %q in this session; want one of %s", id, enumerate(ids))
}

func (r *run) wasStarted() bool {
	select {
	case <-r.started:
		return r.err == nil
	default:
		return false
	}
}

// standing is how a run stands, as its log tells it.
type standing struct {
	state    event.State
	reason   string
	way      event.Way
	proposal string // id, once announced
	spent    event.Spent
	progress *event.AttemptJudged // how its latest attempt came out; nil before
	batch    string               // what it waits for, if that may take a day
	spec     int                  // the version that it has appended to the specification
}

func (r *run) standing() standing {
	now := standing{state: event.Running}
	open := map[string]bool{}
	for _, e := range r.Log.Since(0) {
		switch d := e.Data.(type) {
		case event.RunStarted:
			now.way = d.Way
		case event.Asked:
			open[d.Question.ID] = true
		case event.Answered:
			delete(open, d.QuestionID)
		case event.Spent:
			now.spent = d
		case event.AttemptJudged:
			now.progress = &d
		case event.BatchWaiting:
			now.batch = inBatch(d)
		case event.ModelCalled:
			now.batch = ""
		case event.SpecKept:
			now.spec = d.Version
		case event.ProposalReady:
			now.proposal = d.ProposalID
		case event.RunEnded:
			now.state, now.reason, now.batch = d.State, d.Reason, ""
			clear(open)
		case event.RunResumed:
			now.state, now.reason = event.Running, ""
			clear(open)
		}
	}
	if len(open) > 0 {
		now.state = event.Waiting
	}
	return now
}
