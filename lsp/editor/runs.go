package editor

import (
	"slices"
	"sync"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/lsp/transport"
)

// Run is a run of this session. Its identity is settled before started is closed, its result before
// ended is closed.
type Run struct {
	clientID string
	Folder   Folder
	Token    string          // of the progress; empty where the client shows none
	Kind     string          // its recipe
	About    execution.Focus // what the user pointed at; empty for a run of an earlier session

	Started chan struct{}
	*execution.Run
	Err error // why it could not be started

	Ended  chan struct{} // closed when the last message about the run was sent to the client
	Result execution.Result
}

// Runs are the runs of this session, oldest first.
type Runs struct {
	mu  sync.Mutex
	all []*Run // guarded by mu
}

// NewRuns returns no runs.
func NewRuns() *Runs { return &Runs{} }

// Reserve returns the run of a client's id, or a new one with fresh set, which the caller has to
// start. Without an id each run is new.
func (rs *Runs) Reserve(clientID string) (r *Run, fresh bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.all {
		if clientID != "" && r.clientID == clientID {
			return r, false
		}
	}
	r = &Run{clientID: clientID, Started: make(chan struct{}), Ended: make(chan struct{})}
	rs.all = append(rs.all, r)
	return r, true
}

// Settle ends the start of a reserved run. One that could not be started is forgotten, so that the
// client may try again with the same id.
func (rs *Runs) Settle(r *Run) {
	if r.Err != nil {
		rs.mu.Lock()
		rs.all = slices.DeleteFunc(rs.all, func(other *Run) bool { return other == r })
		rs.mu.Unlock()
	}
	close(r.Started)
}

// List returns the runs that were started, newest first.
func (rs *Runs) List() []*Run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var list []*Run
	for _, r := range slices.Backward(rs.all) {
		if r.wasStarted() {
			list = append(list, r)
		}
	}
	return list
}

// Newest returns the run that was reserved or adopted last, started or not; nil if there is none.
func (rs *Runs) Newest() *Run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.all) == 0 {
		return nil
	}
	return rs.all[len(rs.all)-1]
}

// Find returns a run by its id; an empty id is the last one.
func (rs *Runs) Find(id string) (*Run, error) {
	list := rs.List()
	if id == "" && len(list) > 0 {
		return list[0], nil
	}
	i := slices.IndexFunc(list, func(r *Run) bool { return r.ID == id })
	if i < 0 {
		return nil, unknownRun(id, list)
	}
	return list[i], nil
}

func unknownRun(id string, list []*Run) error {
	if len(list) == 0 {
		return transport.InvalidParams("There is no run in this session yet. Start one, or resume one from the list of runs.")
	}
	return transport.InvalidParams("There is no run %q in this session. The list of runs shows those that can be resumed.", id)
}

// HasSuite reports whether the run has ended with tests that can run in the background, or have.
func (r *Run) HasSuite() bool { return IsClosed(r.Ended) && r.Result.Suite != nil }

// StopSuite ends the tests that are run in the background for the proposal of the run, if there are any.
func (r *Run) StopSuite() {
	if r.HasSuite() {
		r.Result.Suite.Cancel()
	}
}

func (r *Run) wasStarted() bool {
	select {
	case <-r.Started:
		return r.Err == nil
	default:
		return false
	}
}

// Standing returns the current state of the run.
func (r *Run) Standing() event.Standing { return r.Log.Standing() }

// The recipes of runs that change nothing, as the engine knows them.
const (
	RecipeAsk    = "ask"
	RecipeReview = "review"
	RecipeFinal  = "final"
	RecipeSpec   = "spec"
)

// Reads reports whether a run changes nothing. Its result is an answer, a review or a specification, not a proposal.
func (r *Run) Reads() bool {
	return slices.Contains([]string{RecipeAsk, RecipeReview, RecipeFinal, RecipeSpec}, r.Kind)
}

// Acknowledge is the run as commands return it; with its result, once it has ended.
func (r *Run) Acknowledge() api.RunResult {
	now := r.Standing()
	result := api.RunResult{
		RunID: r.ID, ProgressToken: r.Token, Folder: string(r.Folder.URI), State: string(now.State), Reason: now.Reason, Remedy: now.Remedy,
	}
	if !IsClosed(r.Ended) {
		return result
	}
	if r.Result.Proposal != nil {
		result.ProposalID = r.Result.Proposal.ID
	}
	if r.Result.Review != nil {
		review := api.GateOf(*r.Result.Review)
		result.Review = &review
	}
	result.Answer, result.SpecVersion = r.Result.Answer, now.Spec
	return result
}

// Adopt adds a resumed run. It replaces an earlier entry of the same run.
func (rs *Runs) Adopt(resumed *execution.Run, folder Folder) *Run {
	r := &Run{Folder: folder, Run: resumed, Started: make(chan struct{}), Ended: make(chan struct{})}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i, other := range rs.all {
		if other.wasStarted() && other.ID == resumed.ID {
			r.clientID = other.clientID
			rs.all = append(rs.all[:i:i], rs.all[i+1:]...)
			break
		}
	}
	rs.all = append(rs.all, r)
	return r
}

// IsClosed reports whether a channel is closed. It does not wait.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
