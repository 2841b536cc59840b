// Package run plays whole runs of the built program on projects that were not written for Forge, one per language, with the real
// tools of each. The model is a script; everything else is what a user has. It needs what scripts/test.sh projects installs.
package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// forge is the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// table collects a line for each project.
type table struct {
	mu   sync.Mutex // guards rows
	rows []string
}

func (t *table) add(row string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row)
}

func (t *table) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	slices.Sort(t.rows)
	fmt.Fprintln(w, "LANGUAGE\tPROJECT\tFILES\tRUN\tGATES RUN\tIN GATES\tMODEL CALLS\tTOKENS IN\tTOKENS OUT\tUNDO")
	for _, row := range t.rows {
		fmt.Fprintln(w, row)
	}
	_ = w.Flush()
	return out.String()
}

// The whole job: tests that were seen red, an implementation that breaks a test of theirs, blocked once with that test, repaired,
// previewed, applied, green by the project's own command, undone byte for byte.
func TestRealProjects_MainJob(t *testing.T) {
	t.Parallel()
	times := &table{}
	t.Cleanup(func() { t.Log("\n" + times.String()) })
	for _, p := range testkit.Sample(1, projects()) {
		t.Run(p.language, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "project")
			p.fetch(t, root)
			times.add(p.play(t, root))
		})
	}
}

// play plays the run of a project and gives its line of the table.
func (p project) play(t *testing.T, root string) string {
	t.Helper()
	environ := append(os.Environ(), "FORGE_HOME="+t.TempDir(), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	if p.environ != nil {
		environ = append(environ, p.environ(root)...)
	}
	url, played := model(t, filepath.Join("testdata", p.language+".yaml"))
	environ = append(environ, "FORGE_BASE_URL="+url)
	call := func(argv ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		c.Dir, c.Env = root, environ
		var out, said bytes.Buffer
		c.Stdout, c.Stderr = &out, &said
		require.NoError(t, c.Run(), "%v\n%s%s", argv, out.String(), said.String())
		return out.String()
	}
	before := texts(t, root)

	begun := time.Now()
	result := read(t, call(forge, "run", "--yes", "--trust", "--json", "--recipe", "implement", p.task))
	took := time.Since(begun)
	played()
	require.Len(t, result.blocked, 1, "blocked once")
	require.Contains(t, result.blocked[0], p.broken, "a test of theirs is the reason")
	require.True(t, result.red, "the new tests were seen red")
	require.True(t, result.previewed, "the change was shown before it was applied")
	var applied []string
	for _, f := range result.Files {
		require.Equal(t, "applied", f.State, f.Path)
		applied = append(applied, f.Path)
	}
	slices.Sort(applied)
	require.Equal(t, p.files, applied)
	after := texts(t, root)
	require.Contains(t, after[p.says[0]], p.says[1])

	var costs api.CostResult
	require.NoError(t, json.Unmarshal([]byte(call(forge, "cost", "--run", result.RunID, "--json")), &costs))
	for _, suite := range p.suites {
		call(append([]string{"env"}, suite...)...) // which looks for the program like the user's shell
	}
	clean(t, root, after)

	begun = time.Now()
	call(forge, "undo", "--yes", result.RunID)
	undone := time.Since(begun)
	require.Equal(t, before, texts(t, root), "undone byte for byte")
	return fmt.Sprintf("%s\t%s\t%d\t%.1f s\t%d\t%.1f s\t%d\t%d\t%d\t%.2f s", p.language, p.name, len(before), took.Seconds(),
		result.gates, result.inGates.Seconds(), costs.Total.Attempts, costs.Total.InputTokens, costs.Total.OutputTokens, undone.Seconds())
}

// model starts the scripted model. played ends it, and fails unless the whole script was used and nothing else was asked.
func model(t *testing.T, script string) (url string, played func()) {
	t.Helper()
	c := exec.Command(forge, "dev", "model", "--script", script)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	ended := sync.OnceValue(c.Wait)
	t.Cleanup(func() { _ = c.Process.Kill(); _ = ended() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), func() {
		require.NoError(t, c.Process.Signal(syscall.SIGINT))
		require.NoError(t, ended(), said.String())
	}
}

// result is the printed result of a run.
type result struct {
	RunID string
	Files []struct{ Path, State string }

	blocked   []string // why the review sent the change back
	previewed bool
	red       bool // the new tests were seen to fail
	gates     int  // reports
	inGates   time.Duration
}

// read reads the lines of forge run --json, the last of which is the result.
func read(t *testing.T, stdout string) (r result) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &r))
	for _, line := range lines[:len(lines)-1] {
		var e struct {
			Type string
			Data json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		switch e.Type {
		case "node":
			var node struct{ ID, Status, Reason string }
			require.NoError(t, json.Unmarshal(e.Data, &node), line)
			if node.ID == "review" && node.Status == "BLOCKED" {
				r.blocked = append(r.blocked, node.Reason)
			}
		case "proposal":
			r.previewed = true
		case "gate.finished":
			var finished struct{ Gate api.Gate }
			require.NoError(t, json.Unmarshal(e.Data, &finished), line)
			r.gates++
			r.inGates += time.Duration(finished.Gate.ElapsedMS) * time.Millisecond
			r.red = r.red || finished.Gate.Name == "red" && finished.Gate.Verdict == "pass"
		}
	}
	return r
}

// texts are the files below a folder, links and their targets included.
func texts(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(path)
			found[filepath.ToSlash(rel)] = string(data)
			return err
		}
		found[filepath.ToSlash(rel)], err = os.Readlink(path)
		return err
	}))
	return found
}

// clean removes what a project's own suite has left in its folder.
func clean(t *testing.T, root string, want map[string]string) {
	t.Helper()
	for name := range texts(t, root) {
		if _, was := want[name]; !was {
			require.NoError(t, os.Remove(filepath.Join(root, filepath.FromSlash(name))))
		}
	}
	require.Equal(t, want, texts(t, root), "their suite changed nothing that was there")
}
