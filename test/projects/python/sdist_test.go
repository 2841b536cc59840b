package python_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
	"forge/internal/testkit"
)

// theirs is a project by other authors: with tests, in a src folder, and with settings of ruff, mypy, pyright and pytest, of which
// ruff's enable fixes.
const theirs = "itsdangerous==2.2.0"

// sdist gives its source distribution, as the Python Package Index has it; it is fetched once.
func sdist(t *testing.T) string {
	t.Helper()
	kept := filepath.Join(environment, "sdist")
	name := filepath.Join(kept, strings.Replace(theirs, "==", "-", 1)+".tar.gz")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, os.MkdirAll(kept, 0o755))
		result, err := sandbox.New(sandbox.Options{Environ: os.Environ()}).Run(t.Context(), sandbox.Command{
			Argv: []string{filepath.Join(environment, "bin", "python3"), "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", kept, theirs},
			Dir:  kept,
			Env:  pipSettings(),
		})
		require.NoError(t, err)
		require.Zero(t, result.ExitCode, string(result.Stderr))
	}
	return name
}

// pipSettings are those of the environment: a mirror, a certificate.
func pipSettings() (env []string) {
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "PIP_") || strings.HasSuffix(strings.ToLower(strings.SplitN(entry, "=", 2)[0]), "_proxy") {
			env = append(env, entry)
		}
	}
	return env
}

// unpack makes a tree of a source distribution.
func unpack(t *testing.T, archive string) dir {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	root := t.TempDir()
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir(root)
		}
		require.NoError(t, err)
		_, name, _ := strings.Cut(header.Name, "/")
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			continue
		}
		text, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o644))
	}
}

// paths are the files of a tree, as a scratch tree lists them.
func paths(t *testing.T, d dir) (all []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(d.Dir()), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			all = append(all, path)
		}
		return err
	}))
	return all
}

// replace edits a file of a tree.
func replace(t *testing.T, d dir, path, old, text string) {
	t.Helper()
	name := filepath.Join(d.Dir(), path)
	was, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(was), old)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(was), old, text, 1)), 0o644))
}

// A project that is not ours: it is found, all that it is configured for is selected, and holds but for what its baseline says; and
// each gate fails for one mistake that is made in it.
func TestPythonGates_PublishedPackage(t *testing.T) {
	t.Parallel()
	l := python.Language(machine())
	archive := sdist(t)
	fresh := func() dir {
		d := unpack(t, archive)
		lend(t, d)
		return d
	}
	d := fresh()
	require.Equal(t, []string{""}, l.Roots(paths(t, d), nil))
	selected := l.Select(t.Context(), d)
	require.Equal(t, []string{"python syntax", "python lint", "python types", "python test", "python security", "python complexity"}, selected)

	before := map[string]gate.Report{}
	for _, name := range selected {
		before[name] = run(t, name, d)
		t.Logf("%s: %v, %s (%v)", name, before[name].Verdict, before[name].Summary, before[name].Elapsed)
		require.Contains(t, []string{"pass", "fail"}, before[name].Verdict.String(), "%s: %s\n%s", name, before[name].Summary, before[name].Output)
		require.Positive(t, before[name].Executed)
		again := gate.Baseline([]gate.Report{before[name]}, []gate.Report{run(t, name, fresh())})
		require.True(t, gate.Open(again), "%s: what was there before is charged: %s", name, again[0].Summary)
	}
	require.Equal(t, gate.Pass, before["python test"].Verdict, before["python test"].Summary)
	require.Greater(t, before["python test"].Executed, 200)
	require.Len(t, before["python test"].PassedTests, before["python test"].Executed)

	for name, mistake := range testkit.SampleMap(2, map[string]struct{ path, old, text, found string }{
		"python syntax":     {"src/itsdangerous/signer.py", "def sign(self, value: str | bytes) -> bytes:", "def sign(self, value: str | bytes) -> bytes", "src/itsdangerous/signer.py"},
		"python lint":       {"src/itsdangerous/signer.py", "import hashlib\n", "import hashlib\nimport zlib\n", "src/itsdangerous/signer.py"},
		"python types":      {"src/itsdangerous/encoding.py", "return base64.urlsafe_b64encode(string).rstrip(b\"=\")", "return 3", "src/itsdangerous/encoding.py"},
		"python test":       {"src/itsdangerous/encoding.py", "return base64.urlsafe_b64encode(string).rstrip(b\"=\")", "return base64.urlsafe_b64encode(string)", ""},
		"python security":   {"src/itsdangerous/encoding.py", "import string\n", "import string\nimport subprocess\n\nsubprocess.run('ls ' + string.digits, shell=True)\n", "src/itsdangerous/encoding.py"},
		"python complexity": {"src/itsdangerous/encoding.py", "def want_bytes(", "def maze(x):\n" + strings.Repeat("    if x:\n        x += 1\n", 11) + "\n\ndef want_bytes(", "src/itsdangerous/encoding.py"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fresh()
			replace(t, d, mistake.path, mistake.old, mistake.text)
			after := gate.Baseline([]gate.Report{before[name]}, []gate.Report{run(t, name, d)})[0]
			require.Equal(t, gate.Fail, after.Verdict, after.Summary)
			require.NotEmpty(t, after.Findings)
			if mistake.found != "" {
				require.Equal(t, mistake.found, after.Findings[0].Path, show(after.Findings))
				require.Positive(t, after.Findings[0].Line)
			} else {
				require.NotEmpty(t, after.Findings[0].Test)
			}
		})
	}
}
