package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A flag or an argument that a form of a command does not read is an error: nothing is done that the user did not mean.
func TestForms_ReportWhatTheyDoNotUse(t *testing.T) {
	t.Parallel()
	w := quiet(t, map[string]string{"go.mod": "module sum\n\ngo 1.26\n"})
	before := fingerprint(t, w.root)
	for name, c := range map[string]struct{ command, says string }{
		"a batch of edits":                         {"apply --batch --format fly --dir nowhere --yes", "--batch does not use --dir, --format and --yes: leave them out"},
		"a batch with a run":                       {"apply --batch --run r-1", "--batch does not use --run: leave it out"},
		"a run in another folder":                  {"apply --run r-1 --dir nowhere --yes", "--run does not use --dir: leave it out"},
		"a run as a patch":                         {"apply --run r-1 --format v4a --overwrite --allow-fuzzy --trust", "--run does not use --allow-fuzzy, --format and --overwrite: leave them out"},
		"a patch as a run":                         {"apply - --yes --allow-unverified", "--allow-unverified has no effect here: add --run, or leave it out"},
		"an unverified change that is asked about": {"apply --run r-1 --allow-unverified", "--allow-unverified has no effect here: add --yes, or leave it out"},
		"a skill in a folder":                      {"skills new review-api --dir nowhere", "--dir has no effect here: add --project, or leave it out"},
		"a skill of others in a folder":            {"skills install https://example.com/SKILL.md --dir nowhere", "--dir has no effect here: add --project, or leave it out"},
		"a specification to show":                  {"spec --file go.mod --yes", "forge spec without requirements does not use --file and --yes: leave them out"},
		"a specification to write":                 {"spec --version 2 halves", "forge spec with requirements does not use --version: leave it out"},
		"no version":                               {"spec --version 0", "--version 0: want a version from 1"},
		"a batch of searches":                      {"search --batch -k 3 --open go.mod --json", "--batch does not use --limit and --open: leave them out"},
		"two folders to search":                    {"search --dir far --root nowhere x", "--root is the same as --dir: give one of them"},
		"tasks below nothing":                      {"history --limit -1", "--limit -1: want a number of tasks, or 0 for all"},
		"attempts to list":                         {"iterations --yes", "--yes has no effect here: add --reset, or leave it out"},
		"a long call":                              {"mcp add files --timeout 60s -- files", "--timeout 1m0s: want a time above 0, at most 30s"},
		"no time for a call":                       {"mcp add files --timeout 0s -- files", "--timeout 0s: want a time above 0, at most 30s"},
		"a scripted model":                         {"dev model --paced", "--paced has no effect here: add --cassette, or leave it out"},
		"memory without JSON":                      {"memory export --json=false", "JSON lines are the only format"},
		"events without JSON":                      {"events r-1 --json=false", "JSON lines are the only format"},
		"patterns of a tier":                       {"memory list --kind pattern --tier mid", "--tier chooses rows of the kind entry, and --kind pattern of the kind pattern: leave one of them out"},
		"entries of a category":                    {"memory list --prefix build. --category convention", "--category chooses rows of the kind pattern, and --prefix of the kind entry: leave one of them out"},
		"rows below nothing":                       {"memory list --limit -1", "--limit -1: want a number of rows, or 0 for all"},
		"a priority that no prompt reads":          {"memory set k v --tier mid --priority 3", "--priority orders the tier long: leave it out with --tier mid"},
		"tests of another node":                    {"prompt --dry-run --node planner --written added.diff x", "--node planner does not use --written: leave it out"},
		"lines of a release":                       {"review --final --lines 1-2", "--final reviews all changes: leave --file and --lines out"},
		"a provider elsewhere":                     {"models --provider openai --local", "--provider openai is not on this machine: leave out either it or --local"},
		"a run for a group":                        {"graph r-1", `unknown command "r-1" for "forge graph"`},
		"an agent for a group":                     {"agents debugger", `unknown command "debugger" for "forge agents"`},
		"a tool for a group":                       {"permissions run_command", `unknown command "run_command" for "forge permissions"`},
		"a model for a group":                      {"dev scripted", `unknown command "scripted" for "forge dev"`},
		"a check of no plan":                       {"run --sanity-every 3 x", "--sanity-every has no effect here: add --plan, --plan-file or --lite, or leave it out"},
		"a cut of no plan":                         {"run --fanout-depth 2 x", "--fanout-depth has no effect here: add --plan, --plan-file or --lite, or leave it out"},
		"tools with a plan":                        {"run --tool write_file --args {} --lite --profile tdd", "--tool does not use --lite: leave it out"},
		"tools with a small plan":                  {"run --tool write_file --args {} --lite", "--tool does not use --lite: leave it out"},
		"a mode that only answers":                 {"run --mode audit --recipe fix --whole-suite x", "--mode audit does not use --recipe and --whole-suite: leave them out"},
		"an unverified result without consent":     {"run --allow-unverified x", "--allow-unverified has no effect here: add --yes or --allow-files, or leave it out"},
		"an unverified result of a resumed run":    {"resume r-1 --allow-unverified", "--allow-unverified has no effect here: add --yes, or leave it out"},
		"an unverified result of a task":           {"task resume task_1 --allow-unverified", "--allow-unverified has no effect here: add --yes, or leave it out"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // one that serves ends with it
			defer stop()
			code, stdout, stderr := execute(t, w.command(ctx, strings.Fields(c.command)...))
			require.Equal(t, 2, code, stdout+stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, c.says)
			readsWell(t, stderr)
		})
	}
	require.Equal(t, before, fingerprint(t, w.root))
	require.NoDirExists(t, w.home+"/skills")
	require.NoFileExists(t, w.home+"/mcp_servers.yaml")
}

// The twin: what a form reads, and a switch that is off, are no errors.
func TestForms_AcceptWhatTheyUse(t *testing.T) {
	t.Parallel()
	w := quiet(t, map[string]string{"go.mod": "module sum\n\ngo 1.26\n"})
	for _, command := range []string{
		"apply --batch --yes=false --json --dir .",
		"run --help --mode plan --recipe= why",
		"graph",
		"memory export --json",
		"mcp add files --timeout 30s -- files",
		"memory list --kind entry --tier mid --prefix a",
		"skills new review-api --project --dir .",
		"search --batch --root . --json",
	} {
		code, stdout, stderr := w.run(strings.Fields(command)...)
		require.Zero(t, code, command+": "+stdout+stderr)
	}
}

// Settings that have no effect are reported, and a plain no is a value of wholeSuite.
func TestSettings_ThatHaveNoEffectAreReported(t *testing.T) {
	t.Parallel()
	w := quiet(t, nil)
	w.settings("budget: {tokens: 0, usd: -1}\nlimits: {minutes: 0}\nsandbox: {processes: 0}\nweb: {hosts: [pkg.go.dev]}\nwholeSuite: sometimes\n")
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "mcp_servers.yaml"), []byte("servers:\n- name: files\n  command: [files]\n  timeuot: 5s\n"), 0o600))
	_, stdout, _ := w.run("doctor")
	for _, says := range []string{
		"budget.tokens in ", "budget.usd in ", "limits.minutes in ", "sandbox.processes in config.yaml: 0 is too few", "web in ",
		`"sometimes" is not valid: use background, before or never`, `mcp_servers.yaml:4: unknown setting "timeuot"; the settings here are command, name, timeout, tools, url`,
	} {
		require.Regexp(t, "(?m)^settings warning  .*"+regexp.QuoteMeta(says), stdout)
	}
	readsWell(t, stdout)
	w.settings("wholeSuite: false\nweb: {allowed: false, hosts: [pkg.go.dev]}\n")
	require.NoError(t, os.Remove(filepath.Join(w.home, "mcp_servers.yaml")))
	_, stdout, _ = w.run("doctor")
	require.NotContains(t, stdout, "settings warning")
}
