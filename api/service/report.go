package service

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"forge/api"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/internal/inert"
	"forge/memory"
	"forge/patch"
)

// report returns what a run was asked, did, checked, learned and cost, as Markdown. It contains the secrets of its sources.
func (s story) report() string {
	d := &document{}
	d.say("# Run %s: %s", s.run.ID, plain(s.run.Title))
	s.reportHead(d)
	s.reportTask(d)
	s.reportDone(d)
	s.reportSteps(d)
	s.reportChecks(d)
	s.reportLearned(d)
	s.reportCost(d)
	if message := s.commitMessage(); message != "" {
		d.say("## Proposed commit message")
		d.say("```\n%s```", message)
	}
	return d.String()
}

// document is Markdown, block by block.
type document struct{ strings.Builder }

// say adds a block.
func (d *document) say(format string, args ...any) {
	if d.Len() > 0 {
		d.WriteString("\n")
	}
	fmt.Fprintf(d, format+"\n", args...)
}

// table adds a table; without rows it adds nothing.
func (d *document) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	lines := []string{row(head), row(slices.Repeat([]string{"---"}, len(head)))}
	for _, cells := range rows {
		lines = append(lines, row(cells))
	}
	d.say("%s", strings.Join(lines, "\n"))
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// bullets adds a list.
func (d *document) bullets(items []string) {
	if len(items) > 0 {
		d.say("- %s", strings.Join(items, "\n- "))
	}
}

// plain makes a foreign text one line of Markdown without links, images, HTML and cells.
func plain(text string) string {
	return strings.NewReplacer("[", `\[`, "<", `\<`, "|", `\|`, "`", "'").Replace(strings.Join(strings.Fields(text), " "))
}

// quoted makes a foreign text a quotation.
func quoted(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		lines = append(lines, strings.TrimRight("> "+strings.NewReplacer("[", `\[`, "<", `\<`).Replace(strings.TrimRight(line, "\r\n")), " "))
	}
	return strings.Join(lines, "\n")
}

func (s story) reportHead(d *document) {
	model := ""
	for _, e := range s.events {
		if begun, is := e.Data.(event.RunStarted); is {
			model = begun.Model
		}
	}
	rows := [][]string{{"State", string(s.run.State)}}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, plain(value)})
		}
	}
	add("Reason", s.run.Reason)
	add("Work", s.run.Way.String())
	add("Model", model)
	add("Folder", s.run.Root)
	add("Began", s.run.Started.UTC().Format(time.DateTime)+" UTC")
	add("Took", s.took())
	if s.now.Quiet > 0 {
		add("Quiet", s.now.Quiet.String()+" after the request to cancel it")
	}
	add("Cost", fmt.Sprintf("%s, %d tokens in %s", s.run.Cost, s.run.Tokens, event.Count(len(s.exchanges), "call")))
	d.table([]string{"", ""}, rows)
}

// took returns the time from the start of a run to its end, or to its last event.
func (s story) took() string {
	end := s.run.Ended
	if end.IsZero() {
		end = s.run.Active
	}
	return end.Sub(s.run.Started).Round(time.Second).String()
}

func (s story) reportTask(d *document) {
	d.say("## What was asked")
	d.say("%s", quoted(s.task()))
	titles, answers := map[string]event.Question{}, []string(nil)
	for _, e := range s.events {
		switch v := e.Data.(type) {
		case event.Asked:
			titles[v.Question.ID] = v.Question
		case event.Answered:
			answers = append(answers, fmt.Sprintf("%s → %s", plain(titles[v.QuestionID].Title), plain(answerOf(titles[v.QuestionID], v))))
		}
	}
	for _, e := range s.events {
		if seen, is := e.Data.(event.WorkIncluded); is {
			d.say("%s.", capital(plain(seen.String())))
		}
	}
	if len(answers) > 0 {
		d.say("Forge asked, and you answered:")
		d.bullets(answers)
	}
}

// answerOf returns the user's answer to a question.
func answerOf(q event.Question, a event.Answered) string {
	if a.Text != "" {
		return a.Text
	}
	for _, c := range q.Choices {
		if c.ID == a.Choice {
			return c.Title
		}
	}
	return cmp.Or(a.Choice, "(no answer)")
}

func (s story) reportDone(d *document) {
	d.say("## What was done")
	for _, e := range s.events {
		switch v := e.Data.(type) {
		case event.AnswerReady:
			d.say("%s", strings.TrimSpace(v.Text))
		case event.SpecKept:
			d.say("Version %d of the specification: %s", v.Version, plain(v.Changelog))
		}
	}
	switch {
	case s.run.Files == 0:
		d.say("The run proposed no change.")
		return
	case s.offered == nil:
		d.say("The run proposed a change of %s.", event.Count(s.run.Files, "file"))
		return
	}
	if s.offered.Explanation != "" {
		d.say("The model says:")
		d.say("%s", quoted(inert.Text(s.offered.Explanation)))
	}
	var rows [][]string
	for _, f := range s.offered.Files {
		added, removed := linesOf(f.Change)
		rows = append(rows, []string{plain(changeLine(f.Change)), changedLines(added, removed)})
	}
	d.table([]string{"File", "Lines"}, rows)
	var applied []string
	for _, c := range s.applied {
		applied = append(applied, fmt.Sprintf("%s (%s)", c.Time.UTC().Format(time.DateTime)+" UTC", event.Count(len(c.Files), "file")))
	}
	switch when := strings.Join(applied, ", "); {
	case len(applied) == 0:
		d.say("The change was not applied.")
	case len(s.inEffect) == 0:
		d.say("The change was applied: %s. It was undone since.", when)
	case len(s.inEffect) < len(s.offered.Files):
		d.say("A part of the change was applied: %s. In effect: %s.", when, plain(strings.Join(s.inEffect, ", ")))
	default:
		d.say("The change was applied: %s.", when)
	}
}

// changeLine names a changed file and what happened to it.
func changeLine(c patch.FileChange) string {
	text := c.Path + ": " + api.KindNames[c.Kind]
	if c.Kind == patch.Move {
		text = c.From + " → " + c.Path + ": move"
	}
	return text
}

// linesOf counts the lines that a change adds and removes.
func linesOf(c patch.FileChange) (added, removed int) {
	for _, e := range patch.Diff(c.Before, c.After) {
		added += len(patch.SplitLines(e.New))
		removed += len(patch.SplitLines(c.Before[e.Start:e.End]))
	}
	return added, removed
}

func (s story) reportSteps(d *document) {
	var rows, attempts [][]string
	for _, n := range s.now.Nodes {
		if n.Attempt > 0 || n.Reason != "" {
			rows = append(rows, []string{plain(n.ID), n.Status.String(), fmt.Sprint(n.Attempt), plain(n.Reason)})
		}
	}
	for _, e := range s.events {
		if a, is := e.Data.(event.AttemptJudged); is {
			attempts = append(attempts, []string{plain(a.Part), fmt.Sprintf("%d of %d", a.Attempt, a.Of), fmt.Sprintf("%d of %d", a.Passed, a.Total), plain(attemptEnd(a))})
		}
	}
	if len(rows) > 0 {
		d.say("### Steps")
		d.table([]string{"Step", "State", "Starts", "Reason"}, rows)
	}
	if len(attempts) > 0 {
		d.say("### Attempts")
		d.table([]string{"Part", "Attempt", "Checks passed", "Result"}, attempts)
	}
}

// attemptEnd returns what followed an attempt.
func attemptEnd(a event.AttemptJudged) string {
	switch {
	case a.Recommendation == "PASS":
		return "accepted"
	case a.Stagnation != "":
		return "rejected: " + a.Stagnation
	}
	var failures []string
	for _, id := range a.Failures[:min(len(a.Failures), 3)] {
		parts := strings.Split(id, " | ") // see overseer.Failure.ID
		failures = append(failures, strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", "))
	}
	return "rejected: " + strings.Join(failures, "; ")
}

// checks returns the reports on the change; without a change the last report of each gate.
func (s story) checks() []gate.Report {
	if s.offered != nil {
		return s.offered.Gates
	}
	var last []gate.Report
	for _, e := range s.events {
		finished, is := e.Data.(event.GateFinished)
		if !is {
			continue
		}
		same := func(r gate.Report) bool { return r.Gate == finished.Report.Gate }
		last = append(slices.DeleteFunc(last, same), finished.Report)
	}
	return last
}

func (s story) reportChecks(d *document) {
	var done [][]string
	var open []string
	for _, r := range s.checks() {
		if r.Verdict == gate.NotRun {
			open = append(open, fmt.Sprintf("%s: %s", plain(r.Gate), plain(cmp.Or(r.Summary, "not run"))))
			continue
		}
		done = append(done, []string{plain(r.Gate), r.Verdict.String(), plain(r.Summary)})
		if r.Part {
			open = append(open, plain(r.Gate)+": tests that the change does not concern")
		}
		if r.Unreached > 0 {
			open = append(open, fmt.Sprintf("%s: %s for lack of time", plain(r.Gate), event.Count(r.Unreached, "package or file")))
		}
	}
	if s.offered != nil && s.offered.Unverified != "" {
		for line := range strings.SplitSeq(s.offered.Unverified, "\n") {
			open = append(open, "not accepted: "+plain(line))
		}
	}
	if len(done) > 0 {
		d.say("## What was checked")
		d.table([]string{"Check", "Verdict", "Summary"}, done)
	}
	if len(done) == 0 && s.run.Files > 0 {
		open = append(open, "the change: no check has run on it")
	}
	if len(open) > 0 {
		d.say("## What was not checked")
		d.bullets(open)
	}
}

func (s story) reportLearned(d *document) {
	last := map[string]string{} // what was learned of a pattern in the end
	for _, e := range s.events {
		learned, is := e.Data.(event.Learned)
		if !is {
			continue
		}
		for _, p := range learned.Patterns {
			text := p.Text
			if memory.Category(p.Category) == memory.SuccessPattern {
				text = memory.WorkOf(text)
			}
			name := plain(strings.ReplaceAll(p.Category, "_", " ") + ": " + text)
			last[name] = fmt.Sprintf("%s (held %s, failed %s)", name, event.Count(p.Successes, "time"), event.Count(p.Failures, "time"))
		}
	}
	if len(last) > 0 {
		d.say("## What was learned")
		d.bullets(slices.Sorted(maps.Values(last)))
	}
}

func (s story) reportCost(d *document) {
	var rows [][]string
	for _, c := range step.SumByNode(s.exchanges) {
		rows = append(rows, []string{
			plain(c.Node), fmt.Sprint(c.Calls), fmt.Sprint(c.Usage.Input + c.Usage.CacheRead + c.Usage.CacheWrite), fmt.Sprint(c.Usage.CacheRead),
			fmt.Sprint(c.Usage.Output), c.Elapsed.Round(time.Millisecond).String(), c.Cost.String(),
		})
	}
	if len(rows) == 0 {
		return
	}
	d.say("## What it cost")
	d.table([]string{"Step", "Calls", "Tokens in", "From cache", "Tokens out", "Time", "Cost"}, rows)
	d.say("All together: %s, %d tokens. Requests that failed and were repeated are part of the sum.", s.run.Cost, s.run.Tokens)
}
