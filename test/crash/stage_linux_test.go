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
)

// watchdog ends a program that would hang for ever. Nothing is measured by it.
const watchdog = 3 * time.Minute

// stage is a person's folder, a state of Forge's own and a scripted model: what stays when the program dies.
type stage struct {
	t                *testing.T
	base, root, home string
	forge            string
	model            model
	environ          []string

	desk   *desk // see editor
	deaths []int // how often the model had been asked when a life was killed
}

// newStage makes a stage below base, with the files that the run begins with.
func newStage(t *testing.T, base string) *stage {
	t.Helper()
	program, err := builtForge()
	require.NoError(t, err)
	s := &stage{t: t, base: base, root: filepath.Join(base, "project"), home: filepath.Join(base, "home"), forge: program, model: newModel(t)}
	s.environ = append(os.Environ(), "FORGE_HOME="+s.home, "FORGE_BASE_URL="+s.model.url, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	s.put(before())
	return s
}

// quick puts tools first in the search path that say at once what those of Go would say of the folder.
func (s *stage) quick() *stage {
	s.t.Helper()
	tools, err := filepath.Abs(filepath.Join("testdata", "tools"))
	require.NoError(s.t, err)
	s.environ = append(s.environ, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	return s
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
			all = all[:0] // what came before was told by an earlier life
		}
		all = append(all, e)
	}
	return all
}

// told is a line of --json.
type told struct {
	RunID string
	Type  string
	Data  struct{ AskID string }
}

// command is the program in the folder, in a session of its own like any command of a shell.
func (s *stage) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, s.forge, args...)
	c.Dir, c.Env = s.root, append(slices.Clone(s.environ), env...)
	return c
}

// live runs one life. kill, which may be nil, is told when the process is there and may end it at any time.
func (s *stage) live(env []string, kill func(*os.Process), args ...string) life {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), watchdog)
	defer cancel()
	c := s.command(ctx, env, args...)
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	c.WaitDelay = watchdog
	require.NoError(s.t, c.Start())
	if kill != nil {
		kill(c.Process)
	}
	err := c.Wait()
	require.NoError(s.t, ctx.Err(), "the program hangs: %s", &diagnostics)
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(s.t, err, &exit)
	}
	return s.ended(c, out.String(), diagnostics.String())
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

// at is the environment in which the program dies at a place.
func at(place string) []string { return []string{"FORGE_FAILPOINT=" + place} }

// run starts the run, and resume takes it up again; with nothing to take up, that says so.
func (s *stage) run(env []string, kill func(*os.Process)) life {
	s.t.Helper()
	return s.live(env, kill, "run", "--trust", "--yes", "--json", request)
}

func (s *stage) resume(env []string, kill func(*os.Process)) life {
	s.t.Helper()
	return s.live(env, kill, append([]string{"resume", "--yes", "--json"}, s.known()...)...)
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
