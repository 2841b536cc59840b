package pipeline

import (
	"context"
	"fmt"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// Retry is the user's wish that a failed run goes on: the nodes where it was stuck are
// tried again, and where a part's attempts were used up each part has as many more. What is in the journal stays there:
// a step that is made again is another step.
type Retry struct {
	Stuck  []step.Place // nodes, with the attempts in which they were stuck; not those that had no attempts left
	UsedUp bool         // an executor had no attempts left
	Judge  []step.Place // starts of executors that judge the best draft again instead of asking a model
}

// retry is what would be tried again of a run that is stuck.
func (r *run) retry(stuck *graph.StuckError) Retry {
	again := Retry{}
	for _, n := range stuck.Nodes {
		if !r.moduleOf(n).history.usedUp {
			again.Stuck = append(again.Stuck, at(n))
		}
	}
	for _, m := range append([]*module{r.whole}, r.parts...) {
		if m.history.usedUp {
			again.UsedUp = true
			continue
		}
		again.Stuck = append(again.Stuck, m.diagnosis.lost...)
	}
	for _, m := range append([]*module{r.whole}, r.parts...) {
		if place, is := m.toJudge(stuck.Nodes); is {
			again.Judge = append(again.Judge, place)
		}
	}
	return again
}

// retried is how often what a node does in an attempt is to be tried again.
func (r *run) retried(n graph.Node) int {
	times := 0
	for _, retry := range r.Retries {
		for _, place := range retry.Stuck {
			if place == at(n) {
				times++
			}
		}
	}
	return times
}

// more is how many attempts a retry adds: judging a draft again takes none from those that ask a model.
func (r *run) more(retry Retry) (n int) {
	if retry.UsedUp {
		n += r.Attempts
	}
	if len(retry.Judge) > 0 {
		n++
	}
	return n
}

// attempts is how many attempts the executor has in all.
func (r *run) attempts() int {
	all := r.Attempts
	for _, retry := range r.Retries {
		all += r.more(retry)
	}
	return all
}

// limit is how many attempts there were when one of them began: what was said then does not change because
// there are more now.
func (r *run) limit(attempt int) int {
	all := r.Attempts
	for _, retry := range r.Retries {
		if attempt <= all {
			break
		}
		all += r.more(retry)
	}
	return all
}

// name is what a step is called when it is made for the time-th time again.
func name(step string, time int) string {
	if time == 0 {
		return step
	}
	return fmt.Sprintf("%s/again %d", step, time)
}

// decide takes a step that nothing tries again by itself, and that the user may have had tried again.
func decide[T any](ctx context.Context, b *budget, n graph.Node, s step.Step[T]) (T, step.Outcome) {
	key := s.Key
	for time := 0; ; time++ {
		s.Place, s.Key = at(n), name(key, time)
		if o := b.count(); o.Signal != step.Success {
			var none T
			return none, o
		}
		value, o := step.Do(ctx, b.run.Env.Env, s)
		if o.Signal != step.Retryable || time >= b.run.retried(n) {
			return value, o
		}
	}
}

// Waived is the summary of a gate that is not run because the user's settings waive it.
const Waived = "waived in your settings"

// isWaived reports whether a gate was waived after the run began: it decides nothing.
func isWaived(r gate.Report) bool { return r.Verdict == gate.NotRun && r.Summary == Waived }
