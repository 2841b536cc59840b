package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

const ownGates = `
gates:
  - name: licences
    argv: [reuse, lint]
    dir: sub
    timeout: 90s
    stage: audit
    checks: 1
  - {name: spelling, argv: [codespell], findings: '(?P<path>\S+):(?P<line>\d+): (?P<message>.*)'}
waive: [mypy, cargo clippy (crates/a)]
required: [gofmt]
advisory: [eslint]
timeouts: {cargo test: 30m}
unguarded: [go test]
sandbox: {processes: 2000, memory: 12GiB, network: [go test (api)]}
`

func TestGates_OfTheUser(t *testing.T) {
	t.Parallel()
	s := harness{user: ownGates}.load(t)
	require.Empty(t, said(s))
	require.Empty(t, cmp.Diff(config.Gates{
		Own: []config.OwnGate{
			{Name: "licences", Argv: []string{"reuse", "lint"}, Dir: "sub", Timeout: 90 * time.Second, Stage: "audit", Checks: 1},
			{Name: "spelling", Argv: []string{"codespell"}, Findings: `(?P<path>\S+):(?P<line>\d+): (?P<message>.*)`},
		},
		Waived:   []string{"mypy", "cargo clippy (crates/a)"},
		Timeouts: map[string]time.Duration{"cargo test": 30 * time.Minute},

		Unguarded: []string{"go test"},
		Network:   []string{"go test (api)"},
		Required:  []string{"gofmt"},
		Advisory:  []string{"eslint"},
		Processes: 2000,
		Memory:    12 << 30,
	}, s.Gates))
}

// A folder adds no command, waives nothing, gives nothing more time, and lets nothing write.
func TestGates_IgnoresFolderSettings(t *testing.T) {
	t.Parallel()
	s := harness{project: ownGates}.load(t)
	require.Empty(t, s.Gates)
	for _, key := range []string{"gates", "waive", "required", "advisory", "timeouts", "unguarded", "sandbox"} {
		require.Contains(t, said(s), `"`+key+`" is refused: a folder cannot set how changes are checked`)
	}
}

// A folder's own settings are added to those for all folders, in it and below it, and nowhere else.
func TestGates_OfOneFolder(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	below := filepath.Join(top, "in", "it")
	require.NoError(t, os.MkdirAll(below, 0o750))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(top, link))
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("waive: [gofmt]\nfolders: {"+link+": {waive: [go test], timeouts: {go vet: 9m}}, here: {waive: [x]}, ~/b: {waive: [y], timeouts: {gofmt: 1m}}, /home/someone/b/c: {timeouts: {gofmt: 2m}}}\n"), 0o600))
	for folder, waived := range map[string][]string{top: {"gofmt", "go test"}, below: {"gofmt", "go test"}, top + "2": {"gofmt"}, "": {"gofmt"}, "/home/someone/b": {"gofmt", "y"}, "/home/someone/b/c": {"gofmt", "y"}} {
		s := config.Load(config.Sources{UserFile: file, Folder: folder, Environ: func(name string) string { return map[string]string{"HOME": "/home/someone"}[name] }})
		require.Equal(t, waived, s.Gates.Waived, folder)
		require.Contains(t, said(s), `folders in config.yaml: "here" is not an absolute path`)
		if folder == "/home/someone/b/c" {
			require.Equal(t, 2*time.Minute, s.Gates.Timeouts["gofmt"], "that of the inner folder")
		}
		require.Equal(t, len(waived) > 1 && waived[1] == "go test", s.Gates.Timeouts["go vet"] > 0)
	}
}

func TestGates_RejectsInvalidSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"gates: [{argv: [x]}]":                         "needs a name and an argv",
		"gates: [{name: a}]":                           "needs a name and an argv",
		"gates: [{name: a, argv: [x], timeout: long}]": `"long" is not a valid time limit`,
		"gates: [{name: a, argv: [x], timeout: 2h}]":   `"2h" is not a valid time limit`,
		"timeouts: {go test: -1s}":                     `"-1s" is not a valid time limit`,
		"sandbox: {processes: 3}":                      "3 is too few",
		"sandbox: {processes: -1}":                     "-1 is too few",
		"sandbox: {processes: 0}":                      "0 is too few",
		"sandbox: {memory: lots}":                      `"lots" is not a valid size of memory`,
		"sandbox: {memory: 12}":                        `"12" is not a valid size of memory`,
		"sandbox: {memory: -1GiB}":                     `"-1GiB" is not a valid size of memory`,
		"sandbox: {memory: 1MiB}":                      `"1MiB" is not a valid size of memory`,
		"sandbox: {cpus: 3}":                           `unknown setting "cpus"; the settings here are memory, network, processes`,
		"folders: {/a: {waived: [b]}}":                 `unknown setting "waived"; the settings here are advisory, gates, required, timeouts, unguarded, waive`,
		"waives: [a]":                                  "unguarded, waive, web",
		"gates: [{name: a, argv: x}]":                  "use a list",
		"gates: [{name: a, argv: [x], shell: y}]":      `unknown setting "shell"; the settings here are argv, checks, dir, findings, name, stage, timeout`,
	} {
		s := harness{user: text}.load(t)
		require.Contains(t, said(s), want)
		require.LessOrEqual(t, len(s.Gates.Own), 1)
		require.Empty(t, s.Gates.Timeouts)
		require.Zero(t, s.Gates.Processes)
		require.Zero(t, s.Gates.Memory)
	}
	s := harness{user: "gates: [{name: a, argv: [x]}, {name: a, argv: [y]}]"}.load(t)
	require.Contains(t, said(s), "two are named a")
	require.Equal(t, []string{"x"}, s.Gates.Own[0].Argv)
}
