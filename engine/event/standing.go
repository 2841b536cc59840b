package event

import (
	"cmp"
	"slices"
	"time"

	"forge/engine/graph"
)

// Standing is the state of a run, folded from its events. It is the only fold of them: lists, progress, lines for users
// and answers to commands read it. Stand creates it, and a Log has one.
type Standing struct {
	State     State // Waiting while a question is open
	Reason    string
	Remedy    Remedy // of a run that has ended
	Way       Way
	Active    time.Time     // of the last event
	Base      string        // id of the snapshot that the run works on
	Quiet     time.Duration // as in RunEnded
	Attempts  int           // how often a node may start; 0 before the graph
	Nodes     []graph.Node
	Edges     []graph.Edge
	Questions []AskedQuestion // all questions, the oldest first
	Spent     Spent
	Charged   bool           // Spent is the charged sum; otherwise it has only the tokens of calls
	Progress  *AttemptJudged // result of the latest attempt; nil before
	Proposal  ProposalReady  // zero before there is one
	Spec      int            // version appended to the specification; 0 is none

	waits []BatchWaiting // one for each waiting call; the last one waited last
	last  BatchWaiting   // the last reported one
	stuck obstacles
}

// AskedQuestion is a question that a run has asked.
type AskedQuestion struct {
	Question
	Open bool
}

// Stand folds the events of a run, in order.
func Stand(events []Event) Standing {
	s := Standing{State: Running}
	for _, e := range events {
		s.Add(e)
	}
	return s
}

// Add folds one more event.
func (s *Standing) Add(e Event) {
	s.Active = e.Time
	s.stuck.add(e.Data)
	switch d := e.Data.(type) {
	case TaskClassified:
		s.Way.Recipe = cmp.Or(d.Recipe, s.Way.Recipe)
	case RunStarted:
		s.Way = d.Way
	case GraphBuilt:
		s.Base, s.Attempts, s.Nodes, s.Edges = d.Base, d.Attempts, slices.Clone(d.Nodes), slices.Clone(d.Edges)
	case GraphGrown:
		s.Nodes, s.Edges = append(s.Nodes, d.Nodes...), append(s.Edges, d.Edges...)
	case NodeChanged:
		s.node(d.Node)
	case AttemptJudged:
		s.Progress = &d
	case SpecKept:
		s.Spec = d.Version
	case ProposalReady:
		s.Proposal = d
	case ModelCalled, BatchWaiting, Spent:
		s.call(d)
	case Asked, Answered:
		s.question(d)
	case RunEnded:
		s.closeQuestions()
		s.State, s.Reason, s.Remedy, s.Quiet = d.State, d.Reason, d.Remedy, d.Quiet
	case RunResumed:
		s.closeQuestions()
		s.State, s.Reason, s.Remedy, s.Quiet = Running, "", "", 0
	}
}

func (s *Standing) node(n graph.Node) {
	i := slices.IndexFunc(s.Nodes, func(known graph.Node) bool { return known.ID == n.ID })
	if i < 0 {
		s.Nodes = append(s.Nodes, n)
		return
	}
	s.Nodes[i] = n
}

func (s *Standing) call(d Data) {
	switch d := d.(type) {
	case BatchWaiting:
		s.forget(d.Node, d.Attempt)
		s.waits, s.last = append(s.waits, d), d
	case ModelCalled:
		s.forget(d.Node, d.Attempt)
		if !s.Charged { // runs of older versions do not report the sum
			s.Spent.Tokens += int64(d.Input + d.Output)
		}
	case Spent:
		s.Spent, s.Charged = d, true
	}
}

// forget removes the wait of a call.
func (s *Standing) forget(node string, attempt int) {
	s.waits = slices.DeleteFunc(s.waits, func(w BatchWaiting) bool { return w.Node == node && w.Attempt == attempt })
}

// Batch returns the batch of the call that began to wait last, while it waits.
func (s *Standing) Batch() (w BatchWaiting, waits bool) {
	return s.last, slices.Contains(s.waits, s.last)
}

func (s *Standing) question(d Data) {
	switch d := d.(type) {
	case Asked:
		s.Questions = slices.DeleteFunc(s.Questions, func(q AskedQuestion) bool { return q.ID == d.Question.ID })
		s.Questions = append(s.Questions, AskedQuestion{d.Question, true})
		s.State = Waiting
	case Answered:
		for i := range s.Questions {
			s.Questions[i].Open = s.Questions[i].Open && s.Questions[i].ID != d.QuestionID
		}
		if _, waits := s.Open(); !waits && s.State == Waiting {
			s.State = Running
		}
	}
}

func (s *Standing) closeQuestions() {
	for i := range s.Questions {
		s.Questions[i].Open = false
	}
}

// Replayed returns all events of a run for a client that reads them afterwards: the questions that are not open are Closed.
func Replayed(events []Event) []Event {
	open := map[string]bool{}
	for _, q := range Stand(events).Questions {
		open[q.ID] = q.Open
	}
	replayed := slices.Clone(events)
	for i, e := range replayed {
		if asked, is := e.Data.(Asked); is && !open[asked.Question.ID] {
			asked.Question.Closed = true
			replayed[i].Data = asked
		}
	}
	return replayed
}

// Open returns the oldest open question.
func (s *Standing) Open() (q Question, open bool) {
	i := slices.IndexFunc(s.Questions, func(q AskedQuestion) bool { return q.Open })
	if i < 0 {
		return q, false
	}
	return s.Questions[i].Question, true
}

// Node returns the node with an id, or the zero node.
func (s *Standing) Node(id string) graph.Node {
	for _, n := range s.Nodes {
		if n.ID == id {
			return n
		}
	}
	return graph.Node{}
}

// Clone returns a copy that later events do not change.
func (s *Standing) Clone() Standing {
	c := *s
	c.stuck = s.stuck.clone()
	c.Nodes, c.Edges, c.Questions, c.waits = slices.Clone(s.Nodes), slices.Clone(s.Edges), slices.Clone(s.Questions), slices.Clone(s.waits)
	return c
}
