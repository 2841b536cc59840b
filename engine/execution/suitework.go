package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/graph"
	"forge/engine/history"
	"forge/engine/step"
	"forge/internal/failpoint"
	"forge/patch"
)

// suiteLimit is how long the tests may take that are run in the background, those on the tree without the change included.
const suiteLimit = 30 * time.Minute

// work runs the tests, and reports events to the follower and to the file of the run's events.
func (s *Suite) work(tell func(event.Event)) {
	result := s.stopped()
	defer func() { s.settle(result) }()
	teller, closing := s.teller(tell)
	defer closing()
	defer func() {
		if fault := recover(); fault != nil {
			failpoint.ReportBug("panic in the background of run %s: %v\n%s", s.run.ID, fault, debug.Stack())
		}
	}()
	node := graph.Node{ID: SuiteNode, Kind: SuiteNode, Status: graph.Running, Attempt: 1}
	teller(event.NodeChanged{Node: node})
	ctx, cancel := context.WithTimeout(tool.Within(checks.Background(s.ctx), suiteLimit), suiteLimit)
	defer cancel()
	if reports, err := s.judge(ctx, teller); s.ctx.Err() == nil {
		result = s.conclude(reports, err)
	} else {
		result = s.stopped()
	}
	node.Status, node.Reason = suiteStatuses[result.Verdict], result.Text
	teller(event.NodeChanged{Node: node})
}

// suiteStatuses are how the node ends.
var suiteStatuses = map[gate.Verdict]graph.Status{gate.Pass: graph.Done, gate.Fail: graph.Failed, gate.Error: graph.Blocked, gate.NotRun: graph.Skipped}

// teller numbers what happens as the events of the run go on, and gives it to tell and to the run's file.
func (s *Suite) teller(tell func(event.Event)) (say func(event.Data), closing func()) {
	earlier := s.run.Log.Since(0)
	log := event.Restore(s.run.ID, s.host.Now, earlier)
	log.Guard(s.host.Secrets.Document)
	file := s.file()
	told := len(earlier)
	return func(d event.Data) {
			log.Append(d)
			for _, e := range log.Since(told) {
				told = e.Seq
				if file != nil {
					_ = file.Append(e) // it is lost to later readers only
				}
				if tell != nil {
					tell(e)
				}
			}
		}, func() {
			if file != nil {
				_ = file.Close()
			}
		}
}

// file is that of the events of the run; nil where it cannot be written, which keeps no test from being run.
func (s *Suite) file() *history.EventFile {
	project, err := s.host.State.Project(s.run.Root)
	if err != nil {
		return nil
	}
	file, err := history.OpenEvents(project.EventsFile(s.run.ID))
	if err != nil {
		s.host.State.Notify(err.Error())
		return nil
	}
	return file
}

// judge runs each suite in scratch trees of its own, on the change and where something fails on the files without it.
func (s *Suite) judge(ctx context.Context, tell func(event.Data)) (reports []gate.Report, err error) {
	repo, err := s.host.State.Repo(ctx, s.run.Root)
	if err != nil {
		return nil, err
	}
	trees := activity.Trees{Open: treesOf(repo, s.run.ID)}
	defer func() { err = errors.Join(err, trees.Close()) }()
	set := s.host.Checks.Of(ctx, s.run.Root)
	kept, gates := s.host.Checks.Measured(set)
	kit := activity.Kit{Trees: &trees, Gate: gates, Baselines: kept}
	guard := s.host.Secrets.redaction(func(event.SecretsRedacted) {})
	do := guard.Guard(kit.Workers())[step.ActivityGate.Name].Activity
	for i, name := range s.gates {
		tell(event.GateStarted{Node: SuiteNode, Attempt: 1, Gate: name, Index: i + 1, Of: len(s.gates)})
		dir, short := gate.SplitName(name)
		report, err := s.all(ctx, name, set.Weight(dir, short), do)
		if err != nil {
			return reports, err
		}
		report.Notice = "whole suite: " + said([]gate.Report{report})
		reports = append(reports, report)
		tell(event.GateFinished{Node: SuiteNode, Attempt: 1, Report: report})
	}
	return reports, nil
}

// all runs all of a suite by the rules for any part of it. What is counted meanwhile are its tests on the change.
func (s *Suite) all(ctx context.Context, name string, weight gate.Weight, do flow.Activity) (gate.Report, error) {
	before := s.Count()
	counting := tool.Counting(ctx, func(ended, passed int) { s.reach(SuiteCount{before.Ended + ended, before.Passed + passed}) })
	return gate.Whole(func(with bool, scope gate.Scope) (report gate.Report, err error) {
		call := step.GateCall{State: step.State{Base: s.base}, Gate: name, Scope: scope, Fresh: true} // what was kept charges nothing
		within := ctx
		if with {
			call.State.Changes = []patch.ChangeSet{s.changes}
		}
		if with && scope.All() {
			within = counting
		}
		input, err := json.Marshal(call)
		if err != nil {
			return report, err
		}
		output, err := do(within, "", input)
		if err != nil {
			return report, err
		}
		err = json.Unmarshal(output, &report)
		report.Weight = weight
		if with && scope.All() && report.Executed > 0 && report.Verdict != gate.Error {
			s.reach(SuiteCount{before.Ended + report.Executed, before.Passed + report.Passed})
		}
		return report, err
	})
}

// conclude is the result of suites that nobody has stopped.
func (s *Suite) conclude(reports []gate.Report, err error) SuiteResult {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return SuiteResult{Verdict: gate.Error, Reports: reports, Text: fmt.Sprintf("whole suite: not finished within %v; %s so far", suiteLimit, s.Count())}
	case err != nil:
		return SuiteResult{Verdict: gate.Error, Reports: reports, Text: "whole suite: not finished: " + err.Error()}
	}
	r := SuiteResult{Verdict: gate.Pass, Reports: reports, Text: "whole suite: " + said(reports)}
	for _, report := range reports {
		switch {
		case charges(report):
			r.Verdict, r.Failing = gate.Fail, append(r.Failing, failing(report)...)
		case report.Verdict != gate.Pass && r.Verdict == gate.Pass:
			r.Verdict = gate.Error
		}
	}
	if r.Verdict == gate.Error && s.Count().Ended > 0 {
		r.Text += fmt.Sprintf("; %s so far", s.Count())
	}
	return r
}

// stopped is the result of suites that were stopped.
func (s *Suite) stopped() SuiteResult {
	text := suiteStopped
	if count := s.Count(); count.Ended > 0 {
		text += fmt.Sprintf("; %s so far", count)
	}
	return SuiteResult{Text: text}
}

const suiteStopped = "whole suite: stopped"

// charges reports whether a suite fails with the change and not without it.
func charges(r gate.Report) bool { return r.Verdict == gate.Fail && r.Decides() }

// said is what suites say of a change, in one line.
func said(reports []gate.Report) string {
	var count SuiteCount
	var known int
	var fails, flaky, not []string
	for _, r := range reports {
		count.Ended, count.Passed, known = count.Ended+r.Executed, count.Passed+r.Passed, known+r.Known
		flaky = append(flaky, r.Flaky...)
		switch {
		case charges(r):
			fails = append(fails, failing(r)...)
		case r.Verdict != gate.Pass:
			not = append(not, r.Summary)
		}
	}
	var parts []string
	switch {
	case len(fails) == 1:
		parts = append(parts, "1 test outside of the scope fails with this change: "+fails[0])
	case len(fails) > 0:
		parts = append(parts, fmt.Sprintf("%s tests outside of the scope fail with this change: %s", grouped(len(fails)), listedTests(fails)))
	case len(not) > 0:
		parts = append(parts, "not finished: "+strings.Join(not, "; "))
	default:
		parts = append(parts, count.String())
	}
	if known > 0 {
		parts = append(parts, grouped(known)+" failed before the change, too")
	}
	if len(flaky) > 0 {
		parts = append(parts, "flaky, not charged: "+listedTests(flaky))
	}
	return strings.Join(parts, "; ")
}

// failing names what a change is charged with: tests, and the first line of what is found beside tests, as code that does not compile.
func failing(r gate.Report) (names []string) {
	for _, f := range r.Findings {
		name := cmp.Or(f.Test, tool.FirstLine(f.String()))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{r.Summary}
	}
	return names
}

// maxNamed is how many tests are named in one line.
const maxNamed = 5

// listedTests is a list for users.
func listedTests(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:maxNamed], ", "), grouped(len(names)-maxNamed))
}

// Fails is what fails, for users: "2 tests: m.TestA, m.TestB".
func (r SuiteResult) Fails() string {
	if len(r.Failing) == 1 {
		return "1 test: " + r.Failing[0]
	}
	return grouped(len(r.Failing)) + " tests: " + listedTests(r.Failing)
}

// String is the count for users: 1,942 of 1,943 passed.
func (c SuiteCount) String() string { return grouped(c.Passed) + " of " + grouped(c.Ended) + " passed" }

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// suiteReports are what suites said in the background of the change that a run ended with, of which these events tell.
func suiteReports(told []event.Event) (reports []gate.Report) {
	for _, e := range told {
		finished, is := e.Data.(event.GateFinished)
		if !is || finished.Node != SuiteNode {
			continue
		}
		reports = slices.DeleteFunc(reports, func(r gate.Report) bool { return r.Gate == finished.Report.Gate })
		reports = append(reports, finished.Report)
	}
	return reports
}
