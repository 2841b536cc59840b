package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Findings are what models have seen besides the context of the task. They outlast attempts.
type Findings struct {
	looked  []Looked         // results of exploring
	Shown   []string         // files of which a model was shown a text
	advice  []prompt.Section // for the next attempt
	causes  []prompt.Section // the diagnosis of the last attempt, until the user answers a blocked model
	answers []prompt.Section // the user's answers to a blocked model
	Words   string           // only the user's words in them
}

// Knows reports whether a request with this key was made.
func (k *Findings) Knows(key string) bool {
	return slices.ContainsFunc(k.looked, func(l Looked) bool { return l.Key == key })
}

// Bytes returns the size of all explored results.
func (k *Findings) Bytes() (sum int) {
	for _, l := range k.looked {
		sum += len(l.Said.Text)
	}
	return sum
}

// Count returns the number of explored results; the last one has this number in Sections.
func (k *Findings) Count() int { return len(k.looked) }

// Sections returns the explored results, and the advice for the next attempt: sections of later documents.
func (k *Findings) Sections() []prompt.Section { return k.SectionsAfter(patch.ChangeSet{}) }

// SectionsAfter is Sections for a tree that has changed since it was explored: lines that are different now are left out.
func (k *Findings) SectionsAfter(changes patch.ChangeSet) []prompt.Section {
	var sections []prompt.Section
	for i, l := range k.looked {
		s := prompt.Section{Kind: prompt.Explored, Name: fmt.Sprintf("Looked at, %d", i+1), Text: l.Question + "\n" + strings.TrimRight(l.Said.Text, "\n"), Source: l.File, Lines: l.Lines, Data: true, Cut: 2}
		switch {
		case l.Said.Failed:
			s.Name += " (in vain)"
		case l.outdated(changes):
			s.Name, s.Lines = s.Name+" (out of date)", prompt.Lines{}
			s.Text = l.Question + "\n" + l.File + " has been changed by this run since, in these lines or before them: read_file shows them as they are now"
		}
		sections = append(sections, s)
	}
	return slices.Concat(sections, k.answers, k.advice, k.causes)
}

// Looked is one request with its result.
type Looked struct {
	Key      string // equal for equal requests
	Question string // the request, as JSON
	Said     step.ToolResult
	File     string       // the file that was read; empty if none was
	Lines    prompt.Lines // of it
}

// outdated reports whether changes have made the lines of a file different from what was shown of them.
func (l Looked) outdated(changes patch.ChangeSet) bool {
	now, changed := "", false
	for _, f := range changes.Files {
		if slices.Contains(integrity.Paths(f), l.File) {
			changed, now = true, ""
			if f.Path == l.File {
				now = f.After
			}
		}
	}
	if !changed {
		return false
	}
	lines := slices.Collect(strings.Lines(now))
	first, last := min(max(l.Lines.First-1, 0), len(lines)), min(l.Lines.Last, len(lines))
	_, text, _ := strings.Cut(l.Said.Text, "\n") // below its heading
	text, _, _ = strings.Cut(text, "\n[… cut here")
	return first >= last || text != strings.TrimRight(strings.Join(lines[first:last], ""), "\r\n")
}

// AddShown adds files of which a model was shown a text.
func (k *Findings) AddShown(paths ...string) { k.Shown = Union(k.Shown, paths) }

// Add adds a request with its result.
func (k *Findings) Add(l Looked) { k.looked = append(k.looked, l) }

// AddWords adds words of the user.
func (k *Findings) AddWords(said string) { k.Words += "\n" + said }

// Advise replaces the advice for the next attempt.
func (k *Findings) Advise(advice []prompt.Section) { k.advice, k.causes = advice, nil }

// Diagnose replaces the diagnosis of the last attempt.
func (k *Findings) Diagnose(causes []prompt.Section) { k.causes = causes }

// AddAnswer adds the user's answer to a blocked model.
func (k *Findings) AddAnswer(answer prompt.Section) { k.answers = append(k.answers, answer) }

// Work is the model's report on an attempt besides its edits, and its tool calls.
type Work struct {
	explanation string // what the model says of its change, on one line; empty if it says nothing
	ofEdits     bool   // explanation came with edits
	concerns    []string
	tools       []event.ToolCount // in the order of their first use
}

// Explain keeps what the model says of its change. What came with edits is not replaced by what did not, such as "nothing is left to do".
func (w *Work) Explain(text string, edits bool) {
	if text = strings.Join(strings.Fields(text), " "); text != "" && (edits || !w.ofEdits) {
		w.explanation, w.ofEdits = text, edits
	}
}

// maxConcerns limits the concerns of an attempt, and maxConcern the length of each, in bytes.
const (
	maxConcerns = 10
	maxConcern  = 300
)

// AddConcern adds concerns without duplicates.
func (w *Work) AddConcern(concerns ...string) {
	for _, c := range concerns {
		c = Shorten(strings.TrimSpace(c), maxConcern)
		if c != "" && len(w.concerns) < maxConcerns && !slices.Contains(w.concerns, c) {
			w.concerns = append(w.concerns, c)
		}
	}
}

// Used counts a tool call.
func (w *Work) Used(tool string, failed bool) {
	i := slices.IndexFunc(w.tools, func(t event.ToolCount) bool { return t.Tool == tool })
	if i < 0 {
		i, w.tools = len(w.tools), append(w.tools, event.ToolCount{Tool: tool})
	}
	w.tools[i].Used++
	if failed {
		w.tools[i].Failed++
	}
}

// ReportWork reports how the work of an attempt ended, before it is judged.
func (a *Attempt) ReportWork(n graph.Node, o step.Outcome) {
	said := event.WorkReported{
		Part: a.job.ID, Node: n.ID, Attempt: n.Attempt, State: event.WorkDone, Concerns: a.Work.concerns, Tools: a.Work.tools,
	}
	switch {
	case o.Signal != step.Success:
		said.State, said.Reason = event.WorkBlocked, o.Reason
	case len(said.Concerns) > 0:
		said.State = event.WorkDoneWithConcerns
	}
	if o.Signal == step.Success {
		said.Unchanged, said.Unplanned = a.unlikePlan()
	}
	a.run.Emit(said)
}

// unlikePlan returns how the change of a part differs from the files that the plan gives it. Test files need no plan.
func (a *Attempt) unlikePlan() (unchanged, unplanned []string) {
	if a.job.Part == nil {
		return nil, nil
	}
	changed := ScopePaths(a.Made())
	for _, name := range a.job.Part.Files {
		if !slices.Contains(changed, name) {
			unchanged = append(unchanged, name)
		}
	}
	for _, name := range changed {
		if !slices.Contains(a.job.Part.Files, name) && !a.run.Project.IsTest(name) {
			unplanned = append(unplanned, name)
		}
	}
	return unchanged, unplanned
}

// Doubts returns the concerns of the attempt for its reviewer.
func (a *Attempt) Doubts() []prompt.Section {
	if len(a.Work.concerns) == 0 {
		return nil
	}
	text := "- " + strings.Join(a.Work.concerns, "\n- ")
	return []prompt.Section{{Kind: prompt.Errors, Name: "Concerns of the author", Text: text, Data: true, Cut: 1}}
}

// The limits for showing one failed gate.
const (
	MaxFindings = 20
	MaxOutput   = 2000 // bytes
)

// Describe describes the gates' reports: one line each, and for failures their places, or the end of
// the output if no place is known.
func Describe(reports []gate.Report) string {
	var text strings.Builder
	for _, r := range reports {
		if r.Verdict == gate.NotRun && r.Empty {
			continue
		}
		verdict := r.Verdict.String()
		if !r.Decides() && r.Verdict != gate.Pass {
			verdict += " (advisory)"
		}
		fmt.Fprintf(&text, "%s: %s: %s\n", r.Gate, verdict, r.Summary)
		if r.Verdict == gate.Pass {
			continue
		}
		for i, f := range r.Findings {
			if i == MaxFindings {
				fmt.Fprintf(&text, "  … and %d more\n", len(r.Findings)-i)
				break
			}
			text.WriteString("  " + retold(f) + "\n")
		}
		if len(r.Findings) == 0 && r.Output != "" {
			text.WriteString(r.Output[max(0, len(r.Output)-MaxOutput):] + "\n")
		}
	}
	return strings.TrimRight(text.String(), "\n")
}

// ordinary is the rule of findings of tests that ran and failed.
const ordinary = "test"

// retold returns a finding with its kind, if neither its place nor its message contains it: "a_test.go:7: m.TestA: panic: boom".
// The name of a test implies an ordinary failure.
func retold(f gate.Finding) string {
	if f.Test != "" && strings.HasPrefix(f.Message, f.Test+" ") {
		f.Test = "" // the message begins with it
	}
	if f.Rule == "" || f.Rule == ordinary || f.Test == "" || strings.Contains(f.Message, f.Rule) {
		return f.String()
	}
	message := strings.TrimSpace(f.Message)
	f.Message = f.Rule + ": " + message
	return f.String()
}

// Deciding returns the reports that decide.
func Deciding(reports []gate.Report) []gate.Report {
	return slices.DeleteFunc(slices.Clone(reports), func(report gate.Report) bool { return !report.Decides() })
}

// FaultReport returns a report in place of a gate's, for an attempt that failed before the gates, or that a reader rejected.
func FaultReport(of, reason string, findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: of, Verdict: gate.Fail, Executed: 1, Summary: reason, Findings: findings}
}

// Waived is the summary of a gate that the user's settings waive.
const Waived = "waived in your settings"

// IsWaived reports whether a gate was waived after the run began: it decides nothing.
func IsWaived(r gate.Report) bool { return r.Verdict == gate.NotRun && r.Summary == Waived }
