package event

import (
	"time"

	"forge/engine/graph"
)

// PlanEffort is the measured effort of a plan, beside its estimate.
type PlanEffort struct {
	Parts    int           `json:"parts"`
	Tiers    int           `json:"tiers"`
	Files    int           `json:"files"`    // that the plan named
	Retries  int           `json:"retries"`  // attempts after the first ones of parts and joins
	Estimate time.Duration `json:"estimate"` // without a correction by earlier plans
	Took     time.Duration `json:"took"`     // from the approval to the end of the run
}

// PlanMeter measures what the plan of a run takes, from the events of the run. The zero PlanMeter has seen none.
type PlanMeter struct {
	took  PlanEffort
	began time.Time // when the plan was approved
	ended bool      // with success
	cut   bool      // the run was interrupted after it had a plan
}

// kindExecutor is the kind of the nodes that make attempts.
const kindExecutor = "executor"

// Add adds one event of the run; events must come in their order.
func (m *PlanMeter) Add(e Event) {
	switch d := e.Data.(type) {
	case Planned:
		m.took = PlanEffort{Parts: len(d.Parts), Estimate: time.Duration(d.Estimate()) * time.Minute}
		for _, part := range d.Parts {
			m.took.Tiers, m.took.Files = max(m.took.Tiers, part.Tier), m.took.Files+len(part.Files)
		}
		m.began = time.Time{}
	case GraphGrown:
		if m.began.IsZero() && m.took.Parts > 0 { // the plan was approved
			m.began = e.Time
		}
	case RunResumed:
		m.cut = m.took.Parts > 0
	case NodeChanged:
		if m.took.Parts > 0 && d.Node.Kind == kindExecutor && d.Node.Status == graph.Running && d.Node.Attempt > 1 {
			m.took.Retries++
		}
	case RunEnded:
		m.ended = d.State == Succeeded
		m.took.Took = e.Time.Sub(m.began)
	}
}

// Took returns what the plan took, once the run has succeeded. It is zero before, without a plan, and for a run that was interrupted.
func (m *PlanMeter) Took() PlanEffort {
	if !m.ended || m.cut || m.began.IsZero() {
		return PlanEffort{}
	}
	return m.took
}
