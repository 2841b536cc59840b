package acp

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/execution"
	"forge/engine/mode"
)

// session is a conversation about a folder.
type session struct {
	agent *agent
	id    sdk.SessionId
	root  string
	free  chan struct{} // holds a token while no turn works
	usual string        // the mode that is shown while the client has chosen none

	mu       sync.Mutex         // guards the fields below
	mode     string             // that the client has chosen for the next runs; empty is that of the user's settings
	cancel   context.CancelFunc // of the turn; nil without one
	asked    parked             // what waits for an answer in words: the next prompt; zero without one
	written  map[string]bool    // files that the client was asked to write: it may have them unsaved
	microUSD map[string]int64   // what its runs have cost, by their ids
}

func newSession(a *agent, id sdk.SessionId, root string) *session {
	s := &session{agent: a, id: id, root: root, free: make(chan struct{}, 1), written: map[string]bool{}, microUSD: map[string]int64{}}
	s.free <- struct{}{}
	return s
}

func newSessionID() sdk.SessionId { return sdk.SessionId("acp-" + strings.ToLower(rand.Text()[:16])) }

// update sends the client a message about the session. A client that is gone misses it.
func (s *session) update(u sdk.SessionUpdate) {
	if err := s.agent.conn.SessionUpdate(context.Background(), sdk.SessionNotification{SessionId: s.id, Update: u}); err != nil {
		s.agent.log.Debug("update not sent", "session", s.id, "why", err)
	}
}

// modes are Forge's modes, for the client.
func (s *session) modes() *sdk.SessionModeState {
	state := &sdk.SessionModeState{CurrentModeId: sdk.SessionModeId(cmp.Or(s.chosenMode(), s.usual))}
	for _, m := range mode.Modes() {
		state.AvailableModes = append(state.AvailableModes, sdk.SessionMode{
			Id: sdk.SessionModeId(m.Name), Name: string(m.Name), Description: new(m.Summary),
		})
	}
	return state
}

// optionMode is the id of the option that is the mode.
const optionMode = "mode"

// options are the modes as an option, for clients that know options instead of modes.
func (s *session) options() []sdk.SessionConfigOption {
	var values sdk.SessionConfigSelectOptionsUngrouped
	for _, m := range mode.Modes() {
		values = append(values, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.Name), Name: string(m.Name), Description: new(m.Summary)})
	}
	return []sdk.SessionConfigOption{{Select: &sdk.SessionConfigOptionSelect{
		Type: "select", Id: optionMode, Name: "Mode", Category: sdk.Ptr(sdk.SessionConfigOptionCategoryMode),
		CurrentValue: sdk.SessionConfigValueId(cmp.Or(s.chosenMode(), s.usual)), Options: sdk.SessionConfigSelectOptions{Ungrouped: &values},
	}}}
}

func (s *session) chosenMode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// setMode sets the mode of the next runs. The error lists the modes.
func (s *session) setMode(name string) error {
	m, err := mode.Lookup(name)
	if err != nil || name == "" {
		return invalid(fmt.Sprintf("there is no mode %q; modes are %v", name, modeNames()))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = string(m.Name)
	return nil
}

func modeNames() (names []mode.Name) {
	for _, m := range mode.Modes() {
		names = append(names, m.Name)
	}
	return names
}

// begin waits until the session is free and begins a turn. The context ends when the turn is cancelled or the connection ends; end
// must be called.
func (s *session) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	select {
	case <-s.free:
	case <-ctx.Done():
		return ctx, nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.agent.ending, cancel)
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
		stop()
		cancel()
		s.free <- struct{}{}
	}, nil
}

// stop cancels the turn, if there is one.
func (s *session) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// end ends a run whose turn was cancelled or whose client is gone: then the run can be resumed.
func (s *session) end(run *execution.Run) {
	if s.agent.left() {
		run.Leave()
	} else {
		run.Cancel()
	}
}

// parked is a run that waits for the user's words, and the question that it has asked.
type parked struct{ run, question string }

// waitFor remembers the question that the next prompt answers; the zero value forgets it. It returns the one that was remembered.
func (s *session) waitFor(now parked) (before parked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.asked = s.asked, now
	return before
}

// spend notes what a run has cost so far. A run that is resumed has one cost.
func (s *session) spend(run string, microUSD int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.microUSD[run] = microUSD
}

// spentBeside returns what the other runs of the session have cost.
func (s *session) spentBeside(run string) (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, microUSD := range s.microUSD {
		if other != run {
			sum += microUSD
		}
	}
	return sum
}
