package atlas_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/codeintel"
	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/engine/sandbox"
	"forge/engine/shadow"
)

// How long, and how often, is looked for what comes by itself.
const (
	waitLong  = 2 * time.Minute
	waitShort = 5 * time.Millisecond
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outliner knows Go. It counts, and waits for release if there is one.
type outliner struct {
	calls   atomic.Int64
	release chan struct{}
}

func (o *outliner) Outline(ctx context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	o.calls.Add(1)
	if o.release != nil {
		select {
		case <-o.release:
		case <-ctx.Done():
			return codeintel.Outline{}, ctx.Err()
		}
	}
	if language != codeintel.LanguageGo {
		return codeintel.Outline{Language: language}, nil
	}
	return codeintel.GoOutline(source), nil
}

func put(t *testing.T, root, path, content string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
}

// git is the user's own git.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...) //nolint:gosec // a test's own words
	cmd.Dir = dir
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

// shop is a module of three packages: main imports cart, cart imports money.
var shop = map[string]string{
	"go.mod":         "module shop\n",
	"main.go":        "package main\n\nimport \"shop/cart\"\n\nfunc main() { cart.Checkout() }\n",
	"cart/cart.go":   "package cart\n\nimport \"shop/money\"\n\n// Checkout pays for the basket.\nfunc Checkout() { money.Transfer() }\n",
	"money/money.go": "package money\n\n// Transfer moves an amount between accounts.\nfunc Transfer() {}\n",
	"README.md":      "# Shop\n\nSells umbrellas.\n",
}

func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, content := range contents {
		put(t, root, path, content)
	}
	return root
}

// repository is a folder with a history: each commit a message.
func repository(t *testing.T, contents map[string]string) string {
	t.Helper()
	root := folder(t, contents)
	git(t, root, "init", "-q", "-b", "main", "--template=")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "begin")
	return root
}

// open opens the atlas of a folder in a state folder of its own, and waits until all is read.
func open(t *testing.T, root string) *atlas.Atlas {
	t.Helper()
	return settled(t, openWith(t, root, t.TempDir(), &outliner{}))
}

func openWith(t *testing.T, root, state string, outliner codeintel.Outliner) *atlas.Atlas {
	t.Helper()
	repo, err := shadow.Open(t.Context(), sandbox.New(sandbox.Options{Environ: os.Environ()}), state, root)
	require.NoError(t, err)
	return openOptions(t, atlas.Options{Root: root, StateDir: state, Repo: repo, Outliner: outliner})
}

func openOptions(t *testing.T, o atlas.Options) *atlas.Atlas {
	t.Helper()
	o.Patience = time.Minute // a test must not depend on how fast the machine is
	a, err := atlas.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func settled(t *testing.T, a *atlas.Atlas) *atlas.Atlas {
	t.Helper()
	require.NoError(t, a.Wait(t.Context()))
	return a
}

// found gives the paths that a search finds, best first.
func found(t *testing.T, a *atlas.Atlas, text string) []string {
	t.Helper()
	answer, err := a.Search(t.Context(), search.Query{Text: text})
	require.NoError(t, err)
	paths := []string{}
	for _, hit := range answer.Hits {
		paths = append(paths, hit.Path)
	}
	return paths
}
