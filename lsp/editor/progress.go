package editor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/internal/inert"
)

const (
	// ReportEvery is the shortest time between two reports: at most ten a second.
	ReportEvery = 100 * time.Millisecond
	// CreateWithin is how long a client may take to accept a progress token.
	CreateWithin = 10 * time.Second
)

// ProgressClient is what a meter needs of a client.
type ProgressClient interface {
	WorkDoneProgressCreate(ctx context.Context, token string) error
	Progress(ctx context.Context, token string, value any) error
}

// Meter turns the events of a run into the progress that the client shows.
type Meter struct {
	ended chan struct{} // closed by Finish
	dirty chan struct{} // holds a token when there is something new

	mu    sync.Mutex // guards what follows
	now   event.Standing
	step  string             // what the run is doing: "gate 3/4 go build"
	at    string             // the node that does it
	gate  string             // the gate that step names, while it runs; else empty
	waits bool               // step is waiting for a batch, or loading a model
	heard int                // bytes that the model has sent in this step
	gates map[string]float64 // by node: which part of its gates is done
	worst int                // highest percentage so far: it never falls
}

// NewMeter returns a meter that has seen nothing.
func NewMeter() *Meter {
	return &Meter{ended: make(chan struct{}), dirty: make(chan struct{}, 1), now: event.Stand(nil), gates: map[string]float64{}}
}

// See updates the progress with an event of the run.
func (m *Meter) See(e event.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Add(e)
	m.heard = 0
	switch d := e.Data.(type) {
	case event.NodeChanged:
		m.seeNode(d.Node)
	case event.WorkIncluded:
		m.step = inert.OneLine(d.String(), 120)
	case event.ModelCalled:
		if m.waits {
			m.step, m.waits = d.Node, false
		}
	case event.BatchWaiting:
		m.step, m.waits = "waiting: "+d.String(), true
	case event.ModelWarming:
		m.step, m.waits = "loading "+d.Model, true
	case event.ModelWarmed:
		m.step, m.waits = d.Node, false
	case event.GateStarted:
		m.step, m.at = fmt.Sprintf("%sgate %d/%d %s", inPart(d.Node), d.Index, d.Of, d.Gate), d.Node
		m.gates[d.Node] = float64(d.Index-1) / float64(max(d.Of, 1))
		m.gate = d.Gate
	case event.GateFinished:
		if m.at != d.Node || m.gate != d.Report.Gate {
			return
		}
		m.step, m.gate = d.Node, ""
	case event.Answered, event.RunResumed:
		m.step = "going on"
	case event.GraphBuilt, event.GraphGrown, event.Spent, event.Asked:
	default:
		return // it is not shown; the end of the progress says how the run ended
	}
	m.poke()
}

// inPart returns the prefix of a node that belongs to a part of a plan: "pay: ".
func inPart(node string) string {
	if part := PartOf(node); part != "" {
		return part + ": "
	}
	return ""
}

func (m *Meter) seeNode(n graph.Node) {
	if n.Status == graph.Running {
		m.step, m.at, m.gate, m.gates[n.ID] = n.ID, n.ID, "", 0
	}
	if n.Status == graph.Blocked {
		m.step, m.at = n.ID+" blocked: "+inert.OneLine(n.Reason, 60), n.ID
	}
}

func (m *Meter) poke() {
	select {
	case m.dirty <- struct{}{}:
	default:
	}
}

// report is what the client receives. Its percentage never falls, and only the end reports 100.
func (m *Meter) report() (message string, percentage uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	parts := m.doing()
	if m.heard > 0 {
		parts = append(parts, fmt.Sprintf("%.1f kB", float64(m.heard)/1000))
	}
	parts = append(parts, m.costs()...)
	m.worst = max(m.worst, m.done())
	return strings.Join(parts, " · "), uint32(m.worst)
}

// doing describes what the run is doing, and in which attempt.
func (m *Meter) doing() []string {
	try := m.now.Node(m.at).Attempt
	question, open := m.now.Open()
	switch {
	case open:
		return []string{"waiting for your answer: " + inert.OneLine(question.Title, 60)}
	case m.step == "":
		return []string{"starting"}
	case try > 1:
		return []string{m.step, fmt.Sprintf("try %d/%d", try, m.now.Attempts)}
	}
	return []string{m.step}
}

// ofAPlan is the estimate of how many nodes a plan adds until that is known: three parts, and what joins them.
const ofAPlan = 12

// done estimates how much of the run is done, from 0 to 99.
func (m *Meter) done() int {
	if len(m.now.Nodes) == 0 {
		return 0
	}
	done, of := 0.0, len(m.now.Nodes)
	for _, n := range m.now.Nodes {
		switch n.Status {
		case graph.Done, graph.Skipped:
			done++
		case graph.Running:
			done += m.gates[n.ID]
		}
	}
	if m.plans() {
		of += ofAPlan
	}
	return min(99, int(100*done/float64(of)))
}

// plans reports whether a planner is still to add its parts.
func (m *Meter) plans() bool {
	n := m.now.Node("planner")
	return n.ID != "" && n.Status != graph.Done && n.Status != graph.Skipped
}

// Say sets the text of the current step.
func (m *Meter) Say(step string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.step = step
	m.poke()
}

// Finish ends the progress. It is called once.
func (m *Meter) Finish() { close(m.ended) }

// Show sends the progress to the client until Finish is called: one begin, reports, exactly one end. It
// sends nothing to a client that does not accept the token.
func (m *Meter) Show(ctx context.Context, c ProgressClient, token, title string) {
	create, cancel := context.WithTimeout(ctx, CreateWithin)
	defer cancel()
	if c.WorkDoneProgressCreate(create, token) != nil {
		return
	}
	ctx = context.WithoutCancel(ctx) // the end is sent also when the session is ending
	yes, zero := true, uint32(0)
	send := func(value any) { _ = c.Progress(ctx, token, value) } // a client that is gone needs no progress
	send(&protocol.WorkDoneProgressBegin{
		Kind: "begin", Title: "Forge: " + inert.OneLine(title, 60), Cancellable: &yes, Percentage: &zero,
	})
	m.reports(send)
	last := m.last()
	send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &last})
}

// reports sends a report when something has changed, at most one per ReportEvery.
func (m *Meter) reports(send func(any)) {
	sent := ""
	for {
		select {
		case <-m.ended:
			return
		case <-m.dirty:
		}
		message, percentage := m.report()
		if line := fmt.Sprint(message, percentage); line != sent {
			sent = line
			send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &percentage})
			if m.pause() {
				return
			}
		}
	}
}

// pause waits out the time between two reports, and reports whether the run ended meanwhile.
func (m *Meter) pause() (ended bool) {
	timer := time.NewTimer(ReportEvery)
	defer timer.Stop()
	select {
	case <-m.ended:
		return true
	case <-timer.C:
		return false
	}
}

func (m *Meter) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(append([]string{cmp.Or(string(m.now.State), m.step)}, m.costs()...), " · ")
}

// costs returns what the run has used so far: 18.4k tok (12.0k cached), $0.07.
func (m *Meter) costs() []string {
	spent := m.now.Spent
	used := tokens(int(spent.Tokens))
	if !m.now.Charged {
		if spent.Tokens == 0 {
			return nil
		}
		return []string{used}
	}
	if cached := spent.Usage.CacheRead; cached > 0 {
		used += " (" + strings.TrimSuffix(tokens(cached), " tok") + " cached)"
	}
	return []string{used, spent.Cost.String()}
}

// tokens writes a number of tokens as users write it: 18.4k tok, 1.0M tok.
func tokens(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d tok", n)
	case n < 999_950: // what rounds to 1000.0k is a million
		return fmt.Sprintf("%.1fk tok", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM tok", float64(n)/1e6)
}

// Hear counts the text that a model has streamed in the current step.
func (m *Meter) Hear(d event.Delta) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.Node != m.step {
		return // the answer has come, and another step is in progress
	}
	m.heard = d.At + len(d.Text)
	m.poke()
}
