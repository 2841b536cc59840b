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
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

// ended is how an episode ended.
type ended struct {
	state, reason string
	changed       bool
	calls         int
	falseGreen    string // why it is one; empty: it is none
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
	c := exec.Command(forge, slices.Concat([]string{"run", "--yes", "--trust", "--json", "--recipe", recipe}, b.flags, []string{b.task(p)})...)
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
	played.add(b.name, e)
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

// judge says why a user would not accept a result: it restores the user's tests, adds those that no model saw, and runs all of
// them.
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

// missing notices a suite that ends well before its tests have ended: the test that no model saw must fail on request.
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
