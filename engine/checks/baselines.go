package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/sandbox"
	"forge/engine/step"
)

// Baselines give what gates say of a folder before a change: what they said in an earlier run, where nothing has changed that they could
// say something else for. They live as long as an execution of a run.
type baselines struct {
	checkers *Checkers
	checks   Checking
	store    baselineStore

	mu    sync.Mutex          // guards what follows
	trees map[string]string   // digests of trees, by their snapshots
	seen  map[string]observed // what was last seen around trees
}

// observed is what was seen of something outside of a tree, and when.
type observed struct {
	text string
	at   time.Time
}

// steady is how long what was seen around a tree before a gate is taken for what is there. What is kept is what was seen again after the gate.
const steady = 2 * time.Second

// baselinesFolder is where they are kept, in Forge's own folder.
const baselinesFolder = "baselines"

// Measured returns the gates of a folder, and their reports on trees; that is nil if the user wants each run to measure
// again.
func (c *Checkers) Measured(checks Checking) (activity.Baselines, func(name string) gate.Gate) {
	if checks.set.Remeasure {
		return nil, checks.Gate
	}
	store := baselineStore{Dir: c.state.Path(baselinesFolder), Now: c.now}
	b := &baselines{checkers: c, checks: checks, store: store, trees: map[string]string{}, seen: map[string]observed{}}
	return b, b.noting(checks.Gate)
}

// Of gives what a gate says of a tree without a change.
func (b *baselines) Of(ctx context.Context, g gate.Gate, t activity.Tree, c step.GateCall) gate.Report {
	if noted, is := g.(notedGate); is {
		g = noted.adjusted
	}
	around := b.around(ctx, t, c, steady)
	tree := b.tree(t, c.State.Base)
	if around == "" || tree == "" {
		return gate.RunIn(ctx, g, t, c.Scope)
	}
	key := baselineKey(tree, around)
	report, kept := b.store.Load(key)
	if kept && stillFails(ctx, g, t, report) {
		report.Summary = fmt.Sprintf("%s; as checked at %s", report.Summary, clock(report.Checked, b.store.Now()))
		return report
	}
	b.store.Forget(key)
	report = gate.RunIn(ctx, g, t, c.Scope)
	if ctx.Err() == nil && !kept && b.around(ctx, t, c, 0) == around { // nothing was installed meanwhile
		b.keep(key, report)
	}
	return report
}

// keep stores a report, unless it contains a secret: with a mark in the place of the secret it would be another report. The tool's output
// is not stored.
func (b *baselines) keep(key string, report gate.Report) {
	report.Output = ""
	text, err := json.Marshal(report)
	if err == nil && !bytes.Equal(b.checkers.redact(text), text) {
		return
	}
	if err == nil {
		err = b.store.Save(key, report)
	}
	if err != nil {
		b.checkers.state.Notify(err.Error())
	}
}

// clock is a time of today, or with its day.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on 2 January")
}

// stillFails runs the tests again that failed: one that passes now may be flaky, and an earlier failure of it would excuse a change for it.
func stillFails(ctx context.Context, g gate.Gate, t activity.Tree, report gate.Report) bool {
	if !report.Tests || len(report.Findings) == 0 {
		return true
	}
	var tests []string
	for _, f := range report.Findings {
		tests = append(tests, f.Test)
	}
	again := gate.RunIn(ctx, g, t, gate.Scope{Only: tests})
	return !slices.ContainsFunc(tests, func(test string) bool {
		return !slices.ContainsFunc(again.Findings, func(f gate.Finding) bool { return f.Test == test })
	})
}

// tree is the digest of the files of a tree that nothing has been executed in; empty where they cannot be read.
func (b *baselines) tree(t activity.Tree, base string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	digest, known := b.trees[base]
	if !known {
		digest, _ = treeDigest(t.Dir()) // what cannot be read is not known
		b.trees[base] = digest
	}
	return digest
}

// look looks at something around a tree, unless that was done a moment ago: gates follow each other, and what is installed is large.
func (b *baselines) look(what string, within time.Duration, now func() string) string {
	b.mu.Lock()
	last, known := b.seen[what]
	b.mu.Unlock()
	if known && b.store.Now().Sub(last.at) < within {
		return last.text
	}
	seen := observed{now(), b.store.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen[what] = seen
	return seen.text
}

// around is all but the tree that a gate may say something else for, as it was within some time; empty where that is not known.
func (b *baselines) around(ctx context.Context, t activity.Tree, c step.GateCall, within time.Duration) string {
	dir, name := gate.SplitName(c.Gate)
	l, known := b.checks.ofGate(name)
	runner, tells := b.checkers.runner.runner.(sandbox.Surrounded)
	if !known || l.Versions == nil || !tells || listed(b.checks.set.Unguarded, dir, name) {
		return ""
	}
	versions := b.look(l.Name+" in "+gate.InDir(t, dir).Dir(), within, func() string { return l.Versions(ctx, gate.InDir(t, dir)) })
	lent := b.look(t.Dir(), within, func() string {
		digest, err := lentDigest(t.Dir())
		if err != nil {
			return ""
		}
		return digest
	})
	if versions == "" || lent == "" {
		return ""
	}
	scope, err := json.Marshal(c.Scope)
	if err != nil {
		return ""
	}
	program, err := ownProgram()
	if err != nil {
		return ""
	}
	environment := slices.DeleteFunc(runner.Environment(), func(entry string) bool {
		variable, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"TMPDIR", "TMP", "TEMP"}, variable)
	})
	set := b.checks.set
	limits := fmt.Sprint(set.Timeouts[name], set.Processes, set.Memory, os.Getuid())
	return baselineKey(c.Gate, string(scope), limits, versions, lent, program, strings.Join(environment, "\n"))
}

// ownProgram distinguishes one build of Forge from another one, which may read the output of tools in another way.
func ownProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano()), nil
}

// ofGate is the language that has a gate.
func (c Checking) ofGate(name string) (gate.Language, bool) {
	at := slices.IndexFunc(c.languages, func(l gate.Language) bool {
		return slices.ContainsFunc(l.Gates, func(g gate.Gate) bool { return g.Name() == name })
	})
	if at < 0 {
		return gate.Language{}, false
	}
	return c.languages[at], true
}
