package execution

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/proposal"
)

// reads reports whether a run changes nothing.
func (p Params) reads() bool { return pipeline.Reads(mode.Recipe(p.Recipe)) }

// Result is what fronts are told of the result of a run, but for its proposal.
func (o Outcome) Result() Result {
	return Result{State: o.State, Reason: o.Reason, Review: o.Review, Answer: o.Answer}
}

// checks are what the user sees beside a proposal: what the gates say, and the reviewer's opinion. That nobody was asked
// for one is said, too.
func (o Outcome) checks() []gate.Report {
	if o.Review == nil {
		return o.Reports
	}
	return append(slices.Clone(o.Reports), *o.Review)
}

// tell reports what the code of the run tells. An answer is kept as a file as well, so that an editor can show it.
func (l *Execution) emit(d event.Data) {
	if answer, is := d.(event.AnswerReady); is {
		answer.Path = l.keepAnswer(answer.Text)
		d = answer
	}
	l.Run.Log.Tell(d)
}

// keepAnswer writes the answer of a run, and gives the path of the file; where that fails the answer is told all the same.
func (l *Execution) keepAnswer(text string) (path string) {
	if l.fenced() {
		return ""
	}
	path = l.project.AnswerFile(l.Run.ID)
	if err := os.WriteFile(path, []byte(l.host.Secrets.Plain(text)), 0o600); err != nil {
		l.host.State.Notify(fmt.Sprintf("the answer of run %s could not be kept: %v", l.Run.ID, err))
		return ""
	}
	return path
}

// offers reports whether there is a change to propose: one that the run accepted, or the best of what it made.
func (o Outcome) offers() bool {
	return len(o.Changes.Files) > 0 && (o.State == event.Succeeded || o.Unverified != "")
}

// proposal is the proposal of how a run ended, of which these events tell.
func (p Params) proposal(run string, o Outcome, told []event.Event) *proposal.Proposal {
	checks := slices.Concat(o.checks(), suiteReports(told))
	made := proposal.New("p-"+strings.TrimPrefix(run, "r-"), run, title(p.Task), o.Changes, checks, scope(p.Focus))
	made.Unverified = o.Unverified
	made.Asked(p.Task)
	made.CheckPackages(p.snapshot().ReadFile)
	return made
}
