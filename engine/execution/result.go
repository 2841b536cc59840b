package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/proposal"
	"forge/engine/step"
	"forge/memory"
)

// reads reports whether a run changes nothing.
func (p Params) reads() bool { return pipeline.Reads(mode.Recipe(p.Recipe)) }

// ended returns the result of a run for fronts, without its proposal.
func (o Outcome) ended() Result {
	return Result{State: o.State, Reason: o.Reason, Remedy: o.Remedy, Review: o.Review, Answer: o.Answer, Plan: o.Plan}
}

// checks are shown with a proposal: the reports of gates and of the reviewer, also if there was none.
func (o Outcome) checks() []gate.Report {
	if o.Review == nil {
		return o.Reports
	}
	return append(slices.Clone(o.Reports), *o.Review)
}

// emit reports an event of the run's code. An answer is also written into a file, which an editor can show.
func (l *Execution) emit(d event.Data) {
	if answer, is := d.(event.AnswerReady); is {
		answer.Path = l.keepAnswer(answer.Text)
		d = answer
	}
	l.Run.Log.AppendOnce(d)
}

// keepAnswer writes the answer of a run into a file, and returns its path; empty if that fails.
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

// proposal returns the proposal of a run's outcome; told are the events of the run.
func (p Params) proposal(run string, o Outcome, told []event.Event) *proposal.Proposal {
	reports := slices.Concat(o.checks(), checks.SuiteReports(told))
	made := proposal.New(proposal.IDOf(run), run, title(p.Task), o.Changes, reports, scope(p.Focus))
	made.Explanation, made.Unverified, made.Missing = o.Explanation, o.Unverified, o.Missing
	made.Asked(p.Task)
	made.CheckPackages(p.snapshot().ReadFile)
	markMerged(made, told)
	return made
}

// The limits of an explanation as users see it: in bytes, and in lines, of which each is that of a part of a plan.
const maxExplanation, maxExplained = 600, 4

// markMerged marks the files of a proposal that were merged from the changes of several parts. The last merge of a file counts.
func markMerged(made *proposal.Proposal, told []event.Event) {
	for _, e := range told {
		merged, is := e.Data.(event.FilesMerged)
		if !is {
			continue
		}
		for _, f := range merged.Files {
			at := slices.IndexFunc(made.Files, func(file proposal.File) bool { return file.Change.Path == f.Path })
			if at >= 0 && f.How != event.MergedSame {
				made.Files[at].Merged = f.String()
			}
		}
	}
}

// The keys under which an executor stores its last result, in the mid tier.
const (
	keyFiles   = "last_files_generated"
	keyDone    = "executor_done_at"
	keyWorkdir = "workdir"
)

// keepOutputs stores the outputs of an attempt's executor, under the name of its node: the changed files, the time of the judgement, and the
// folder. They replace those of its earlier attempts, and expire a day after the run has ended.
func (l *runMemory) keepOutputs(ctx context.Context, m *memory.Project, c step.LearnCall) error {
	files := redacted(l.host, c.Touched)
	slices.Sort(files)
	left := map[string]any{keyFiles: files, keyDone: l.host.Now().UTC().Format(time.RFC3339), keyWorkdir: l.params.Root}
	for _, key := range []string{keyFiles, keyDone, keyWorkdir} {
		value, err := json.Marshal(left[key])
		if err != nil {
			return fmt.Errorf("keep %s of %s: %w", key, c.Node, err)
		}
		_, err = m.Write(ctx, memory.Entry{
			Tier: memory.Mid, Agent: c.Node, Key: key, Value: value,
			Source: l.source(memory.Model, c.Node),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Code is what history has to know of how this package plays runs.
var Code = history.Code{Kind: KindOfRun, Summarize: summarizeOlder, Snapshot: snapshotOf}

// summarizeOlder is the summary of a run that has none, made of its events and its result.
func summarizeOlder(r flow.Run, events []event.Event) (history.Summary, error) {
	s := history.Summarize(wayOf(r), events).Summary
	if len(r.Result) == 0 {
		return s, nil
	}
	o, err := outcomeOf(r.Result)
	s = o.summary(s)
	s.Decision = "" // that version did not keep it
	return s, err
}

// wayOf is how a run works; of one whose input this version cannot read it is empty.
func wayOf(r flow.Run) event.Way {
	var p Params
	if r.Kind != KindOfRun || json.Unmarshal(r.Input, &p) != nil {
		return event.Way{}
	}
	return p.Way()
}

// snapshotOf is the snapshot that was taken for a run.
func snapshotOf(steps []flow.Step) (string, error) {
	for _, s := range steps {
		var taken snapshotTaken
		if s.Do == activitySnapshot.Name && s.Output != nil {
			err := json.Unmarshal(s.Output, &taken)
			return taken.Base, err
		}
	}
	return "", nil
}

// ReviewOf returns the last report of a run's reviewer; nil if there was no review. result is that of the run, as it is stored.
func ReviewOf(result json.RawMessage) (*gate.Report, error) {
	o, err := outcomeOf(result)
	return o.Review, err
}

// summary adds to the summary of a run how it ended.
func (o Outcome) summary(s history.Summary) history.Summary {
	s.State, s.Files, s.Unverified = o.State, len(o.Changes.Files), o.Unverified
	s.Tokens, s.Cached, s.Cost = o.Tokens, o.Cached, o.Cost
	s.Waiting, s.Batch = false, ""
	if s.Decision = ""; s.Files > 0 {
		s.Decision = history.Waiting
	}
	return s
}

// summarize keeps a summary with the run.
func (l *Execution) summarize(ctx context.Context, s history.Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("summarize run %s: %w", l.Run.ID, err)
	}
	return l.lease.Summarize(context.WithoutCancel(ctx), l.host.Secrets.Document(text))
}
