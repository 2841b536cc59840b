package execution

import (
	"context"
	"encoding/json"
	"slices"

	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/permission"
	"forge/engine/shadow"
	"forge/engine/spend"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// activitySnapshot comes before the graph of a run.
var activitySnapshot = step.Activity[workspace.Snapshot, snapshotTaken]{Name: "snapshot"}

// atStart is where the steps before the graph stand.
var atStart = step.Place{Node: "start", Attempt: 1}

// snapshotTaken is a snapshot that the shadow repository keeps.
type snapshotTaken struct {
	Base    string
	Skipped []event.Skipped
}

// workers are what the run has done outside of its code.
func (l *Execution) workers(ctx context.Context, repo *shadow.Repo) map[string]flow.Worker {
	set := l.host.Settings(ctx, l.params.Root)
	checks := l.host.Checks.Of(ctx, l.params.Root)
	kept, gates := l.host.Checks.Measured(checks)
	granted, err := l.grants()
	if err != nil {
		granted = tool.Grants{ReadOnly: true}
	}
	permits := &activity.Permits{
		Policy: permission.Policy{Mode: l.params.Pipeline().Mode, Flags: l.params.Flags}, Grants: []tool.Grants{granted, set.Grants},
		Folder: l.params.Root, Run: l.Run.ID, Book: l.project.Permissions(),
	}
	kit := activity.Kit{
		Permits: permits,
		Chooser: l.chooser(), Models: l.models, Notice: l.host.State.Notify, Keep: set.Cache, Idle: l.idle,
		Account:   spend.Attempt{Tree: l.Run.ID, Run: l.Run.ID, Folder: l.params.Root},
		Baselines: kept,
		Trees:     &l.trees, Gate: gates, Units: checks.Units, Preflight: checks.Preflight, Format: l.host.Checks.Format, Checker: l.host.Checks.Checker(), Stripper: l.host.Checks.Stripper(),
		Outliner: l.host.Outliner, Learn: l.memory().learn, Asker: discreet{l.asker, l.host}, Emit: l.Run.Log.Append,
		Speech: &l.Run.Speech, Warmth: &l.warmth, Now: l.host.Now,
		Pack: l.pack, World: l.worldIn(set, checks, repo),
	}
	workers := kit.Workers()
	activity.Add(workers, activitySnapshot, func(ctx context.Context, s workspace.Snapshot) (snapshotTaken, error) {
		return takeSnapshot(ctx, repo, s)
	}, flow.Worker{})
	activity.Add(workers, step.ActivityDiff, func(ctx context.Context, s step.State) (step.Uncommitted, error) {
		changes, known, err := repo.History.Uncommitted(ctx, s.Base)
		return step.Uncommitted{Known: known, Changes: changes}, err
	}, flow.Worker{})
	activity.Add(workers, step.ActivitySpec, l.memory().currentSpec, flow.Worker{})
	activity.Add(workers, step.ActivityKeep, l.memory().keepEdition, flow.Worker{})
	b := activity.Briefing{State: l.host.State, Trees: &l.trees, Root: l.params.Root, Run: l.Run.ID, Skills: slices.Concat(l.host.Skills, set.Skills), Guides: set.Guides}
	activity.Add(workers, step.ActivityBrief, b.Brief, flow.Worker{Repeatable: true})
	return l.host.Secrets.redaction(func(all event.SecretsRedacted) { l.Run.Log.Append(all) }).Guard(workers)
}

// worldIn gives what the tools of the run work on. What settings let them do is what they say now, whatever they said when the run
// began.
func (l *Execution) worldIn(set Settings, check checks.Checking, repo *shadow.Repo) func(base string, t activity.Tree) tool.World {
	return func(base string, t activity.Tree) tool.World {
		w := l.host.World(l.params.Root, l.Run.ID, repo, func() (string, error) { return base, nil })
		w.Checks, w.Servers = treeChecks{check, t}, activity.LanguageServers{Runner: l.host.Checks.Sandboxed(), Tree: t}
		if len(set.Grants.Commands) > 0 {
			w.Commands = activity.Commands{Runner: l.host.Checks.Sandboxed(), Grants: set.Grants, Tree: t}
		}
		if l.mcp != nil {
			w.MCP = discreetMCP{activity.MCP{Session: l.mcp, Tree: t}, l.host}
		}
		if set.Web != nil {
			w.Web = discreetWeb{set.Web, l.host}
		}
		return w
	}
}

func takeSnapshot(ctx context.Context, repo *shadow.Repo, s workspace.Snapshot) (snapshotTaken, error) {
	taken, err := repo.Snapshots.Take(ctx, s)
	failpoint.Hit(FailpointSnapshot)
	kept := snapshotTaken{Base: taken.Commit}
	for _, file := range taken.Skipped {
		kept.Skipped = append(kept.Skipped, event.Skipped(file))
	}
	return kept, err
}

// watched is a flow with places where the process may die, after something was journaled and before anything is
// made of it.
type watched struct{ flow.Flow }

var places = map[string]string{
	step.ActivityModel.Name: FailpointModelJournaled, step.ActivityGate.Name: FailpointGateJournaled, step.ActivityAsk.Name: FailpointAnswered,
}

func (w watched) Do(ctx context.Context, c flow.Call) (json.RawMessage, error) {
	defer failpoint.Hit(places[c.Do])
	return w.Flow.Do(ctx, c)
}

func (w watched) Wait(ctx context.Context, c flow.Call) (json.RawMessage, error) {
	defer failpoint.Hit(places[c.Do])
	return w.Flow.Wait(ctx, c)
}
