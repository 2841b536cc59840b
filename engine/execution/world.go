package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"forge/codeintel"
	"forge/codeintel/search"
	"forge/engine/activity"
	"forge/engine/atlas"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/integrity"
	"forge/engine/langserver"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/spend"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/memory"
	"forge/patch"
)

// World is what tools work on in a folder, but for the tree: what is known of it, its history and its earlier runs. base gives
// the snapshot that the tree began with. self is the run that asks; it may be empty.
func (h *Host) World(root, self string, repo *shadow.Repo, base func() (string, error)) tool.World {
	w := tool.World{
		Outliner: h.Outliner, Show: h.Secrets.shown,
		Folder:  folderView{h, root},
		Records: records{h, root, self},
	}
	w.Names, _ = h.Outliner.(codeintel.Finder)
	if repo != nil {
		w.History = commits{repo, base}
	}
	return w
}

// folderView is what is known of a folder: its atlas, as tools see it.
type folderView struct {
	host *Host
	root string
}

func (f folderView) Find(ctx context.Context, text string, limit int) ([]tool.Found, error) {
	a, _, err := f.host.Atlas(ctx, f.root)
	if err != nil {
		return nil, err
	}
	answer, err := a.Search(ctx, search.Query{Text: text, Limit: limit})
	if err != nil {
		return nil, err
	}
	found := make([]tool.Found, len(answer.Hits))
	for i, h := range answer.Hits {
		found[i] = tool.Found{Path: h.Path, First: h.FirstLine, Last: h.LastLine}
		for _, s := range h.Signals {
			found[i].Why = append(found[i].Why, s.Name)
		}
	}
	return found, nil
}

func (f folderView) Imports(ctx context.Context, path string, depth int) (tool.Imports, error) {
	a, _, err := f.host.Atlas(ctx, f.root)
	if err != nil {
		return tool.Imports{}, err
	}
	found, err := a.Imports(ctx, path, depth)
	return tool.Imports(found), err
}

func (f folderView) Map(ctx context.Context, text string, budget int) (string, error) {
	a, _, err := f.host.Atlas(ctx, f.root)
	if err != nil {
		return "", err
	}
	drawn, err := a.Map(ctx, search.Query{Text: text}, budget)
	return drawn.Text, err
}

// commits is the history of the folder's repository, read by the shadow.
type commits struct {
	repo *shadow.Repo
	base func() (string, error) // the snapshot that the tree began with
}

func (c commits) Log(ctx context.Context, limit int) ([]codeintel.Commit, error) {
	all, err := c.repo.History.Commits(ctx, max(limit, atlas.HistoryLimit)) // as many as the atlas reads: they are known already
	return all[:min(limit, len(all))], err
}

func (c commits) Uncommitted(ctx context.Context) (patch.ChangeSet, bool, error) {
	base, err := c.base()
	if err != nil {
		return patch.ChangeSet{}, false, err
	}
	return c.repo.History.Uncommitted(ctx, base)
}

func (c commits) Branch() string { return c.repo.History.Branch() }

// records are what is kept of the runs of a folder.
type records struct {
	host       *Host
	root, self string
}

func (r records) Runs(ctx context.Context, limit int) ([]tool.PastRun, error) {
	runs, err := r.host.History.Runs(ctx, r.root)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(i history.Run) bool { return i.ID == r.self })
	past := make([]tool.PastRun, min(limit, len(runs)))
	for i := range past {
		info := runs[i]
		past[i] = tool.PastRun{ID: info.ID, Title: info.Title, State: string(info.State), Reason: info.Reason, Started: info.Started, Files: info.Files}
	}
	return past, nil
}

func (r records) Playbooks(ctx context.Context, tags []string, limit int) ([]tool.Playbook, error) {
	m, err := r.host.State.Memory(ctx, r.root)
	if err != nil {
		return nil, err
	}
	books, err := m.PlaybooksFor(ctx, tags)
	if len(tags) == 0 {
		books, err = allPlaybooks(ctx, m)
	}
	if err != nil {
		return nil, fmt.Errorf("look for playbooks: %w", err)
	}
	found := make([]tool.Playbook, min(limit, len(books)))
	for i := range found {
		found[i] = tool.Playbook{Title: books[i].Title, Text: books[i].Content, Tags: books[i].Tags}
	}
	return found, nil
}

// allPlaybooks are those of a folder, then those for all folders.
func allPlaybooks(ctx context.Context, m *memory.Project) ([]memory.Playbook, error) {
	own, err := m.Playbooks(ctx)
	if err != nil {
		return nil, err
	}
	common, err := m.Global.Playbooks(ctx)
	return append(own, common...), err
}

// treeChecks are the gates of the projects in a tree.
type treeChecks struct {
	checks.Checking
	tree activity.Tree
}

func (c treeChecks) Run(ctx context.Context, kind tool.CheckKind) ([]gate.Report, error) {
	units, err := c.Units(ctx, c.tree)
	if err != nil {
		return nil, fmt.Errorf("look for projects: %w", err)
	}
	var reports []gate.Report
	project := c.Project(units)
	for _, name := range project.Gates {
		g := c.Gate(name)
		if g == nil || kindOfCheck(project, g) != kind {
			continue
		}
		if ctx.Err() != nil {
			reports = append(reports, gate.Report{Gate: name, Summary: "there was no time left for it"})
			continue
		}
		reports = append(reports, g.Run(ctx, c.tree))
	}
	return reports, nil
}

// kindOfCheck says what a gate of a project is. What is neither is for the end of a run: it takes its time.
func kindOfCheck(p work.Project, g gate.Gate) tool.CheckKind {
	switch {
	case slices.ContainsFunc(p.Suites, func(s integrity.Suite) bool { return s.Gate == g.Name() }):
		return tool.Tests
	case gate.StageOf(g) < gate.StageTest:
		return tool.Lint
	}
	return tool.OtherCheck
}

// WithoutGit reports whether an error says that there is no git.
func WithoutGit(err error) bool {
	missing := new(sandbox.NotStartedError)
	return errors.As(err, &missing)
}

// ChecksIn are the gates of the projects in a tree, as tools run them.
func ChecksIn(tree activity.Tree, known checks.Checking) tool.Checks { return treeChecks{known, tree} }

// activitySnapshot comes before the graph of a run.
var activitySnapshot = step.Activity[snapshotWanted, snapshotTaken]{Name: "snapshot"}

// atStart is where the steps before the graph stand.
var atStart = step.Place{Node: "start", Attempt: 1}

// snapshotWanted says what a snapshot is to be taken of.
type snapshotWanted struct {
	workspace.Snapshot
	From Base `json:",omitempty"` // empty is the folder, without a comparison with the last commit
}

// snapshotTaken is a snapshot that the shadow repository keeps.
type snapshotTaken struct {
	Base    string
	Skipped []event.Skipped
	// Uncommitted and Unsaved are the files that differ from the last commit; see event.WorkIncluded.
	Uncommitted []string `json:",omitempty"`
	Unsaved     []string `json:",omitempty"`
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
		Outliner: l.host.Outliner, Learn: l.memory().learn, Errand: l.memory().errand, Asker: discreet{l.asker, l.host}, Emit: l.Run.Log.Append,
		Standing: func() []step.Standing { return standing(l.Run.Log.Standing()) },
		Speech:   &l.Run.Speech, Warmth: &l.warmth, Now: l.host.Now,
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

// standing is how the nodes of a run stand, for its code.
func standing(s event.Standing) []step.Standing {
	all := make([]step.Standing, len(s.Nodes))
	for i, n := range s.Nodes {
		all[i] = step.Standing{Node: n.ID, Status: n.Status.String(), Reason: n.Reason}
	}
	return all
}

// worldIn gives what the tools of the run work on. What settings let them do is what they say now, whatever they said when the run
// began.
func (l *Execution) worldIn(set Settings, check checks.Checking, repo *shadow.Repo) func(base string, t activity.Tree) tool.World {
	return func(base string, t activity.Tree) tool.World {
		w := l.host.World(l.params.Root, l.Run.ID, repo, func() (string, error) { return base, nil })
		w.Checks, w.Servers = treeChecks{check, t}, langserver.Servers{Runner: l.host.Checks.Sandboxed(), Tree: t}
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
