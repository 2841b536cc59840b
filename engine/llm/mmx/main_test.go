package mmx_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/mmx"
	"forge/engine/sandbox"
)

// TestMain makes the test binary play mmx where it is called so, and else fails the package if any test leaves a
// goroutine behind.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mmx" {
		os.Exit(play(filepath.Dir(os.Args[0])))
	}
	goleak.VerifyTestMain(m)
}

// play is a program that notes in its folder how it was called, and does what the folder says.
func play(dir string) int {
	prompt, _ := io.ReadAll(os.Stdin)
	note(dir, "argv", strings.Join(os.Args, "\n"))
	note(dir, "env", strings.Join(os.Environ(), "\n"))
	note(dir, "stdin", string(prompt))
	config, _ := os.ReadFile(filepath.Join(os.Getenv("MMX_CONFIG_DIR"), "config.json"))
	note(dir, "config", string(config))
	if found, err := os.ReadFile(filepath.Join(dir, "finds")); err == nil { // what mmx adds to its configuration
		_ = os.WriteFile(filepath.Join(os.Getenv("MMX_CONFIG_DIR"), "config.json"), found, 0o600)
	}
	for i, arg := range os.Args {
		if arg == "--tool" {
			definition, _ := os.ReadFile(os.Args[i+1])
			note(dir, "tool", string(definition))
		}
	}
	stdout, _ := os.ReadFile(filepath.Join(dir, "stdout"))
	stderr, _ := os.ReadFile(filepath.Join(dir, "stderr"))
	_, _ = os.Stdout.Write(stdout)
	_, _ = os.Stderr.Write(stderr)
	how, _ := os.ReadFile(filepath.Join(dir, "how"))
	return end(dir, string(how))
}

func end(dir, how string) int {
	var exit int
	switch how {
	case "hang":
		note(dir, "hangs", "")
		select {}
	case "flood":
		for line := []byte(strings.Repeat("x", 1<<16)); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				return 1
			}
		}
	default:
		_, _ = fmt.Sscan(how, &exit)
	}
	return exit
}

func note(dir, name, text string) {
	_ = os.WriteFile(filepath.Join(dir, name+".new"), []byte(text), 0o600)
	_ = os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name+".seen"))
}

const key = "sk-canary-8d1f00ba"

// fake is an mmx whose behaviour the test sets.
type fake struct {
	t       testing.TB
	dir     string
	program string
	scratch string
}

// pretend makes an mmx that prints something and ends in some way: an exit status, or a word that end knows.
func pretend(t testing.TB, stdout, stderr, how string) fake {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	f := fake{t: t, dir: t.TempDir(), scratch: t.TempDir()}
	f.program = filepath.Join(f.dir, "mmx")
	require.NoError(t, os.Symlink(self, f.program))
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr, "how": how} {
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
	}
	return f
}

// seen is what the program noted.
func (f fake) seen(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name+".seen"))
	require.NoError(f.t, err)
	return string(text)
}

func (f fake) options() mmx.Options {
	environ := append(os.Environ(), "HTTPS_PROXY=http://proxy.example:3128", "SECRET_TOKEN="+key)
	return mmx.Options{
		Program: f.program, Runner: sandbox.New(sandbox.Options{Environ: environ}), Model: "MiniMax-M3", Key: key,
		Environ: environ, Scratch: f.scratch, Timeout: time.Minute,
	}
}

func (f fake) complete(r llm.Request) (llm.Response, error) {
	f.t.Helper()
	return mmx.New(f.options()).Complete(f.t.Context(), r, nil)
}

func ask() llm.Request {
	return llm.Request{Node: "n", Attempt: 1, Messages: []llm.Message{{Role: llm.User, Text: "Héllo?"}}}
}

// failure returns the *llm.Error in err, and fails the test if there is none or if it shows the key.
func failure(t testing.TB, err error) *llm.Error {
	t.Helper()
	require.Error(t, err)
	require.NotContains(t, err.Error(), key[:12])
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.True(t, strings.HasPrefix(err.Error(), "model MiniMax-M3 by mmx: "), "%v", err)
	return failed
}
