package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/codeintel"
	"forge/engine/gitdir"
	"forge/engine/permission"
	"forge/engine/proposal"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/engine/world"
	"forge/internal/failpoint"
	"forge/patch"
)

// Explored is the answer of a provider.
type Explored = tool.Result

// Explore asks one provider about the folder as the user has it, unsaved buffers included, and returns the same text that a
// model gets. It writes nothing into the folder. Programs of the folder are started in a scratch tree, and only if the folder
// is trusted. A provider's own failure is in the result; the error means that the folder cannot be read.
func (e *Engine) Explore(ctx context.Context, s workspace.Snapshot, provider string, args json.RawMessage) (Explored, error) {
	t, known := tool.Providers().Named(provider)
	if !known {
		return tool.Providers().Unknown(provider), nil
	}
	trusted, repo, err := e.open(ctx, s.Root)
	if err != nil {
		return Explored{}, err
	}
	if trusted {
		e.secrets.Learn(s.Root)
	}
	look := e.look
	switch {
	case t.Effect == permission.Exec && !trusted:
		return tool.Result{
			Failed: true, Text: fmt.Sprintf("%s starts programs of this folder, which you have not trusted yet: a run asks you", t.Name),
		}, nil
	case t.Effect == permission.Exec:
		look = e.try
	}
	r, err := look(ctx, s, repo, t, args)
	if err != nil {
		return Explored{}, fmt.Errorf("explore %s: %w", s.Root, err)
	}
	r.Text = e.Redact(r.Text)
	return r, nil
}

// open returns whether a folder is trusted, and its shadow repository; without git that is nil.
func (e *Engine) open(ctx context.Context, root string) (trusted bool, repo *shadow.Repo, err error) {
	if err = workspace.CheckRoot(root); err != nil {
		return false, nil, err
	}
	if trusted, err = e.Trusted(root); err != nil {
		return false, nil, err
	}
	if repo, err = e.Repo(ctx, root); sandbox.NotStarted(err) {
		return trusted, nil, nil
	}
	return trusted, repo, e.state.Explain(err)
}

// look asks a provider that starts no programs.
func (e *Engine) look(ctx context.Context, s workspace.Snapshot, repo *shadow.Repo, t tool.Tool, args json.RawMessage) (tool.Result, error) {
	w := e.host.Folder(s.Root, "").World(repo, sync.OnceValues(func() (string, error) {
		taken, err := repo.Snapshots.Take(ctx, s)
		return taken.Commit, err
	}))
	w.Tree = newAsItIs(ctx, s, repo, e.state.Dir())
	return t.Run(ctx, w, args)
}

// try asks a provider that starts programs, in a scratch tree.
func (e *Engine) try(ctx context.Context, s workspace.Snapshot, repo *shadow.Repo, t tool.Tool, args json.RawMessage) (r tool.Result, err error) {
	if repo == nil {
		return tool.Result{Failed: true, Text: t.Name + " needs git, which is not installed"}, nil
	}
	err = scratch(ctx, repo, s, func(taken shadow.Snapshot, tree *shadow.Tree) error {
		w := e.host.Folder(s.Root, "").World(repo, func() (string, error) { return taken.Commit, nil })
		w = world.In(w, tree, e.checks.Of(ctx, s.Root), e.checks.Sandboxed())
		r, err = t.Run(ctx, w, args)
		return err
	})
	return r, err
}

// scratch does something in a scratch tree of a folder.
func scratch(ctx context.Context, repo *shadow.Repo, s workspace.Snapshot, do func(taken shadow.Snapshot, tree *shadow.Tree) error) error {
	taken, err := repo.Snapshots.Take(ctx, s)
	if err != nil {
		return err
	}
	tree, err := repo.Trees.Checkout(ctx, taken)
	if err != nil {
		return err
	}
	defer func() {
		if err := tree.Close(); err != nil {
			failpoint.ReportBug("remove a scratch tree: %v", err)
		}
	}()
	return do(taken, tree)
}

// asItIs is the folder as a read-only tree with the files that a run would have.
type asItIs struct {
	workspace.Snapshot
	list func() ([]string, error) // sorted; called once
}

func newAsItIs(ctx context.Context, s workspace.Snapshot, repo *shadow.Repo, stateDir string) asItIs {
	return asItIs{s, sync.OnceValues(func() (paths []string, err error) {
		if repo == nil {
			paths, err = gitdir.Walk(ctx, s.Root, stateDir)
		} else {
			paths, err = repo.Files.List(ctx)
		}
		paths = slices.AppendSeq(slices.Clone(paths), maps.Keys(s.Unsaved))
		slices.Sort(paths)
		return slices.Compact(paths), err
	})}
}

// ReadFile returns the content of a file of the folder that is not larger than those of a snapshot.
func (a asItIs) ReadFile(path string) ([]byte, error) {
	if err := patch.CheckPath(path); err != nil {
		return nil, err
	}
	paths, err := a.list()
	if err != nil {
		return nil, err
	}
	if _, is := slices.BinarySearch(paths, path); !is {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	info, err := os.Stat(filepath.Join(a.Root, filepath.FromSlash(path)))
	if _, unsaved := a.Unsaved[path]; !unsaved && err == nil && info.Size() > shadow.MaxFileSize {
		return nil, &patch.PathError{Path: path, Cause: fmt.Sprintf("it is larger than %d MiB", shadow.MaxFileSize>>20)}
	}
	return a.Snapshot.ReadFile(path)
}

func (a asItIs) List(context.Context) ([]string, error) { return a.list() }

func (a asItIs) Changes(context.Context) (patch.ChangeSet, error) { return patch.ChangeSet{}, nil }

// Swept is the result of a rename or a replacement in a folder. Nothing is written.
type Swept struct {
	Text    string // the changes, file by file, or why there are none
	Refused bool   // there are no changes
	Change  patch.ChangeSet
}

// Sweeps returns the names of the tools that change many files in one way, without a model.
func Sweeps() (names []string) {
	for _, t := range tool.Tools() {
		if t.Sweeps {
			names = append(names, t.Name)
		}
	}
	return names
}

// Sweep computes a rename or a replacement in the folder as the user has it, unsaved buffers included, and writes nothing. It uses
// language servers in a trusted folder, and parsers in another one. The error means that the folder cannot be read, or that the
// tool is unknown.
func (e *Engine) Sweep(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage) (Swept, error) {
	return e.SweepIn(ctx, s, name, args, Terms{})
}

// Terms are what the reader of a result calls the arguments.
type Terms = codeintel.Terms

// SweepIn is Sweep for a reader with terms of their own.
func (e *Engine) SweepIn(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage, in Terms) (Swept, error) {
	t, known := tool.Tools().Named(name)
	if !known || !t.Sweeps {
		return Swept{}, fmt.Errorf("unknown tool %q: choose one of %s", name, strings.Join(Sweeps(), ", "))
	}
	if err := t.Check(args); err != nil {
		return Swept{Text: err.Error(), Refused: true}, nil //nolint:nilerr // it is the answer
	}
	trusted, repo, err := e.open(ctx, s.Root)
	if err != nil {
		return Swept{}, err
	}
	do := e.look
	if trusted && repo != nil && t.Litters {
		do = e.try
	}
	r, err := do(ctx, s, repo, t.WithTerms(in), args)
	if err != nil {
		return Swept{}, fmt.Errorf("%s in %s: %w", name, s.Root, err)
	}
	return Swept{Text: e.Redact(r.Text), Refused: r.Failed, Change: r.Change}, nil
}

// Propose creates a proposal for a change that no run has made. Once it is applied, it can be undone by its run id.
func Propose(title string, change patch.ChangeSet) *proposal.Proposal {
	id := state.NewID()
	return proposal.New("p-"+id, "a-"+id, title, change, nil, nil)
}

// sweepsOnly reports whether all actions are renames and replacements. Then the user has specified the whole change, and no
// reviewer is asked. Gates check the result all the same.
func sweepsOnly(actions []Action) bool {
	return len(actions) > 0 && !slices.ContainsFunc(actions, func(a Action) bool { return !slices.Contains(Sweeps(), a.Tool) })
}
