// Package nvim drives a real Neovim, without a screen: the plugin in editors/nvim alone, and the main job
// from unsaved text to undo, with the plugin and with nothing but Neovim's own client.
//
// The scenarios are in Lua (drive.lua, plugin.lua); what they see comes out as JSON lines, and the tests here
// read the one named end. Neovim is the one that scripts/install.sh puts into .cache, or the program in NVIM.
package nvim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// deadline ends a Neovim that hangs, so that its output is seen. No test depends on it.
const deadline = 14 * time.Minute

func TestNvim_MainJob(t *testing.T) {
	t.Parallel()
	for _, lane := range []string{"plugin", "plain"} {
		t.Run(lane, func(t *testing.T) {
			t.Parallel()
			d := newDrive(t, "drive.lua", forge, "lsp")
			d.env = append(d.env, "LANE="+lane,
				"FORGE_BASE_URL="+startModel(t, forge, "testdata/model.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
				"FORGE_HOME="+testkit.Home(t))
			end := d.run(t)
			require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
		})
	}
}

// TestNvim_Commands drives :Forge with its subcommands: files that a proposal creates, hints that survive :edit, completion, the status
// line, health checks and help.
func TestNvim_Commands(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "commands.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/created.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_Look looks at a proposal side by side, decides about hunks and lines of it, changes it, and finds it again after a restart.
func TestNvim_Look(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "look.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/created.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_TwoProjects works in two projects at once, each with a server of its own.
func TestNvim_TwoProjects(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/created.yaml")
	require.NoError(t, err)
	_, entries, _ := strings.Cut(string(text), "entries:\n")
	script := filepath.Join(t.TempDir(), "twice.yaml")
	require.NoError(t, os.WriteFile(script, []byte(string(text)+"\n"+entries), 0o600))
	d := newDrive(t, "projects.lua", forge, "lsp")
	d.env = append(d.env, "OTHER="+workspace(t), "FORGE_BASE_URL="+startModel(t, forge, script), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_Chain takes a change from the request to its undo, quits the editor, starts another one, and finds the run and its proposal there,
// in each Neovim that is installed.
func TestNvim_Chain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ version, lane string }{
		"0.10.4 plugin": {"0.10.4", "plugin"},
		"0.10.4 plain":  {"0.10.4", "plain"},
		"newest plugin": {"newest", "plugin"},
		"newest plain":  {"newest", "plain"},
		"0.7.2 plain":   {"0.7.2", "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := installed(t, c.version)
			d := newDrive(t, "chain.lua", forge, "lsp")
			d.program, d.old = program, c.version == "0.7.2"
			d.env = append(d.env, "LANE="+c.lane, "WORKSPACE="+workspaceOf(t, "testdata/chain.txtar"),
				"FORGE_BASE_URL="+startModel(t, forge, "testdata/chain.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1", "FORGE_HOME="+testkit.Home(t))
			for _, part := range []string{"PART=first", "PART=again"} {
				d.env = append(d.env, part)
				d.stdout.Reset()
				end := d.run(t)
				require.Truef(t, end.OK, "%s: %s\n%s", part, end.Problem, d.output())
			}
		})
	}
}

// TestNvim_ClosedDuringARun closes the editor while the model works, and resumes the run in another one, in each Neovim that is installed.
func TestNvim_ClosedDuringARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ version, lane string }{
		"0.10.4 plugin": {"0.10.4", "plugin"},
		"newest plugin": {"newest", "plugin"},
		"newest plain":  {"newest", "plain"},
		"0.7.2 plain":   {"0.7.2", "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := installed(t, c.version)
			d := newDrive(t, "closed.lua", forge, "lsp")
			d.program, d.old = program, c.version == "0.7.2"
			d.env = append(d.env, "LANE="+c.lane, "WORKSPACE="+workspaceOf(t, "testdata/chain.txtar"),
				"FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1", "FORGE_HOME="+testkit.Home(t))
			for _, part := range [][2]string{{"first", testkit.HangingModel(t, "testdata/chain.yaml")}, {"again", "testdata/chain.yaml"}} {
				d.env = append(d.env, "PART="+part[0], "FORGE_BASE_URL="+startModel(t, forge, part[1]))
				d.stdout.Reset()
				end := d.run(t)
				require.Truef(t, end.OK, "%s: %s\n%s", part[0], end.Problem, d.output())
			}
		})
	}
}

// installed returns the program of a version; without it the test is skipped, unless it is the usual one.
func installed(t *testing.T, version string) string {
	t.Helper()
	if version == "0.10.4" {
		return neovim(t)
	}
	program := absolute(t, "../../.cache/nvim-"+version+"/nvim")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("not run: Neovim %s: it is not installed; scripts/install.sh nvim-%s unpacks Debian's", version, version)
	}
	return program
}

// TestNvim_CommandsDetectAServerWithoutThem is the negative twin of TestNvim_Commands, TestNvim_Look and others: a server that proposes something else is
// found out.
func TestNvim_CommandsDetectAServerWithoutThem(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"commands.lua": "not true: without a server the program is asked",
		"look.lua":     "no answer known",
		"planfile.lua": "no answer known",
		"projects.lua": "no answer known",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			d := newDrive(t, script, fakeServer(t)...)
			d.env = append(d.env, "OTHER="+workspace(t), "VAIN=question 1") // the plan is asked about in planfile.lua
			end := d.run(t)
			require.False(t, end.OK)
			require.Contains(t, end.Problem, want)
		})
	}
}

// TestNvim_LazySpec loads the plugin by the spec that docs/neovim.md has for lazy.nvim: as lazy.nvim would, and by lazy.nvim itself where there
// is a clone of it.
func TestNvim_LazySpec(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"as lazy.nvim would", "by lazy.nvim"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			d := newDrive(t, "lazy.lua", forge, "lsp")
			d.env, d.init = append(d.env, "FORGE_HOME="+testkit.Home(t)), true
			if by == "by lazy.nvim" {
				d.env = append(d.env, "BY_LAZY="+lazyNvim(t))
			}
			end := d.run(t)
			require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
		})
	}
}

// lazyNvim returns a clone of lazy.nvim; without one the test is skipped.
func lazyNvim(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("LAZY"); given != "" {
		return given
	}
	clone := absolute(t, "../../.cache/lazy.nvim")
	if _, err := os.Stat(clone); err != nil {
		t.Skip("not run: lazy.nvim: there is no clone of it; git clone --filter=blob:none https://github.com/folke/lazy.nvim .cache/lazy.nvim makes one, LAZY=/path/to/lazy.nvim uses another")
	}
	return clone
}

func TestNvim_PluginResolvesAConflict(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "plugin.lua", fakeServer(t)...)
	d.env = append(d.env, "FAULT=conflict")
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

func TestNvim_Search(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "search.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_SearchDetectsWrongResults is the negative twin of TestNvim_Search: a server that finds something else is found out.
func TestNvim_SearchDetectsWrongResults(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "search.lua", fakeServer(t)...)
	end := d.run(t)
	require.False(t, end.OK)
	require.Contains(t, end.Problem, "not true: it is at the line that says so")
}

// TestNvim_ReviewAndAsk has a selection reviewed, a question answered and a change asked for, by the real server.
func TestNvim_ReviewAndAsk(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "reading.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/reading.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_ReviewDetectsAServerWithoutIt is the negative twin of TestNvim_ReviewAndAsk: a server that cannot review is found out.
func TestNvim_ReviewDetectsAServerWithoutIt(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "reading.lua", fakeServer(t)...)
	d.env = append(d.env, "VAIN=what the reviewer found")
	end := d.run(t)
	require.False(t, end.OK)
	require.Contains(t, end.Problem, "waited in vain for what the reviewer found")
}

// TestNvim_Plan has a task carried out by a plan, by the real server.
func TestNvim_Plan(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "plan.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/plan.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_PlanIsChangedInItsFile has a plan changed in its file, carried out, revised and accepted, by the real server.
func TestNvim_PlanIsChangedInItsFile(t *testing.T) {
	t.Parallel()
	home := testkit.Home(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.yaml"), []byte("plan: {sanityEvery: 1}\n"), 0o600))
	d := newDrive(t, "planfile.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/planfile.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+home)
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_PlanDetectsAServerWithoutIt is the negative twin of TestNvim_Plan: a server that asks for no plan is found out.
func TestNvim_PlanDetectsAServerWithoutIt(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "plan.lua", fakeServer(t)...)
	end := d.run(t)
	require.False(t, end.OK)
	require.Contains(t, end.Problem, "no answer known to \"Forge: Is this right?\"")
}

// TestNvim_OpensDocuments opens specifications and prompts by their addresses, from the real server.
func TestNvim_OpensDocuments(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "document.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_BASE_URL="+startModel(t, forge, "testdata/document.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_DocumentDetectsAServerWithoutIt is the negative twin of TestNvim_OpensDocuments: a server that has no documents is found out.
func TestNvim_DocumentDetectsAServerWithoutIt(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "document.lua", fakeServer(t)...)
	d.env = append(d.env, "VAIN=being told has no specification yet")
	end := d.run(t)
	require.False(t, end.OK)
	require.Contains(t, end.Problem, "waited in vain for being told has no specification yet")
}

// TestNvim_Validate has the folder checked as it stands in the editor, by the real server and real gates.
func TestNvim_Validate(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "validate.lua", forge, "lsp")
	d.env = append(d.env, "FORGE_HOME="+testkit.Home(t))
	end := d.run(t)
	require.Truef(t, end.OK, "%s\n%s", end.Problem, d.output())
}

// TestNvim_ValidateDetectsAServerWithoutIt is the negative twin of TestNvim_Validate: a server that checks nothing is found out.
func TestNvim_ValidateDetectsAServerWithoutIt(t *testing.T) {
	t.Parallel()
	d := newDrive(t, "validate.lua", fakeServer(t)...)
	d.env = append(d.env, "VAIN=being told If you trust it")
	end := d.run(t)
	require.False(t, end.OK)
	require.Contains(t, end.Problem, "waited in vain for being told If you trust it")
}

// TestNvim_MainJobDetectsEachFault is the negative twin of TestNvim_MainJob: a server with each of these faults is found out,
// in both lanes, and the same server without a fault passes.
func TestNvim_MainJobDetectsEachFault(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault string
		want  string
	}{
		{fault: ""},
		{fault: "no hints", want: "waited in vain for hints in both files"},
		{fault: "overwrites", want: "not true: the unsaved line is still there"},
		{fault: "two ends", want: "not true: a progress ends once"},
		{fault: "odd question", want: "no answer known"},
		{fault: "applies at once", want: "not true: nothing was applied before consent"},
		{fault: "undo does nothing", want: "waited in vain for a hint"},
	}
	for _, tt := range tests {
		for _, lane := range []string{"plugin", "plain"} {
			t.Run(strings.TrimSpace(lane+" "+tt.fault), func(t *testing.T) {
				t.Parallel()
				d := newDrive(t, "drive.lua", fakeServer(t)...)
				d.env = append(d.env, "LANE="+lane, "FAULT="+tt.fault)
				if wait, in := strings.CutPrefix(tt.want, "waited in vain for "); in {
					d.env = append(d.env, "VAIN="+wait)
				}
				end := d.run(t)
				require.Equalf(t, tt.want == "", end.OK, "%s\n%s", end.Problem, d.output())
				require.Contains(t, end.Problem, tt.want)
			})
		}
	}
}

// drive is one Neovim with one scenario.
type drive struct {
	program string // empty is the usual Neovim
	old     bool   // it has no option -l
	init    bool   // the scenario is the user's init.lua
	script  string
	env     []string
	stdout  bytes.Buffer
	stderr  bytes.Buffer
}

// end is the line in which a scenario says how it ended.
type end struct {
	Saw     string `json:"saw"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem"`
}

func newDrive(t *testing.T, script string, server ...string) *drive {
	t.Helper()
	argv, err := json.Marshal(server)
	require.NoError(t, err)
	own := t.TempDir()
	return &drive{script: script, env: append(os.Environ(),
		"SERVER="+string(argv), "WORKSPACE="+workspace(t), "RUNTIME="+absolute(t, "../../editors/nvim"),
		"XDG_STATE_HOME="+own, "XDG_DATA_HOME="+own, "XDG_CONFIG_HOME="+own, "NVIM_LOG_FILE="+filepath.Join(own, "log"),
	)}
}

// run drives to the end and returns how the scenario ended.
func (d *drive) run(t *testing.T) end {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	script := absolute(t, d.script)
	args := []string{"--headless", "-u", "NONE", "-l", script}
	if d.old {
		args = []string{"--headless", "-u", "NONE", "-c", "luafile " + script}
	}
	if d.init {
		args = []string{"--headless", "-u", script}
	}
	program := d.program
	if program == "" {
		program = neovim(t)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = d.env, &d.stdout, &d.stderr
	runErr := cmd.Run()
	for line := range strings.Lines(d.stdout.String()) {
		var e end
		require.NoErrorf(t, json.Unmarshal([]byte(line), &e), "Neovim: %v\n%s", runErr, d.output())
		if e.Saw == "end" {
			require.Equalf(t, e.OK, runErr == nil, "exit code: %v\n%s", runErr, d.output())
			return e
		}
	}
	t.Fatalf("Neovim ended early: %v\n%s", runErr, d.output())
	return end{}
}

func (d *drive) output() string {
	return "what was seen:\n" + d.stdout.String() + "what Neovim said:\n" + d.stderr.String()
}

func neovim(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("NVIM"); given != "" {
		return given
	}
	installed := absolute(t, "../../.cache/nvim-0.10.4/nvim")
	if _, err := os.Stat(installed); err != nil {
		t.Fatalf("Neovim is not installed: run `scripts/install.sh nvim` (make test does), or set NVIM to one of version 0.10 or newer")
	}
	return installed
}

func fakeServer(t *testing.T) []string {
	t.Helper()
	return []string{neovim(t), "-l", absolute(t, "testdata/fakeserver.lua")}
}

// workspace returns a fresh copy of the sample module.
func workspace(t *testing.T) string {
	t.Helper()
	return workspaceOf(t, "testdata/workspace.txtar")
}

func workspaceOf(t *testing.T, file string) string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, txtar.Write(archive, dir))
	return dir
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+[\w/]*`)

// startModel serves a script on loopback until the test ends, and returns the URL it prints.
func startModel(t *testing.T, forge, script string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, forge, "dev", "model", "--script", script)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // killed: the error says only that
	})
	said := ""
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said += lines.Text() + "\n"
		if url := address.FindString(said); url != "" {
			return url
		}
	}
	t.Fatalf("`forge dev model` printed no URL:\n%s%s", said, stderr.String())
	return ""
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	return abs
}
