// Package emacs drives a real Emacs on a pseudo-terminal: editors/emacs/forge.el, and Eglot with nothing beside it.
//
// The steps are in Lisp; what they see comes out as JSON lines, and the tests here read the one named end. Emacs is the
// program in EMACS, the one that scripts/install.sh puts into .cache, or the system's.
package emacs

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

// deadline ends an Emacs that hangs, so that its output is seen. No test depends on it.
const deadline = 14 * time.Minute

func TestEmacs_MainJob(t *testing.T) {
	t.Parallel()
	for _, lane := range []string{"forge", "plain"} {
		t.Run(lane, func(t *testing.T) {
			t.Parallel()
			end, seen := drive(t, lane+".el", "300", forge, "lsp")
			require.Truef(t, end.OK, "%s\n%s", end.Problem, seen)
		})
	}
}

// TestEmacs_LspMode does the main job by lsp-mode, where that is installed.
func TestEmacs_LspMode(t *testing.T) {
	t.Parallel()
	packages := absolute(t, "../../.cache/lsp-mode/site-lisp")
	if given := os.Getenv("LSP_MODE"); given != "" {
		packages = given
	}
	if _, err := os.Stat(packages); err != nil {
		t.Skip("not run: lsp-mode: it is not installed; scripts/install.sh lsp-mode unpacks Debian's, LSP_MODE=/path/to/packages uses others")
	}
	d := start(t, "../nvim/testdata/workspace.txtar", "../nvim/testdata/created.yaml")
	d.environ = append(d.environ, "LSP_MODE="+packages)
	end, seen := d.drive("lsp-mode.el", "300", forge, "lsp")
	require.Truef(t, end.OK, "%s\n%s", end.Problem, seen)
}

// TestEmacs_MainJobDetectsAServerThatEnds is the negative twin of TestEmacs_MainJob.
func TestEmacs_MainJobDetectsAServerThatEnds(t *testing.T) {
	t.Parallel()
	end, seen := drive(t, "forge.el", "5", forge, "lsp", "--no-such-option")
	require.Falsef(t, end.OK, "%s", seen)
	require.Contains(t, end.Problem, "waited in vain for the server")
}

// TestEmacs_Chain takes a change from the request to its undo, quits Emacs, starts another one, and finds the run and its proposal there.
func TestEmacs_Chain(t *testing.T) {
	t.Parallel()
	d := start(t, "../nvim/testdata/chain.txtar", "../nvim/testdata/chain.yaml")
	for _, scenario := range []string{"chain.el", "again.el"} {
		end, seen := d.drive(scenario, "300", forge, "lsp")
		require.Truef(t, end.OK, "%s: %s\n%s", scenario, end.Problem, seen)
	}
}

// TestEmacs_ClosedDuringARun closes Emacs while the model works, and resumes the run in another one.
func TestEmacs_ClosedDuringARun(t *testing.T) {
	t.Parallel()
	const script = "../nvim/testdata/chain.yaml"
	d := start(t, "../nvim/testdata/chain.txtar", testkit.HangingModel(t, script))
	for _, scenario := range []string{"closed.el", "resume.el"} {
		end, seen := d.drive(scenario, "300", forge, "lsp")
		require.Truef(t, end.OK, "%s: %s\n%s", scenario, end.Problem, seen)
		d.model = startModel(t, script)
	}
}

// TestEmacs_Commands asks, reviews, cancels, rejects and decides too late with the commands of forge.el.
func TestEmacs_Commands(t *testing.T) {
	t.Parallel()
	const created = "../nvim/testdata/created.yaml"
	for scenario, model := range map[string]string{
		"reading.el": "../nvim/testdata/reading.yaml",
		"cancel.el":  testkit.HangingModel(t, created),
		"reject.el":  created,
		"stale.el":   created,
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			end, seen := start(t, "../nvim/testdata/workspace.txtar", model).drive(scenario, "300", forge, "lsp")
			require.Truef(t, end.OK, "%s\n%s", end.Problem, seen)
		})
	}
}

// TestEmacs_CarriageReturns accepts and undoes changes of files with CRLF, in buffers that Emacs has open and in others.
func TestEmacs_CarriageReturns(t *testing.T) {
	t.Parallel()
	d := start(t, "../nvim/testdata/workspace.txtar", "testdata/crlf.yaml")
	for _, name := range []string{"opened.txt", "closed.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.workspace, name), []byte("one\r\ntwo\r\nthree\r\n"), 0o600))
	}
	end, seen := d.drive("crlf.el", "300", forge, "lsp")
	require.Truef(t, end.OK, "%s\n%s", end.Problem, seen)
}

// end is the line in which the steps report how they ended.
type end struct {
	Saw     string `json:"saw"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem"`
}

// harness is a folder with a scripted model, in which one Emacs after the other works.
type harness struct {
	t                      *testing.T
	workspace, home, model string
	environ                []string // further variables
}

// start makes a harness of a txtar archive and a script.
func start(t *testing.T, archive, script string) *harness {
	t.Helper()
	return &harness{t: t, workspace: workspace(t, archive), home: testkit.Home(t), model: startModel(t, script)}
}

// drive runs the steps of a scenario with the sample module.
func drive(t *testing.T, scenario, patience string, server ...string) (end, string) {
	t.Helper()
	return start(t, "../nvim/testdata/workspace.txtar", "../nvim/testdata/created.yaml").drive(scenario, patience, server...)
}

// drive runs the steps of a scenario in an Emacs on a pseudo-terminal, which script(1) makes, and returns how they ended and what was seen.
// A step waits for its condition for patience, in seconds.
func (d *harness) drive(scenario, patience string, server ...string) (end, string) {
	t := d.t
	t.Helper()
	argv, err := json.Marshal(server)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "seen")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "--quiet", "--return", "--command", emacs(t)+" -nw -Q --init-directory="+d.home+" -l "+absolute(t, "drive.el"), os.DevNull)
	cmd.Env = append(append(os.Environ(), d.environ...),
		"SERVER="+string(argv), "WORKSPACE="+d.workspace, "LISP="+absolute(t, "../../editors/emacs"), "OUT="+out,
		"SCENARIO="+absolute(t, scenario), "PATIENCE="+patience, "FORGE_HOME="+filepath.Join(d.home, "forge"), "TERM=xterm",
		"FORGE_BASE_URL="+d.model, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	var screen bytes.Buffer
	cmd.Stdout, cmd.Stderr = &screen, &screen
	runErr := cmd.Run()
	seen, _ := os.ReadFile(out) // an Emacs that has not begun has seen nothing
	for line := range strings.Lines(string(seen)) {
		var e end
		require.NoErrorf(t, json.Unmarshal([]byte(line), &e), "Emacs: %v\n%s", runErr, seen)
		if e.Saw == "end" {
			return e, string(seen)
		}
	}
	t.Fatalf("Emacs ended early: %v\n%s\non the screen: %q", runErr, seen, screen.String())
	return end{}, ""
}

// emacs returns the command line of Emacs.
func emacs(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("EMACS"); given != "" {
		return given
	}
	if installed := absolute(t, "../../.cache/emacs-30.1/emacs"); exec.Command(installed, "--version").Run() == nil {
		return installed
	}
	system, err := exec.LookPath("emacs")
	require.NoError(t, err, "Emacs is not installed: run `scripts/install.sh emacs`, or set EMACS to one of version 29 or newer")
	return system
}

// workspace returns a folder with the files of an archive.
func workspace(t *testing.T, file string) string {
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
func startModel(t *testing.T, script string) string {
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
