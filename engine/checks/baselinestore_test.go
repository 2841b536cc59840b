package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func sound() gate.Report {
	return gate.Report{Gate: "go test", Verdict: gate.Pass, Tests: true, Executed: 2, Passed: 2, PassedTests: []string{"a", "b"}}
}

func at(dir string, now time.Time) baselineStore {
	return baselineStore{Dir: dir, Now: func() time.Time { return now }}
}

func TestBaselineStore_KeepsForADay(t *testing.T) {
	t.Parallel()
	dir, began := t.TempDir(), time.Now()
	require.NoError(t, at(dir, began).Save("k", sound()))
	report, kept := at(dir, began.Add(time.Hour)).Load("k")
	require.True(t, kept)
	require.True(t, began.Equal(report.Checked))
	require.Equal(t, []string{"a", "b"}, report.PassedTests)
	for _, now := range []time.Time{began.Add(maxAge + time.Minute), began.Add(-time.Minute)} {
		_, kept = at(dir, now).Load("k")
		require.False(t, kept, "it is too old, or of a clock that was set back")
	}
	_, kept = at(dir, began).Load("other")
	require.False(t, kept)
	require.NoError(t, os.Rename(filepath.Join(dir, "k.json"), filepath.Join(dir, "other.json")))
	_, kept = at(dir, began).Load("other")
	require.False(t, kept, "it was kept under another key")
}

func TestBaselineStore_RemovesOldEntries(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	require.NoError(t, at(dir, now).Save("old", sound()))
	require.NoError(t, at(dir, now.Add(2*maxAge)).Save("new", sound()))
	require.NoFileExists(t, filepath.Join(dir, "old.json"))
}

func TestBaselineStore_HasABound(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	large := sound()
	large.Output = strings.Repeat("x", maxBytes/2)
	require.NoError(t, at(dir, now).Save("a", large))
	require.NoError(t, os.Chtimes(filepath.Join(dir, "a.json"), now, now.Add(-time.Hour)))
	require.NoError(t, at(dir, now).Save("b", large))
	require.NoFileExists(t, filepath.Join(dir, "a.json"), "the oldest goes first")
	require.FileExists(t, filepath.Join(dir, "b.json"))
}

func TestLasting_IsWholeAndNotFlaky(t *testing.T) {
	t.Parallel()
	failing := gate.Report{Verdict: gate.Fail, Tests: true, Findings: []gate.Finding{{Test: "a"}}}
	require.True(t, lasting(sound()))
	require.True(t, lasting(failing))
	require.True(t, lasting(gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a"}}}), "a linter")
	for name, change := range map[string]func(r *gate.Report){
		"flaky":          func(r *gate.Report) { r.Flaky = []string{"a"} },
		"out of time":    func(r *gate.Report) { r.Verdict = gate.Error },
		"not run":        func(r *gate.Report) { r.Verdict = gate.NotRun },
		"beside tests":   func(r *gate.Report) { r.Findings = append(r.Findings, gate.Finding{Path: "a"}) },
		"fails unnamed":  func(r *gate.Report) { r.Findings = nil },
		"lacks programs": func(r *gate.Report) { r.Missing = "pytest" },
	} {
		r := failing
		change(&r)
		require.False(t, lasting(r), name)
		dir := t.TempDir()
		require.NoError(t, at(dir, time.Now()).Save("k", r))
		require.NoFileExists(t, filepath.Join(dir, "k.json"), name)
	}
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// Each change of what gates may read changes a digest, and only of what it is in.
func TestDigests_ChangeWithTheContent(t *testing.T) {
	t.Parallel()
	tree, installed, source := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, tree, "a.go", "package a\n")
	put(t, installed, "lib/x.js", "x\n")
	put(t, installed, "p.dist-info/direct_url.json", `{"url": "file://`+source+`", "dir_info": {"editable": true}}`)
	put(t, source, "p.py", "P = 1\n")
	require.NoError(t, os.Mkdir(filepath.Join(tree, "node_modules"), 0o700))
	require.NoError(t, os.Symlink(installed, filepath.Join(tree, "node_modules", "x")))
	digests := func() [2]string {
		files, err := treeDigest(tree)
		require.NoError(t, err)
		linked, err := linkedDigest(tree)
		require.NoError(t, err)
		return [2]string{files, linked}
	}
	before := digests()
	require.Equal(t, before, digests())
	for _, c := range []struct {
		name         string
		change       func()
		tree, linked bool
	}{
		{"a file", func() { put(t, tree, "a.go", "package b\n") }, true, false},
		{"another file", func() { put(t, tree, "b.go", "package b\n") }, true, false},
		{"its mode", func() { require.NoError(t, os.Chmod(filepath.Join(tree, "b.go"), 0o700)) }, true, false},
		{"what is installed", func() { put(t, installed, "lib/x.js", "other\n") }, false, true},
		{"more is installed", func() { put(t, installed, "lib/y.js", "") }, false, true},
		{"what is installed as it is written", func() { put(t, source, "p.py", "P = 1000\n") }, false, true},
		{"what a tool left", func() { put(t, source, "__pycache__/p.pyc", "P = 1000\n") }, false, false},
	} {
		c.change()
		now := digests()
		require.Equal(t, c.tree, now[0] != before[0], c.name)
		require.Equal(t, c.linked, now[1] != before[1], c.name)
		before = now
	}
}
