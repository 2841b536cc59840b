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

// Baselines return the gates' reports on a folder before a change, from an earlier run if nothing relevant has changed since. They
// live as long as an execution of a run.
type baselines struct {
	checkers *Checkers
	checks   Checking
	store    baselineStore

	mu    sync.Mutex           // guards the fields below
	trees map[string]string    // digests of trees, by snapshot
	seen  map[string]*observed // latest observations around trees
}

// observed is the latest observation of something outside of a tree, and its time; zero before the first one.
type observed struct {
	mu   sync.Mutex // held while versions are looked up
	text string
	at   time.Time
}

// steady is how long an observation before a gate stays valid. A report is kept only if the observation after the gate is the same.
const steady = 2 * time.Second

// toolsSteady is how long the versions of tools stay valid, before and after a gate: asking for them starts processes, which often takes longer than the
// gate itself. A report that a tool made within this time of its own upgrade may be kept under the old version.
const toolsSteady = 30 * time.Second

// baselinesFolder is their folder, in Forge's own folder.
const baselinesFolder = "baselines"

// Measured returns the gates of a folder, and their reports on trees; nil if the user wants each run to measure again.
func (c *Checkers) Measured(checks Checking) (activity.Baselines, func(name string) gate.Gate) {
	if checks.set.Remeasure {
		return nil, checks.Gate
	}
	store := baselineStore{Dir: c.state.Path(baselinesFolder), Now: c.now}
	b := &baselines{checkers: c, checks: checks, store: store, trees: map[string]string{}, seen: map[string]*observed{}}
	return b, b.noting(checks.Gate)
}

// Of returns a gate's report on a tree without a change.
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
	if ctx.Err() == nil && !kept && b.around(ctx, t, c, 0) == around { // nothing has changed meanwhile
		b.keep(key, report)
	}
	return report
}

// keep stores a report, unless it contains a secret: with the secret masked it would be another report. The tool's output is not
// stored.
func (b *baselines) keep(key string, report gate.Report) {
	report.Output = ""
	text, err := json.Marshal(report)
	if len(report.Listed) > 0 {
		return
	}
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

// clock formats a time of today, or one with its day.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on 2 January")
}

// stillFails runs the failed tests again: one that passes now may be flaky, and its earlier failure would excuse a change for it.
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

// tree returns the digest of the files of a tree before anything is executed in it; empty if they cannot be read.
func (b *baselines) tree(t activity.Tree, base string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	digest, known := b.trees[base]
	if !known {
		digest, _ = treeDigest(t.Dir()) // unreadable means unknown
		b.trees[base] = digest
	}
	return digest
}

// look observes something around a tree, unless that was done recently, or is being done: gates run one after another or at the same time, and
// installations are large.
func (b *baselines) look(what string, within time.Duration, now func() string) string {
	b.mu.Lock()
	last := b.seen[what]
	if last == nil {
		last = &observed{}
		b.seen[what] = last
	}
	b.mu.Unlock()
	last.mu.Lock()
	defer last.mu.Unlock()
	if last.at.IsZero() || b.store.Now().Sub(last.at) >= within {
		last.text, last.at = now(), b.store.Now()
	}
	return last.text
}

// around returns a digest of everything outside of the tree that may change a gate's report, observed within some time; empty if
// unknown.
func (b *baselines) around(ctx context.Context, t activity.Tree, c step.GateCall, within time.Duration) string {
	dir, name := gate.SplitName(c.Gate)
	l, known := b.checks.ofGate(name)
	runner, tells := b.checkers.runner.runner.(sandbox.Surrounded)
	if !known || l.Versions == nil || !tells || listed(b.checks.set.Unguarded, dir, name) {
		return ""
	}
	// The tools of a tree with a change are those of the folder, unless the change replaces them: then the next run observes others, and measures again.
	versions := b.look(l.Name+" in "+dir, toolsSteady, func() string { return l.Versions(ctx, gate.InDir(t, dir)) })
	linked := b.look(t.Dir(), within, func() string {
		digest, err := linkedDigest(t.Dir())
		if err != nil {
			return ""
		}
		return digest
	})
	if versions == "" || linked == "" {
		return ""
	}
	whole := c.Scope
	whole.List = false // a report that only lists tests is not kept
	scope, err := json.Marshal(whole)
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
	limits := fmt.Sprint(set.Timeouts[name], set.Processes, set.Memory, listed(set.Network, dir, name), os.Getuid())
	return baselineKey(c.Gate, string(scope), limits, versions, linked, program, strings.Join(environment, "\n"))
}

// ownProgram identifies the build of Forge, because another one may parse the output of tools differently.
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

// ofGate returns the language of a gate.
func (c Checking) ofGate(name string) (gate.Language, bool) {
	at := slices.IndexFunc(c.languages, func(l gate.Language) bool {
		return slices.ContainsFunc(l.Gates, func(g gate.Gate) bool { return g.Name() == name })
	})
	if at < 0 {
		return gate.Language{}, false
	}
	return c.languages[at], true
}
