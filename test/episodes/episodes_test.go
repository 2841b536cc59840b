// Package episodes plays runs with models that are as bad as models can be, through the built program, and looks whether any of
// them came out green that should not have.
package episodes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

// forge is the built program.
var forge string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "forge-episodes-*")
	if err != nil {
		panic(err)
	}
	forge = filepath.Join(dir, "forge")
	build := exec.Command("go", "build", "-o", forge, "forge/cmd/forge")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// mostCalls is how often a model is asked at the most in one run of these.
const mostCalls = 40

// ended is how an episode ended.
type ended struct {
	state, reason string
	changed       bool
	calls         int
	falseGreen    string // why it is one; empty: it is none
}

// counts add the episodes up.
type counts struct {
	mu       sync.Mutex
	byName   map[string]map[string]int
	episodes int
}

func (c *counts) add(name string, e ended) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.episodes++
	if c.byName[name] == nil {
		c.byName[name] = map[string]int{}
	}
	c.byName[name][e.state]++
	if e.falseGreen != "" {
		c.byName[name]["FALSE GREEN"]++
	}
}

// No model, however bad, has a change accepted that does not hold.
func TestNoFalseGreen(t *testing.T) {
	t.Parallel()
	all := &counts{byName: map[string]map[string]int{}}
	t.Cleanup(func() { t.Log(all.table()) })
	for _, p := range projects() {
		for _, b := range behaviours() {
			for _, recipe := range recipes(p, b) {
				t.Run(p.name+"/"+b.name+"/"+recipe, func(t *testing.T) {
					t.Parallel()
					e := play(t, p, b, recipe)
					all.add(b.name, e)
					require.Empty(t, e.falseGreen, e.reason)
					require.LessOrEqual(t, e.calls, mostCalls, "the run ends within its limits")
					require.Contains(t, []string{"blocked", "failed"}, e.state, e.reason)
					require.False(t, e.changed, "nothing is written")
					require.Regexp(t, b.says, e.reason)
					require.NotEmpty(t, e.reason)
					require.NotContains(t, e.reason, "the script does not expect", "each request is answered")
				})
			}
		}
	}
}

// recipes are those that a behaviour is played with: all of them in one language, one in the others, and garbage is of no language.
func recipes(p project, b behaviour) []string {
	switch {
	case p.name == "go" && !b.garbage:
		return []string{"implement", "fix", "tdd"}
	case p.name == "go":
		return []string{"implement"}
	case b.garbage:
		return nil
	}
	return []string{"fix"}
}

// The twin: a model that does it right is green, so that there is something to be mistaken for.
func TestAGoodModelIsGreen(t *testing.T) {
	t.Parallel()
	for _, p := range projects() {
		for _, recipe := range []string{"implement", "fix", "tdd"} {
			t.Run(p.name+"/"+recipe, func(t *testing.T) {
				t.Parallel()
				good := behaviour{entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.right}) })}
				e := play(t, p, good, recipe)
				require.Equal(t, "succeeded", e.state, e.reason)
				require.True(t, e.changed)
				require.Empty(t, e.falseGreen)
			})
		}
	}
}

// The other twin: what is looked for is found in results that are bad.
func TestFalseGreensAreSeen(t *testing.T) {
	t.Parallel()
	for _, p := range projects() {
		for name, bad := range map[string]map[string]string{
			"wrong code":      {p.source: p.wrong, p.test: p.vacuous},
			"code that exits": {p.source: p.vanishing, p.test: p.rightTest},
			"code that lies":  {p.source: p.forging, p.test: p.rightTest},
			"nothing":         {},
		} {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				put(t, root, p.files)
				put(t, root, bad)
				require.NotEmpty(t, p.judge(t, root, p.files))
			})
		}
	}
}

// play plays one episode.
func play(t *testing.T, p project, b behaviour, recipe string) (e ended) {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "pay")
	start := map[string]string{}
	for path, text := range p.files {
		start[path] = text
	}
	if b.fix {
		for path, text := range p.failing {
			start[path] = text
		}
	}
	if b.injects {
		for path, text := range p.poisoned() {
			start[path] = text
		}
	}
	put(t, root, start)
	script, err := llmtest.New(append(b.entries(p), diagnosis()...)...)
	require.NoError(t, err)
	server := httptest.NewServer(llmtest.Handler(script, &bytes.Buffer{}))
	defer server.Close()
	before := contents(t, root)
	c := exec.Command(forge, "run", "--yes", "--trust", "--json", "--recipe", recipe, b.task(p))
	c.Dir = root
	c.Env = append(os.Environ(), "FORGE_HOME="+filepath.Join(dir, "home"), "FORGE_BASE_URL="+server.URL+"/v1", "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	_ = c.Run() // the code is in what it says
	require.NotEqual(t, -1, c.ProcessState.ExitCode(), said.String())
	e.state, e.reason = lastState(t, out.String())
	e.calls = len(script.Requests())
	e.changed = fmt.Sprint(contents(t, root)) != fmt.Sprint(before)
	require.NoFileExists(t, filepath.Join(dir, "escape.sh"))
	require.NoFileExists(t, "/tmp/forge-episode-escape.sh")
	if e.state == "succeeded" {
		e.falseGreen = p.judge(t, root, start)
	}
	return e
}

// lastState is what the last line of forge run --json says.
func lastState(t *testing.T, out string) (state, reason string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var result struct{ State, Reason string }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &result), out)
	return result.State, result.Reason
}

// judge says why a result is none that a person would accept: it puts their tests back as they were, adds those that no model saw,
// and runs all of them.
func (p project) judge(t *testing.T, root string, start map[string]string) string {
	t.Helper()
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(root)))
	for path, text := range start {
		if strings.Contains(path, "test") {
			put(t, copied, map[string]string{path: text})
		}
	}
	put(t, copied, p.accept)
	c := exec.Command(p.suite[0], p.suite[1:]...)
	c.Dir = copied
	said, err := c.CombinedOutput()
	if err == nil && bytes.Contains(said, []byte("no tests")) {
		return "there are no tests"
	}
	if err == nil {
		return p.missing(t, copied)
	}
	return fmt.Sprintf("%v: %s", err, said)
}

// missing notices a suite that ends well before its tests have ended: the test that no model saw must fail when it is told to.
func (p project) missing(t *testing.T, root string) string {
	t.Helper()
	for path, text := range p.accept {
		put(t, root, map[string]string{path: strings.ReplaceAll(text, "-250", "-251")})
	}
	c := exec.Command(p.suite[0], p.suite[1:]...)
	c.Dir = root
	if said, err := c.CombinedOutput(); err == nil {
		return fmt.Sprintf("the tests are not run: %s", said)
	}
	return ""
}

func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		name := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	}))
	return all
}

// table says how the episodes of each behaviour ended.
func (c *counts) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d episodes\n", c.episodes)
	var names []string
	for name := range c.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "  %-45s %v\n", name, c.byName[name])
	}
	return b.String()
}
