package event

import (
	"maps"

	"forge/engine/graph"
)

// obstacles are what blocks a run: by node, the remedy of its last call if that failed; and the questions without an answer.
// They are folded from events, also from those of earlier processes. The zero value has none.
type obstacles struct {
	calls      map[string]Remedy
	unanswered map[string]bool // by id of the question
}

// add folds one more event.
func (o *obstacles) add(d Data) {
	switch d := d.(type) {
	case ModelCalled:
		o.call(d)
	case Asked:
		delete(o.unanswered, d.Question.ID)
	case Answered:
		if d.Choice == "" && d.Text == "" {
			set(&o.unanswered, d.QuestionID, true)
		} else {
			delete(o.unanswered, d.QuestionID)
		}
	}
}

// call folds a finished call. One that is repeated, or made by another model, has not ended.
func (o *obstacles) call(d ModelCalled) {
	switch {
	case d.Again > 0 || d.StandIn != "":
	case d.Failure == "":
		delete(o.calls, d.Node)
	case d.Kind == "": // an answer that was of no use
		set(&o.calls, d.Node, RemedyModel)
	default:
		set(&o.calls, d.Node, RemedyOfCall(d.Kind))
	}
}

func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

func (o *obstacles) clone() obstacles {
	return obstacles{maps.Clone(o.calls), maps.Clone(o.unanswered)}
}

// Obstacle returns what gets the user past the first node where the run is stuck at a failed call, otherwise past a question without an
// answer. It is empty if the run is stuck elsewhere.
func (s *Standing) Obstacle() Remedy {
	for _, n := range s.Nodes {
		if r := s.stuck.calls[n.ID]; r != "" && (n.Status == graph.Failed || n.Status == graph.Blocked) {
			return r
		}
	}
	for _, q := range s.Questions {
		if s.stuck.unanswered[q.ID] && q.Kind != AskUnconfined { // without an answer to that one the run continues
			return RemedyAnswer
		}
	}
	return ""
}
