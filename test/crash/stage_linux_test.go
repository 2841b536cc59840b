package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/internal/failpoint"
)

// watchdog ends a program that would hang for ever. Nothing is measured by it.
const watchdog = 3 * time.Minute

// stage is the user's folder, a state of Forge's own and a scripted model: what stays when the program dies.
type stage struct {
	t                *testing.T
	base, root, home string
	forge            string
	model            model
	environ          []string

	harness *harness // see editor
	deaths  []int    // how often the model had been asked when a process was killed
}

// newStage makes a stage below base, with the files that the run begins with.
func newStage(t *testing.T, base string) *stage {
	t.Helper()
	s := &stage{t: t, base: base, root: filepath.Join(base, "project"), home: filepath.Join(base, "home"), forge: program, model: newModel(t)}
	s.environ = append(os.Environ(), "FORGE_HOME="+s.home, "FORGE_BASE_URL="+s.model.url, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	s.put(before())
	return s
}

// quick puts tools first in the search path that say at once what those of Go would say of the folder.
func (s *stage) quick() *stage {
	s.t.Helper()
	s.environ = append(s.environ, "PATH="+quickTools(s.t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return s
}

func quickTools(t *testing.T) string {
	t.Helper()
	tools, err := filepath.Abs(filepath.Join("testdata", "tools"))
	require.NoError(t, err)
	return tools
}

// put writes files into the folder, as its owner would.
func (s *stage) put(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.root, name)
		require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// life is one process of the program, from its start to its end.
type life struct {
	result
	out, err string
	lasted   time.Duration
}

// told are the events that the life printed, up to the line that the kill cut.
func (l life) told() []told {
	var all []told
	for line := range strings.Lines(l.out) {
		var e told
		if json.Unmarshal([]byte(line), &e) != nil || e.Type == "" {
			continue
		}
		if e.Type == "run.resumed" {
			all = all[:0] // an earlier process printed what came before
		}
		all = append(all, e)
	}
	return all
}

// told is a line of --json.
type told struct {
	RunID string
	Type  string
	Data  struct{ AskID, Choice string }
}

// command is the program in the folder.
func (s *stage) command(ctx context.Context, by death, args ...string) *exec.Cmd {
	argv := slices.Concat(by.before, []string{s.forge}, args)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Env = s.root, append(slices.Clone(s.environ), by.env...)
	return c
}

// death is how a process is to end. The zero death never comes.
type death struct {
	env    []string      // a place in the program's own environment
	after  time.Duration // or a time after its start
	before []string      // or a command that runs the program, and does something to it
}

var never = death{}

// at is the death at a place: see failpoint.
func at(place string) death { return death{env: []string{failpoint.Environment + "=" + place}} }

// live runs one process of the program.
func (s *stage) live(by death, args ...string) life {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), watchdog)
	defer cancel()
	c := s.command(ctx, by, args...)
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	c.WaitDelay = watchdog
	begin := time.Now()
	require.NoError(s.t, c.Start())
	if by.after > 0 {
		timer := time.AfterFunc(by.after, func() { _ = c.Process.Kill() })
		defer timer.Stop()
	}
	err := c.Wait()
	require.NoError(s.t, ctx.Err(), "the program hangs: %s", &diagnostics)
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(s.t, err, &exit)
	}
	l := s.ended(c, out.String(), diagnostics.String())
	l.lasted = time.Since(begin)
	return l
}

func (s *stage) ended(c *exec.Cmd, out, diagnostics string) life {
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	l := life{out: out, err: diagnostics}
	l.code, l.killed = c.ProcessState.ExitCode(), status.Signaled() && status.Signal() == syscall.SIGKILL
	l.output = out + diagnostics
	if l.killed {
		s.deaths = append(s.deaths, len(s.model.script.Requests()))
	}
	return l
}

// run starts the run, and resume resumes it; without a run, resume reports that.
func (s *stage) run(by death) life {
	s.t.Helper()
	return s.live(by, "run", "--trust", "--yes", "--json", request)
}

func (s *stage) resume(by death) life {
	s.t.Helper()
	return s.live(by, append([]string{"resume", "--yes", "--json"}, s.known()...)...)
}

// known are the runs that have events.
func (s *stage) known() []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.home, "projects", "*", "runs", "*.jsonl"))
	require.NoError(s.t, err)
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".jsonl")
	}
	return files
}

// files are the texts of the folder, .git apart.
func (s *stage) files() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	require.NoError(s.t, filepath.WalkDir(s.root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		rel, _ := filepath.Rel(s.root, path)
		data, err := os.ReadFile(path)
		found[rel] = string(data)
		return err
	}))
	return found
}
