package execution

import (
	"context"
	"encoding/json"

	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
)

// suite returns the tests that have not run on the proposal; nil if all have run, or could not.
func (l *Execution) suite(o Outcome) *checks.Suite {
	if len(o.Partly) == 0 || o.Base == "" || l.params.WholeSuite == checks.SuiteBefore {
		return nil
	}
	h := l.host
	host := checks.SuiteHost{State: h.State, Open: opening{h, l.params}.gates, Guard: h.Secrets.Document, Now: h.Now}
	of := checks.SuiteChange{Run: l.Run.ID, Root: l.Run.Root, Log: l.Run.Log, Base: o.Base, Changes: o.Changes, Gates: o.Partly}
	return h.Suites.New(host, of, l.params.WholeSuite != checks.SuiteNever)
}

// opening opens the gates of the folder of a run for a suite.
type opening struct {
	host   *Host
	params Params
}

// gates run in the background, in scratch trees of the run.
func (o opening) gates(ctx context.Context, c checks.SuiteChange) (checks.SuiteGates, error) {
	h := o.host
	repo, err := h.State.Repo(ctx, c.Root)
	if err != nil {
		return checks.SuiteGates{}, err
	}
	trees := &activity.Trees{Open: treesOf(repo, c.Run)}
	set := h.Checks.Of(ctx, c.Root)
	kept, gates := h.Checks.Measured(set)
	kit := activity.Kit{Trees: trees, Gate: gates, Baselines: kept}
	do := h.Secrets.redaction(func(event.SecretsRedacted) {}).Guard(kit.Workers())[step.ActivityGate.Name].Activity
	run := func(ctx context.Context, call step.GateCall) (report gate.Report, err error) {
		input, err := json.Marshal(call)
		if err != nil {
			return report, err
		}
		output, err := do(checks.Background(o.params.reach(ctx)), "", input)
		if err != nil {
			return report, err
		}
		err = json.Unmarshal(output, &report)
		report.Weight = set.Weight(gate.SplitName(call.Gate))
		return report, err
	}
	return checks.SuiteGates{Run: run, Close: trees.Close}, nil
}
