package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/sandbox"
	"forge/engine/shadow"
	folder "forge/engine/workspace"
	"forge/patch"
)

// How large the folders are that snapshots and scratch trees are made of, and how often those are made.
const (
	snapshotFiles  = 100_000
	checkoutFiles  = 5_000
	shadowAgain    = 11
	shadowEntries  = 1_000
	shadowFileSize = 1_500 // bytes
)

// shadowFigures are samples of Forge and of what stands beside it, in the row's unit.
type shadowFigures struct{ first, again, status, trees, ledger pair }

// measureShadow measures snapshots and scratch trees beside plain git in an ordinary repository of the same files: git
// add and write-tree for a snapshot, git worktree add for a tree.
func measureShadow(ctx context.Context, _ *bench) ([]row, error) {
	var f shadowFigures
	err := inFolder(snapshotFiles, func(home, root string) error { return f.snapshots(ctx, home, root) })
	err = errors.Join(err, inFolder(checkoutFiles, func(home, root string) error { return f.checkouts(ctx, home, root) }))
	at := func(name, unit string, p pair, goals ...goal) row {
		return row{name: name, unit: unit, goals: goals, forge: number(p.forge.percentile(50)), gopls: number(p.gopls.percentile(50))}
	}
	ledger := at("ledger of 1,000 entries, read p50", "ms", f.ledger, atMost(100))
	ledger.gopls = missing
	return []row{
		at("snapshot of 100,000 files, first; beside: git add -A", "s", f.first, atMost(10)),
		at("snapshot again p50; beside: git add -A", "s", f.again, atMost(0.5)),
		at("snapshot again p50; beside: git status", "s", pair{f.again.forge, f.status.gopls}, atMost(0.5)),
		at("scratch tree of 5,000 files p50; beside: git worktree add", "ms", f.trees, atMost(50)),
		ledger,
	}, err
}

// inFolder makes a folder with many files, small ones in twenty folders below fifty, and a home beside it.
func inFolder(files int, f func(home, root string) error) error {
	home, err := os.MkdirTemp("", "forge-bench-shadow-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	root := filepath.Join(home, "workspace")
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("d%02d", i%50), fmt.Sprintf("s%02d", i/50%20))
		if i < 1000 {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
		}
		text := strings.Repeat(fmt.Sprintf("line of file %d\n", i), shadowFileSize/20)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return f(home, root)
}

// plainGit runs the git of the machine in a repository of its own over root.
func plainGit(ctx context.Context, home, root string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_DIR="+filepath.Join(home, "plain"), "GIT_WORK_TREE="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return time.Since(began), nil
}

// plainSnapshot is what a snapshot is in plain git.
func plainSnapshot(ctx context.Context, home, root string) (time.Duration, error) {
	add, err := plainGit(ctx, home, root, "add", "-A")
	if err != nil {
		return 0, err
	}
	tree, err := plainGit(ctx, home, root, "write-tree")
	return add + tree, err
}

func initPlain(ctx context.Context, home, root string) error {
	cmd := exec.CommandContext(ctx, "git", "init", "-q", "--bare", "--template=", filepath.Join(home, "plain"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %s", err, out)
	}
	_, err := plainGit(ctx, home, root, "config", "core.bare", "false")
	return err
}

// snapshots measures the first one and later ones; before each later one a file is changed and a buffer typed in.
func (f *shadowFigures) snapshots(ctx context.Context, home, root string) error {
	repo, err := shadow.Open(ctx, sandbox.New(sandbox.Options{Environ: os.Environ()}), filepath.Join(home, "state"), root)
	if err != nil {
		return err
	}
	if err := initPlain(ctx, home, root); err != nil {
		return err
	}
	first := true
	for i := range shadowAgain {
		if err := os.WriteFile(filepath.Join(root, "changed.go"), fmt.Appendf(nil, "change %d\n", i), 0o600); err != nil {
			return err
		}
		plain, err := plainSnapshot(ctx, home, root)
		if err != nil {
			return err
		}
		began := time.Now()
		_, err = repo.Snapshots.Take(ctx, typedIn(root, i))
		if err != nil {
			return err
		}
		took := time.Since(began)
		if first {
			f.first.forge, f.first.gopls, first = sample{took.Seconds()}, sample{plain.Seconds()}, false
			continue
		}
		f.again.forge, f.again.gopls = append(f.again.forge, took.Seconds()), append(f.again.gopls, plain.Seconds())
		status, err := plainGit(ctx, home, root, "status", "--porcelain")
		if err != nil {
			return err
		}
		f.status.gopls = append(f.status.gopls, status.Seconds())
	}
	return nil
}

// typedIn is the folder with a buffer that was typed in.
func typedIn(root string, i int) folder.Snapshot {
	name := "d00/s00/f0.go"
	return folder.Snapshot{Root: root, Unsaved: map[string]folder.Document{name: {Path: name, Text: fmt.Sprintf("typed %d\n", i), Version: 1}}}
}

// checkouts measures scratch trees from the pool, each of a snapshot that differs in a buffer, after a run that changed
// ten files and left build products.
func (f *shadowFigures) checkouts(ctx context.Context, home, root string) error {
	repo, err := shadow.Open(ctx, sandbox.New(sandbox.Options{Environ: os.Environ()}), filepath.Join(home, "state"), root)
	if err != nil {
		return err
	}
	if err := initPlain(ctx, home, root); err != nil {
		return err
	}
	if _, err := plainSnapshot(ctx, home, root); err != nil {
		return err
	}
	if _, err := plainGit(ctx, home, root, "commit", "-q", "-m", "all"); err != nil {
		return err
	}
	for i := range shadowAgain {
		took, err := checkoutOnce(ctx, repo, root, i)
		if err != nil {
			return err
		}
		plain, err := plainGit(ctx, home, root, "worktree", "add", "-q", "--detach", filepath.Join(home, fmt.Sprint("tree", i)))
		if err != nil {
			return err
		}
		if i > 0 { // the first one found no tree to use again
			f.trees.forge.add(took)
			f.trees.gopls.add(plain)
		}
	}
	return f.entries(ctx, repo)
}

func checkoutOnce(ctx context.Context, repo *shadow.Repo, root string, i int) (time.Duration, error) {
	snapshot, err := repo.Snapshots.Take(ctx, typedIn(root, i))
	if err != nil {
		return 0, err
	}
	began := time.Now()
	tree, err := repo.Trees.Checkout(ctx, snapshot)
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	if text, err := tree.ReadFile("d00/s00/f0.go"); err != nil || string(text) != fmt.Sprintf("typed %d\n", i) {
		return 0, errors.Join(fmt.Errorf("the tree holds %q", text), err)
	}
	var set patch.ChangeSet
	for n := range 10 {
		set.Files = append(set.Files, patch.FileChange{Path: fmt.Sprintf("d%02d/s00/f%d.go", n, n), After: "changed by a run\n"})
	}
	err = tree.Apply(set)
	for n := range 20 {
		err = errors.Join(err, os.WriteFile(filepath.Join(tree.Dir(), fmt.Sprintf("d%02d", n), "out.o"), []byte("built"), 0o600))
	}
	return took, errors.Join(err, tree.Close())
}

// entries measures how long it takes to read what can be undone.
func (f *shadowFigures) entries(ctx context.Context, repo *shadow.Repo) error {
	for i := range shadowEntries {
		_, err := repo.Ledger.Record(ctx, shadow.Entry{
			RunID: fmt.Sprint("r", i), Title: "a task", Time: time.Unix(int64(i), 0),
			Changes: patch.ChangeSet{Files: []patch.FileChange{{Path: "f.go", Before: fmt.Sprint(i), After: fmt.Sprint(i + 1)}}},
		})
		if err != nil {
			return err
		}
	}
	for range shadowAgain {
		began := time.Now()
		entries, err := repo.Ledger.Entries(ctx)
		if err != nil || len(entries) != shadowEntries {
			return errors.Join(fmt.Errorf("%d entries of %d", len(entries), shadowEntries), err)
		}
		f.ledger.forge.add(time.Since(began))
	}
	return nil
}
