package run

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// project is a project of others, and what a run makes of it.
type project struct {
	name, language string
	fetch          func(t *testing.T, root string)
	environ        func(root string) []string // of Forge and of the suite; may be nil
	task           string
	broken         string     // what the reason of the block names: a test of theirs, seen to fail
	files          []string   // that the run changes
	says           [2]string  // the file that has the new code, and a line of it
	suites         [][]string // how its own people run its tests
}

func projects() []project {
	return []project{
		{
			name: "github.com/google/uuid 1.6.0", language: "go", fetch: fetchModule,
			task:   "add a method IsNil to UUID that tells whether it is Nil",
			broken: "TestConstants", files: []string{"isnil_test.go", "uuid.go"},
			says: [2]string{"uuid.go", "func (uuid UUID) IsNil() bool"}, suites: [][]string{{"go", "test", "./..."}},
		},
		{
			name: "itsdangerous 2.2.0", language: "python", fetch: fetchSdist, environ: pythonEnviron,
			task:   "add base64_length(size) to encoding.py: how many bytes base64_encode makes of so many",
			broken: "test_base64", files: []string{"src/itsdangerous/encoding.py", "tests/test_itsdangerous/test_length.py"},
			says: [2]string{"src/itsdangerous/encoding.py", "def base64_length("}, suites: [][]string{{"python", "-m", "pytest", "-q"}},
		},
		{
			name: "process-warning 5.1.1", language: "javascript", fetch: fetchPackage,
			task:   "add reset() to a warning, after which it is emitted again",
			broken: "index.test.js", files: []string{"index.js", "test/reset.test.js"},
			says:   [2]string{"index.js", "warning.reset = function"},
			suites: [][]string{{"node", "--test"}, {"npm", "run", "--silent", "test:jest"}, {"npm", "run", "--silent", "lint"}},
		},
		{
			name: "semver 1.0.26", language: "rust", fetch: fetchCrate,
			task:   "add Version::next_patch, which gives the next patch without pre-release and build metadata",
			broken: "test_parse", files: []string{"src/lib.rs", "tests/test_version.rs"},
			says: [2]string{"src/lib.rs", "pub fn next_patch(&self) -> Self"}, suites: [][]string{{"cargo", "test", "--quiet"}},
		},
	}
}

// installed is where scripts/test.sh puts tools.
func installed(t *testing.T, name string) string {
	t.Helper()
	tools := os.Getenv("FORGE_TEST_TOOLS")
	found, err := filepath.Abs(filepath.Join(tools, name))
	require.NoError(t, err)
	_, err = os.Stat(found)
	require.True(t, tools != "" && err == nil, "FORGE_TEST_TOOLS=%q has no %s: run scripts/test.sh projects", tools, name)
	return found
}

// fetchModule copies uuid out of the module cache, into which it is downloaded if need be.
func fetchModule(t *testing.T, root string) {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/google/uuid@v1.6.0")
	download.Dir, download.Stderr = t.TempDir(), os.Stderr
	download.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := download.Output()
	require.NoError(t, err)
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	copied(t, module.Dir, root)
}

// fetchCrate copies semver out of cargo's registry.
func fetchCrate(t *testing.T, root string) {
	t.Helper()
	wrapper := t.TempDir()
	put(t, wrapper, "Cargo.toml", "[package]\nname = \"wrapper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nsemver = \"=1.0.26\"\n")
	put(t, wrapper, "src/lib.rs", "")
	c := exec.CommandContext(t.Context(), "cargo", "vendor", "--quiet", "vendor")
	c.Dir = wrapper
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.Remove(filepath.Join(wrapper, "vendor", "semver", ".cargo-checksum.json")))
	copied(t, filepath.Join(wrapper, "vendor", "semver"), root)
}

// fetchPackage copies process-warning with its tests, and links the packages with which it is checked, as pnpm does.
func fetchPackage(t *testing.T, root string) {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("..", "javascript", "node_modules"))
	require.NoError(t, err)
	require.DirExists(t, modules, "npm packages are missing: run scripts/test.sh projects")
	copied(t, filepath.Join(modules, "process-warning"), root)
	put(t, root, ".gitignore", "node_modules\n")
	for name, program := range map[string]string{"eslint": "bin/eslint.js", "jest": "bin/jest.js", "neostandard": ""} {
		link(t, filepath.Join(modules, name), filepath.Join(root, "node_modules", name))
		if program != "" {
			link(t, filepath.Join("..", name, program), filepath.Join(root, "node_modules", ".bin", name))
		}
	}
}

// fetchSdist unpacks the source distribution of itsdangerous, with an environment beside it that has what its tests need.
func fetchSdist(t *testing.T, root string) {
	t.Helper()
	to := t.TempDir()
	c := exec.CommandContext(t.Context(), filepath.Join(installed(t, "python"), "bin", "python3"),
		"-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", to, "itsdangerous==2.2.0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	f, err := os.Open(filepath.Join(to, "itsdangerous-2.2.0.tar.gz"))
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		_, name, _ := strings.Cut(header.Name, "/")
		if header.Typeflag == tar.TypeReg && filepath.IsLocal(name) {
			text, err := io.ReadAll(files)
			require.NoError(t, err)
			put(t, root, name, string(text))
		}
	}
}

// pythonEnviron is that of a user who has activated the environment.
func pythonEnviron(root string) []string {
	home, _ := filepath.Abs(filepath.Join(os.Getenv("FORGE_TEST_TOOLS"), "python"))
	return []string{
		"VIRTUAL_ENV=" + home, "PATH=" + filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"PYTHONPATH=" + filepath.Join(root, "src"), "PYTHONDONTWRITEBYTECODE=1",
	}
}

// copied copies a folder; what is read-only there is not here.
func copied(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		rel, err := filepath.Rel(from, path)
		put(t, to, rel, string(text))
		return err
	}))
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func link(t *testing.T, to, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.Symlink(to, name))
}
