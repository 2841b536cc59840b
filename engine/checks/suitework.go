package checks

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/graph"
	"forge/engine/state"
	"forge/engine/step"
	"forge/internal/failpoint"
	"forge/patch"
)

// suiteLimit is how long the tests may take, those on the tree without the change included.
const suiteLimit = 30 * time.Minute

// work runs the tests, emits the events, and settles the suite.
func (s *Suite) work(notify func(event.Event)) {
	result := s.halted()
	defer func() { s.settle(result) }()
	emit, closing := s.emitter(notify)
	defer closing()
	defer func() {
		if fault := recover(); fault != nil {
			failpoint.ReportBug("panic in the background of run %s: %v\n%s", s.of.Run, fault, debug.Stack())
		}
	}()
	node := graph.Node{ID: SuiteNode, Kind: SuiteNode, Status: graph.Running, Attempt: 1}
	emit(event.NodeChanged{Node: node})
	ctx, cancel := context.WithTimeout(tool.Within(s.ctx, suiteLimit), suiteLimit)
	defer cancel()
	if reports, err := s.judge(ctx, emit); s.ctx.Err() == nil {
		result = s.conclude(reports, err)
	} else {
		result = s.halted()
	}
	node.Status, node.Reason = statuses[result.Verdict], result.Text
	emit(event.NodeChanged{Node: node})
}

// statuses are how the node ends.
var statuses = map[gate.Verdict]graph.Status{gate.Pass: graph.Done, gate.Fail: graph.Failed, gate.Error: graph.Blocked, gate.NotRun: graph.Skipped}

// emitter returns a function that appends an event to those of the run, and passes it to their file and to notify. closing closes the file.
func (s *Suite) emitter(notify func(event.Event)) (emit func(event.Data), closing func()) {
	earlier := s.of.Log.Since(0)
	log := event.Restore(s.of.Run, s.host.Now, earlier)
	log.Guard(s.host.Guard)
	file := s.file()
	seen := len(earlier)
	return func(d event.Data) {
			log.Append(d)
			for _, e := range log.Since(seen) {
				seen = e.Seq
				if file != nil {
					_ = file.Append(e) // it is lost to later readers only
				}
				if notify != nil {
					notify(e)
				}
			}
		}, func() {
			if file != nil {
				_ = file.Close()
			}
		}
}

// file opens the file of the run's events. It returns nil if that fails: the tests run all the same.
func (s *Suite) file() *state.EventFile {
	project, err := s.host.State.Project(s.of.Root)
	if err != nil {
		return nil
	}
	file, err := state.OpenEvents(project.EventsFile(s.of.Run))
	if err != nil {
		s.host.State.Notify(err.Error())
		return nil
	}
	return file
}

// judge runs each suite on the change and, if something fails, on the files without it.
func (s *Suite) judge(ctx context.Context, emit func(event.Data)) (reports []gate.Report, err error) {
	gates, err := s.host.Open(ctx, s.of)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, gates.Close()) }()
	for i, name := range s.of.Gates {
		emit(event.GateStarted{Node: SuiteNode, Attempt: 1, Gate: name, Index: i + 1, Of: len(s.of.Gates)})
		report, err := s.all(ctx, name, gates)
		if err != nil {
			return reports, err
		}
		report.Notice = "whole suite: " + suiteText([]gate.Report{report})
		reports = append(reports, report)
		emit(event.GateFinished{Node: SuiteNode, Attempt: 1, Report: report})
	}
	return reports, nil
}

// all runs all tests of a suite, and charges the change with failures by the rules that a run uses for a part. It counts the tests on the change.
func (s *Suite) all(ctx context.Context, name string, gates SuiteGates) (gate.Report, error) {
	before := s.Count()
	counting := tool.Counting(ctx, func(ended, passed int) { s.reach(SuiteCount{before.Ended + ended, before.Passed + passed}) })
	return gate.Whole(func(with bool, scope gate.Scope) (report gate.Report, err error) {
		call := step.GateCall{State: step.State{Base: s.of.Base}, Gate: name, Scope: scope, Fresh: true} // what was kept charges nothing
		within := ctx
		if with {
			call.State.Changes = []patch.ChangeSet{s.of.Changes}
		}
		if with && scope.All() {
			within = counting
		}
		if report, err = gates.Run(within, call); err != nil {
			return report, err
		}
		if with && scope.All() && report.Executed > 0 && report.Verdict != gate.Error {
			s.reach(SuiteCount{before.Ended + report.Executed, before.Passed + report.Passed})
		}
		return report, nil
	})
}
