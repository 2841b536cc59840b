package dialogue

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// Work is the profile mode.ToolUse: at most as many completions as the mode has turns. Each is a whole document: that of the
// previous turn, followed by its result. It ends when the model reports that it is done; when its turns are used up, which is no
// failure if something was changed, because the gates judge that; or when it is in a loop.
func (p *Phase) Work(ctx context.Context) step.Outcome {
	if o := p.open(ctx); o.Signal != step.Success {
		return o
	}
	w := turns{Phase: p, most: max(p.Run.Task.Mode.Turns, 1), retries: p.Run.Task.Mode.ValidationRetries, seen: map[string]int{}}
	for w.turn = 1; w.turn <= w.most; w.turn++ {
		over, o := w.take(ctx, fmt.Sprintf("turn %d", w.turn))
		if o.Signal != step.Success || over {
			return o
		}
	}
	return w.usedUp()
}

// turns is the state of such a phase.
type turns struct {
	*Phase
	turn, most int
	retries    int            // left for syntax errors, in addition to the turns
	seen       map[string]int // how often an action had the same result
	productive bool           // something was changed
	past       []turned       // turns that are whole in the log
	facts      []string       // summaries of the others
}

// sameResults is how often the same action may have the same result before the turns end.
const sameResults = 3

// take makes one turn. over means that it was the last one.
func (w *turns) take(ctx context.Context, key string) (over bool, o step.Outcome) {
	w.compact()
	a, changes, o := w.complete(ctx, key)
	if o.Signal != step.Success {
		return true, o
	}
	if w.Job.Wants() {
		return true, step.Outcome{Signal: step.Retryable, Reason: "the model needs a file of another part"}
	}
	before := len(w.Now.Tree.Changes)
	w.Now.NoteEdit(changes)
	w.Now.Add(changes)
	w.productive = w.productive || len(changes.Files) > 0
	w.report(a, changes)
	if o := w.actions(ctx, key, a); o.Signal != step.Success {
		return true, o
	}
	faults, o := w.syntax(ctx, key, w.Now.Tree, work.Since(w.Now.Tree, before))
	if o.Signal != step.Success {
		return true, o
	}
	if faults != "" {
		w.note("What is wrong now", faults)
	}
	switch {
	case w.circle != "":
		return true, w.inCircles()
	case !a.Done:
		return false, o
	case faults == "" || w.retries == 0:
		return true, o
	}
	w.retries-- // it is done, but its change is broken: one more completion, regardless of the turns
	return w.take(ctx, key+"/mended")
}

// report adds a turn to the log: the model's explanation and its changes.
func (w *turns) report(a answer, changes patch.ChangeSet) {
	w.began()
	if paths := work.ChangedPaths(changes); len(paths) > 0 {
		w.happened("changed %s", strings.Join(paths, ", "))
	}
	name := fmt.Sprintf("Turn %d of %d", w.turn, w.most)
	text := a.Explanation
	if diff := changes.Unified(3); diff != "" {
		text += "\n" + work.Shorten(diff, work.MaxDigest)
	}
	w.note(name, text)
}

// actions calls the model's tools, in order, and adds the results to the log.
func (w *turns) actions(ctx context.Context, key string, a answer) step.Outcome {
	may := append(append([]action(nil), a.Requests...), a.Actions...)
	for i, todo := range may {
		if w.Budget.Calls >= w.Budget.Tools {
			w.note("No more tools", fmt.Sprintf("all %d calls of tools that a run has are used up: finish with what you have", w.Budget.Tools))
			return step.Outcome{}
		}
		w.Budget.Calls++
		result, changed, o := w.act(ctx, fmt.Sprintf("%s/%d", key, i+1), todo, permission.Build)
		if o.Signal != step.Success {
			return o
		}
		if w.Job.Wants() {
			return step.Outcome{Signal: step.Retryable, Reason: "the model needs a file of another part"}
		}
		w.heard++
		w.productive = w.productive || changed
		w.Log = append(w.Log, resultOf(fmt.Sprintf("Result of %s", todo.title()), todo, result))
		w.happened("%s", did(todo, result, changed))
		same := tool.Key(todo.Tool, todo.arguments()) + "\n" + result
		if w.seen[same]++; w.seen[same] >= sameResults {
			w.circle = todo.title()
		}
		if w.circle != "" {
			return step.Outcome{}
		}
	}
	return step.Outcome{}
}

// inCircles ends turns in which the same action was repeated too often.
func (w *turns) inCircles() step.Outcome {
	reason := fmt.Sprintf("the model went round in circles: %s had the same result %d times", w.circle, sameResults)
	if w.productive {
		w.softly(reason)
		return step.Outcome{}
	}
	return step.Outcome{Signal: step.Retryable, Reason: reason}
}

// usedUp ends turns that the model did not end itself.
func (w *turns) usedUp() step.Outcome {
	reason := fmt.Sprintf("all %d turns of the mode %s were used up", w.most, w.Run.Task.Mode.Name)
	switch {
	case w.productive:
		w.softly(reason)
		return step.Outcome{}
	case w.heard == 0 && w.Explanation == "":
		return step.Outcome{Signal: step.Retryable, Reason: reason + ", and the model did nothing and explained nothing"}
	}
	return step.Outcome{Signal: step.Retryable, Reason: reason + ", and nothing was changed"}
}

// softly reports that the turns ended without the model's report, and that the gates judge the result.
func (w *turns) softly(reason string) {
	w.Now.Work.AddConcern(reason)
	w.Run.Emit(event.GateFinished{Node: w.Node.ID, Attempt: w.Node.Attempt, Report: gate.Report{
		Gate: "turns", Verdict: gate.Pass, Executed: w.turn, Passed: w.turn, Summary: reason + " after productive work; the gates decide",
	}})
}

// The limits of earlier turns in later ones: the newest are whole, the others are summaries. Until the limit nothing is compacted,
// so that each turn begins with the bytes of the previous one.
const (
	wholeTurns  = 3
	maxTurnsLog = 48 << 10 // bytes of all turns together
	maxFact     = 500      // bytes kept of one turn
)

// turned is a turn in the log.
type turned struct {
	number int
	from   int    // its first section in the log
	fact   string // its summary
}

// began records the beginning of a turn.
func (w *turns) began() { w.past = append(w.past, turned{number: w.turn, from: len(w.Log)}) }

// happened adds to the summary of the turn.
func (w *turns) happened(format string, args ...any) {
	now := &w.past[len(w.past)-1]
	if now.fact != "" {
		now.fact += "; "
	}
	now.fact += fmt.Sprintf(format, args...)
}

// compact replaces the turns before the newest ones by their summaries. These contain what was done, and not the model's thoughts.
func (w *turns) compact() {
	if len(w.past) <= wholeTurns || logged(w.Log) <= maxTurnsLog {
		return
	}
	old, kept := w.past[:len(w.past)-wholeTurns], w.past[len(w.past)-wholeTurns:]
	cut := kept[0].from
	for _, t := range old {
		w.facts = append(w.facts, fmt.Sprintf("Turn %d: %s", t.number, work.Shorten(t.fact, maxFact)))
	}
	summary := prompt.Section{Kind: prompt.Errors, Name: "Earlier turns", Text: strings.Join(w.facts, "\n"), Data: true}
	w.Log = append([]prompt.Section{summary}, w.Log[cut:]...)
	w.past = kept
	for i := range w.past {
		w.past[i].from -= cut - 1
	}
}

// logged returns the bytes of a log.
func logged(log []prompt.Section) (sum int) {
	for _, s := range log {
		sum += len(s.Text)
	}
	return sum
}

// did describes an action and its result: "read_file a.go → package a", "delete_file b.go (changed)".
func did(a action, said string, changed bool) string {
	t, known := tool.Grants{}.Find(a.Tool)
	switch {
	case !known:
		return a.title() + " (no such tool)"
	case changed:
		return a.title() + " (changed)"
	case t.Mutates():
		return a.title() + " (nothing changed)"
	}
	first, _, _ := strings.Cut(said, "\n")
	return a.title() + " → " + work.Shorten(first, 60)
}
