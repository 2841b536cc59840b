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
)

// The change that is measured: so many files, in so many folders, of so many lines.
const (
	applyFiles   = 50
	applyFolders = 10
	applyLines   = 200
)

// measureApply measures forge apply of a patch of 50 files, from before its process is made to after its end:
// a journal, every file synced and renamed, and the ledger. Beside it the least that a program could do which
// does not mind being killed between two files: write, sync and rename each. Both take turns on one disk.
func measureApply(ctx context.Context, b *bench) ([]row, error) {
	dir, err := os.MkdirTemp("", "forge-bench-apply-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	a := &applied{dir: dir, program: b.forge}
	a.program.env = append(a.program.env[:len(a.program.env):len(a.program.env)], "FORGE_HOME="+filepath.Join(dir, "home"))
	if err := a.prepare(); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	var forge, naive sample
	for turn := range b.runs + 1 { // the first makes the state folder and is not counted
		took, err := a.apply(ctx, turn)
		if err != nil {
			return nil, fmt.Errorf("apply: %w", err)
		}
		alone, err := a.naive(turn)
		if err != nil {
			return nil, fmt.Errorf("apply: the naive loop: %w", err)
		}
		if turn > 0 {
			forge.add(took)
			naive.add(alone)
		}
	}
	at := func(name string, percent float64, beside value, goals ...goal) row {
		return row{name: name, unit: "ms", goals: goals, forge: number(forge.percentile(percent)), gopls: beside}
	}
	return []row{
		at("apply of 50 files p50", 50, missing),
		at("apply of 50 files p95", 95, missing, atMost(500)),
		at("apply p50; beside: a naive loop", 50, number(naive.percentile(50))),
		at("apply p95; beside: a naive loop", 95, number(naive.percentile(95))),
	}, nil
}

// applied is a folder that is changed again and again.
type applied struct {
	dir     string
	program program
}

func (a *applied) name(folder string, i int) string {
	return filepath.Join(a.dir, folder, relative(i))
}

func relative(i int) string { return fmt.Sprintf("p%d/file%02d.txt", i%applyFolders, i) }

// text is a file after a turn; only one of its lines ever changes.
func text(i, turn int) string {
	var b strings.Builder
	for l := range applyLines {
		if l == applyLines/2 {
			fmt.Fprintf(&b, "turn %d\n", turn)
			continue
		}
		fmt.Fprintf(&b, "line %d of file %d, as it always was\n", l, i)
	}
	return b.String()
}

func (a *applied) prepare() error {
	for _, folder := range []string{"forge", "naive"} {
		for i := range applyFiles {
			name := a.name(folder, i)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(text(i, -1)), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply has Forge change every file, and looks whether it did.
func (a *applied) apply(ctx context.Context, turn int) (time.Duration, error) {
	patch := "*** Begin Patch\n"
	for i := range applyFiles {
		patch += fmt.Sprintf("*** Update File: %s\n@@\n-turn %d\n+turn %d\n", relative(i), turn-1, turn)
	}
	file := filepath.Join(a.dir, "change.patch")
	if err := os.WriteFile(file, []byte(patch+"*** End Patch\n"), 0o600); err != nil {
		return 0, err
	}
	c := exec.CommandContext(ctx, a.program.argv[0], "apply", "--trust", "--yes", "--json", file) //nolint:gosec // the program that is measured
	c.Dir, c.Env = filepath.Join(a.dir, "forge"), a.program.env
	began := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("forge apply: %w: %s", err, out)
	}
	for i := range applyFiles {
		now, err := os.ReadFile(a.name("forge", i))
		if err != nil {
			return 0, err
		}
		if string(now) != text(i, turn) {
			return 0, fmt.Errorf("forge apply left %s as it was", relative(i))
		}
	}
	return took, nil
}

// naive changes every file of its own folder, one after the other.
func (a *applied) naive(turn int) (time.Duration, error) {
	began := time.Now()
	for i := range applyFiles {
		if err := replace(a.name("naive", i), text(i, turn)); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// replace writes a file beside another one, synced, and renames it over that.
func replace(name, text string) error {
	f, err := os.Create(name + ".new") //nolint:gosec // a name of our own
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
