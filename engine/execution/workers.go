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
	"forge/engine/world"
	"forge/internal/failpoint"
)

// Folder returns what tools work on in a folder. run is the run that asks; it may be empty.
func (h *Host) Folder(root, run string) world.Folder {
	return world.Folder{Root: root, Run: run, State: h.State, History: h.History, Outliner: h.Outliner, Secrets: h.Secrets.Redactor, Atlas: h.Atlas}
}

// activitySnapshot comes before the graph of a run.
var activitySnapshot = step.Activity[snapshotWanted, snapshotTaken]{Name: "snapshot"}

// atStart is the place of the steps before the graph.
var atStart = step.Place{Node: "start", Attempt: 1}

// snapshotWanted is what a snapshot is to be taken of.
type snapshotWanted struct {
	workspace.Snapshot
	From Base `json:",omitempty"` // empty is the folder, without a comparison with the last commit
}

// snapshotTaken is a snapshot that the shadow repository keeps.
type snapshotTaken struct {
	Base    string
	Skipped []event.Skipped
	// Uncommitted and Unsaved are the files that differ from the last commit, and the buffers that differ from their files; see event.WorkIncluded.
	Uncommitted []string `json:",omitempty"`
	Unsaved     []string `json:",omitempty"`
}

// workers returns the activities of the run, by name, with their redaction.
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
		Baselines: kept, Spare: &l.spare,
		Trees: &l.trees, Gate: gates, Units: checks.Units, Preflight: checks.Preflight, Format: l.host.Checks.Format, Checker: l.host.Checks.Checker(), Stripper: l.host.Checks.Stripper(),
		Outliner: l.host.Outliner, Learn: l.memory().learn, Errand: l.memory().errand, Asker: discreet{l.asker, l.host}, Emit: l.Run.Log.Append,
		Standing: func() []step.Standing { return standing(l.Run.Log.Standing()) },
		LiveText: &l.Run.LiveText, Loaded: &l.loaded, Now: l.host.Now,
		Pack: l.pack, World: l.worldIn(set, checks, repo),
	}
	workers := kit.Workers()
	activity.Add(workers, activitySnapshot, func(ctx context.Context, s snapshotWanted) (snapshotTaken, error) {
		return takeSnapshot(ctx, repo, s)
	}, flow.Worker{})
	activity.Add(workers, step.ActivityDiff, func(ctx context.Context, c step.DiffCall) (step.Uncommitted, error) {
		changes, known, err := repo.History.Since(ctx, c.Since, c.Base)
		return step.Uncommitted{Known: known, Changes: changes}, err
	}, flow.Worker{})
	plans{l.host.History, l.project, l.params.Root, l.Run.ID}.add(workers)
	activity.Add(workers, step.ActivitySpec, l.memory().currentSpec, flow.Worker{})
	activity.Add(workers, step.ActivityKeep, l.memory().keepEdition, flow.Worker{})
	b := activity.Briefing{State: l.host.State, Trees: &l.trees, Root: l.params.Root, Run: l.Run.ID, Skills: slices.Concat(l.host.Skills, set.Skills), Agents: l.host.Agents, Guides: set.Guides}
	activity.Add(workers, step.ActivityBrief, b.Brief, flow.Worker{Repeatable: true})
	return l.host.Secrets.redaction(func(all event.SecretsRedacted) { l.Run.Log.Append(all) }).Guard(workers)
}

// standing returns the states of the nodes of a run, for its code.
func standing(s event.Standing) []step.Standing {
	all := make([]step.Standing, len(s.Nodes))
	for i, n := range s.Nodes {
		all[i] = step.Standing{Node: n.ID, Status: n.Status.String(), Reason: n.Reason}
	}
	return all
}

// worldIn returns a function that makes what tools work on, for a tree of a snapshot. set are the current settings, not those from the beginning
// of the run.
func (l *Execution) worldIn(set Settings, check checks.Checking, repo *shadow.Repo) func(base string, t activity.Tree) tool.World {
	return func(base string, t activity.Tree) tool.World {
		w := l.host.Folder(l.params.Root, l.Run.ID).World(repo, func() (string, error) { return base, nil })
		w = world.In(w, t, check, l.host.Checks.Sandboxed())
		if len(set.Grants.Commands) > 0 {
			w.Commands = activity.Commands{Runner: l.host.Checks.Sandboxed(), Grants: set.Grants, Tree: t}
		}
		if l.mcp != nil {
			w.MCP = world.DiscreetMCP(activity.MCP{Session: l.mcp, Tree: t}, l.host.Secrets.Redactor)
		}
		if set.Web != nil && !l.params.Local() {
			w.Web = world.DiscreetWeb(set.Web, l.host.Secrets.Redactor)
		}
		return w
	}
}

// watched is a flow with failpoints: the process may die after a result was journaled and before it is used.
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
