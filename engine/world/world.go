// Package world is what tools of models work on in a folder, and what providers show the user of it: its index, its history, its earlier runs,
// its gates and its language servers. It implements the interfaces of engine/tool, which knows none of these.
//
//	Folder.World: what is read    In: what executes code of the folder, in a scratch tree    DiscreetWeb, DiscreetMCP: what leaves the machine
//
// Invariant: no text that leaves through here has a secret, and a server gets neither the user's folder nor a network.
package world

import (
	"context"
	"fmt"
	"slices"

	"forge/codeintel"
	"forge/codeintel/search"
	"forge/engine/activity"
	"forge/engine/atlas"
	"forge/engine/checks"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/sandbox"
	"forge/engine/secret"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/tool"
	"forge/memory"
	"forge/patch"
)

// Folder is a folder, and the rooms of the engine that know something of it.
type Folder struct {
	Root     string // an absolute path
	Run      string // the run that asks, which its records leave out; may be empty
	State    *state.State
	History  *history.History
	Outliner codeintel.Outliner // nil leaves the symbols of files out
	Secrets  *secret.Redactor
	// Atlas returns what is known of a folder; complete reports whether that is all that is on disk.
	Atlas func(ctx context.Context, root string) (known *atlas.Atlas, complete bool, err error)
}

// World returns what tools work on, but for the tree and what executes code. repo is nil without git. base returns the snapshot that the tree
// began with.
func (f Folder) World(repo *shadow.Repo, base func() (string, error)) tool.World {
	w := tool.World{Outliner: f.Outliner, Show: f.shown, Folder: view{f}, Records: records{f}}
	w.Names, _ = f.Outliner.(codeintel.Finder)
	if repo != nil {
		w.History = commits{repo, base}
	}
	return w
}

// shown returns the text of a file without its secrets.
func (f Folder) shown(path, text string) string {
	text, _ = f.Secrets.File(path, text)
	return text
}

// In adds a scratch tree to what tools work on, and what executes code in it: gates and language servers.
func In(w tool.World, t activity.Tree, c checks.Checking, r sandbox.Runner) tool.World {
	w.Tree, w.Checks, w.Servers = t, treeChecks{c, t}, Servers{Runner: r, Tree: t}
	return w
}

// view is what is known of a folder: its atlas, as tools see it.
type view struct{ Folder }

func (v view) Find(ctx context.Context, text string, limit int) ([]tool.Found, error) {
	a, _, err := v.Atlas(ctx, v.Root)
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

func (v view) Imports(ctx context.Context, path string, depth int) (tool.Imports, error) {
	a, _, err := v.Atlas(ctx, v.Root)
	if err != nil {
		return tool.Imports{}, err
	}
	found, err := a.Imports(ctx, path, depth)
	return tool.Imports(found), err
}

func (v view) Map(ctx context.Context, text string, budget int) (string, error) {
	a, _, err := v.Atlas(ctx, v.Root)
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
type records struct{ Folder }

func (r records) Runs(ctx context.Context, limit int) ([]tool.PastRun, error) {
	runs, err := r.History.Runs(ctx, r.Root)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(i history.Run) bool { return i.ID == r.Run })
	past := make([]tool.PastRun, min(limit, len(runs)))
	for i := range past {
		info := runs[i]
		past[i] = tool.PastRun{ID: info.ID, Title: info.Title, State: string(info.State), Reason: info.Reason, Started: info.Started, Files: info.Files}
	}
	return past, nil
}

func (r records) Playbooks(ctx context.Context, tags []string, limit int) ([]tool.Playbook, error) {
	m, err := r.State.Memory(ctx, r.Root)
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

// kindOfCheck returns the kind of a gate of a project. What is neither is for the end of a run: it takes its time.
func kindOfCheck(p work.Project, g gate.Gate) tool.CheckKind {
	switch {
	case slices.ContainsFunc(p.Suites, func(s integrity.Suite) bool { return s.Gate == g.Name() }):
		return tool.Tests
	case gate.StageOf(g) < gate.StageTest:
		return tool.Lint
	}
	return tool.OtherCheck
}
