package secrets

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

// world is a folder full of secrets, a state of Forge's own, and a model on loopback.
type world struct {
	t                *testing.T
	program          string
	root, home, temp string
	environ          []string
	model            *llmtest.Script
	modelURL         string
	keychain         *keychain
	canaries         []canary
	ignored          []canary // those that stand only where git does not look
	inFolder         int      // how many of canaries, the first ones, stand in files of the folder
	folder           map[string]string

	hearing sync.Mutex // guards said: an editor's questions come beside what the test does
	said    []said
}

// said is what a process has written.
type said struct{ what, text string }

func newWorld(t *testing.T, program, script string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, program: program, root: filepath.Join(dir, "pay"), home: filepath.Join(dir, "home"), temp: filepath.Join(dir, "tmp")}
	for _, dir := range []string{w.root, w.home, w.temp} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	inFiles, folder := files()
	w.inFolder = len(inFiles)
	w.serve(script)
	inKeys, kept, keysFile, settings := keys(w.modelURL)
	w.keychain = newKeychain(t, kept)
	inEnvironment, environ := environment()
	w.canaries = append(append(inFiles, inKeys...), inEnvironment...)
	w.folder = folder
	w.folder["notes.txt"] = strings.Repeat("refunds are given on Fridays\n", 2000) // too much to be shown whole
	w.folder["leak.txt"] = leak(append(inKeys, inEnvironment...))
	for _, c := range inFiles {
		if strings.HasPrefix(c.name, ".") || c.name == "local.pem" {
			w.ignored = append(w.ignored, c)
		}
	}
	w.put(w.folder)
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "keys.yaml"), []byte(keysFile), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(settings), 0o600))
	w.environ = append(append(os.Environ(), environ...), "FORGE_HOME="+w.home, "TMPDIR="+w.temp, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
		"FORGE_BASE_URL="+w.modelURL, "DBUS_SESSION_BUS_ADDRESS="+w.keychain.address)
	return w
}

// leak is a file of a folder in which somebody has left secrets of other places, as they are and encoded.
func leak(all []canary) string {
	var b strings.Builder
	b.WriteString("refund refund refund\n")
	for _, c := range all {
		quoted, _ := json.Marshal(c.value)
		fmt.Fprintf(&b, "a %s b\n%s\nhttps://h/?q=%s&x=1\n%s\n", c.value, quoted, url.QueryEscape(c.value),
			base64.StdEncoding.EncodeToString([]byte("me:"+c.value+"!")))
	}
	return b.String()
}

func (w *world) put(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.root, filepath.FromSlash(name))
		require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(w.t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, name))
	require.NoError(w.t, err)
	return string(text)
}

// serve starts the model.
func (w *world) serve(script string) {
	w.t.Helper()
	parsed, err := llmtest.Parse("script", []byte(script))
	require.NoError(w.t, err)
	listener, err := llmtest.Listen(w.t.Context(), 0)
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	served := make(chan error, 1)
	go func() { served <- llmtest.Serve(ctx, listener, parsed, nil) }()
	w.t.Cleanup(func() {
		stop()
		require.NoError(w.t, <-served)
	})
	w.model, w.modelURL = parsed, "http://"+listener.Addr().String()
}

// command is the program in the folder.
func (w *world) command(more []string, args ...string) *exec.Cmd {
	c := exec.CommandContext(w.t.Context(), w.program, args...)
	c.Dir, c.Env = w.root, append(append([]string{}, w.environ...), more...)
	return c
}

// run runs the program and remembers what it said.
func (w *world) run(args ...string) (code int, stdout string) { return w.runWith(nil, args...) }

func (w *world) runWith(more []string, args ...string) (code int, stdout string) {
	w.t.Helper()
	c := w.command(more, args...)
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(w.t, err, &exit)
	}
	what := "forge " + strings.Join(args[:min(2, len(args))], " ")
	w.heard(what+": stdout", out.String())
	w.heard(what+": stderr", diagnostics.String())
	return c.ProcessState.ExitCode(), out.String()
}

func (w *world) heard(what, text string) {
	w.hearing.Lock()
	defer w.hearing.Unlock()
	w.said = append(w.said, said{what, text})
}

func (w *world) canary(name string) string {
	w.t.Helper()
	for _, c := range w.canaries {
		if c.name == name {
			return c.value
		}
	}
	w.t.Fatalf("there is no canary %s", name)
	return ""
}
