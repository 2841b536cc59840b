package cli

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// proxy serves one version of a module, as a proxy of Go modules does.
// https://go.dev/ref/mod#goproxy-protocol
func proxy(t *testing.T, module, version string, files map[string]string) string {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range files {
		f, err := z.Create(module + "@" + version + "/" + name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	at := "/" + module + "/@v/" + version
	texts := map[string]string{at + ".info": `{"Version": "` + version + `"}`, at + ".mod": files["go.mod"], at + ".zip": packed.String()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, is := texts[r.URL.Path]
		if !is {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A module that nobody has downloaded yet is downloaded by Forge, also where the sandbox of gates does not let the go command make its folder. Without
// a network the gates report that, and no error of the code.
func TestModules_AreDownloadedBesideTheSandbox(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct {
		reached bool
		code    int
		want    []string
	}{
		"a proxy":                              {true, 0, []string{"pass     go vet: 1 package vetted", "pass     go test: 1 test passed"}},
		"behind a proxy of the network":        {true, 1, []string{"pass     go vet: 1 package vetted", "pass     go test: 1 test passed"}}, // what it has seen is a finding
		"a proxy, for a module of a workspace": {true, 0, []string{"pass     go vet: 2 packages vetted", "pass     go test: 1 test passed"}},
		"no network":                           {false, 3, []string{"error    go vet: modules could not be downloaded", "error    go test: modules could not be downloaded"}},
	}, "behind a proxy of the network", "no network") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor, nil)
			w.put(map[string]string{
				"go.mod":    "module example.com/m\n\ngo 1.24\n\nrequire example.com/far v1.0.0\n",
				"m.go":      "package m\n\nimport \"example.com/far\"\n\nvar Far = far.Far\n",
				"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestFar(t *testing.T) {\n\tif Far != 1 {\n\t\tt.Fatal(Far)\n\t}\n}\n",
			})
			flags := "-mod=mod -modcacherw"
			if strings.HasSuffix(name, "workspace") { // the module that needs the other is not the one at the top
				w.put(map[string]string{
					"go.work": "go 1.24\n\nuse (\n\t.\n\t./near\n)\n", "go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": "package m\n\nconst Far = 1\n",
					"near/go.mod":  "module example.com/near\n\ngo 1.24\n\nrequire example.com/far v1.0.0\n",
					"near/near.go": "package near\n\nimport \"example.com/far\"\n\nvar Far = far.Far\n",
				})
				flags = "-modcacherw" // a workspace allows no other
			}
			store := filepath.Join(t.TempDir(), "mod")
			require.NoError(t, os.MkdirAll(filepath.Join(store, "cache", "download"), 0o755))
			url := proxy(t, "example.com/far", "v1.0.0", map[string]string{"go.mod": "module example.com/far\n\ngo 1.24\n", "far.go": "package far\n\nconst Far = 1\n"})
			if !c.reached {
				url = "http://127.0.0.1:9"
			}
			if strings.HasPrefix(name, "behind") {
				w.settings("network: {proxy: '" + strings.Replace(url, "//", "//me:geheim@", 1) + "'}\nsandbox: {network: [seen]}\n" +
					"gates: [{name: seen, argv: [sh, -c, 'echo go.mod:1: seen $http_proxy'], checks: 1, findings: '^(?P<path>[^:]+):(?P<line>\\d+): (?P<message>.*)$'}]\n")
				w.environ = append(w.environ, "HTTP_PROXY=", "http_proxy=")
				c.want, url = append(c.want, "seen "+url), "http://modules.invalid"
			}
			w.environ = append(w.environ, "GOMODCACHE="+store, "GOPROXY="+url, "GONOSUMDB=*", "GOFLAGS="+flags)
			code, stdout, stderr := w.run("validate", "--trust")
			require.Equal(t, c.code, code, stdout+stderr)
			for _, want := range c.want {
				require.Contains(t, stdout, want)
			}
		})
	}
}

// Nothing is downloaded for the checks while Forge is offline, because of the settings or of the run.
func TestModules_AreNotDownloadedOffline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environ string
		args    []string
		fetched bool
	}{
		"the setting":            {"FORGE_OFFLINE=1", []string{"validate"}, false},
		"the flag of a run":      {"", []string{"run", "--yes", "--max-attempts", "1", "--offline", "add Add"}, false},
		"an offline mode":        {"", []string{"run", "--yes", "--max-attempts", "1", "--mode", "offline-safe", "add Add"}, false},
		"the twin, a validation": {"", []string{"validate"}, true},
		"the twin, a run":        {"", []string{"run", "--yes", "--max-attempts", "1", "add Add"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
			w.put(map[string]string{
				"go.mod": "module example.com/m\n\ngo 1.24\n\nrequire example.com/far v1.0.0\n", "far/far.go": "package far\n\nimport \"example.com/far\"\n\nvar Far = far.Far\n",
			})
			store := filepath.Join(t.TempDir(), "mod")
			require.NoError(t, os.MkdirAll(filepath.Join(store, "cache", "download"), 0o755))
			url := proxy(t, "example.com/far", "v1.0.0", map[string]string{"go.mod": "module example.com/far\n\ngo 1.24\n", "far.go": "package far\n\nconst Far = 1\n"})
			w.environ = append(w.environ, "GOMODCACHE="+store, "GOPROXY="+url, "GONOSUMDB=*", "GOFLAGS=-mod=mod -modcacherw", c.environ)
			_, stdout, stderr := w.run(append(c.args, "--trust")...)
			_, err := os.Stat(filepath.Join(store, "example.com", "far@v1.0.0"))
			require.Equal(t, c.fetched, err == nil, stdout+stderr)
			if !c.fetched {
				require.Contains(t, stdout+stderr, "modules could not be downloaded")
			}
		})
	}
}

// Programs in node_modules keep caches beside themselves, such as Vitest for its tests of types. A gate sees what it has written there; the user's folder
// stays as it is, and the next gate begins with it.
func TestInstalledPackages_AreWrittenByGatesForThemselvesOnly(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{
		".gitignore":                  "node_modules\n",
		"package.json":                `{"scripts": {"test": "node --test"}}`,
		"node_modules/p/index.js":     "module.exports = 1;\n",
		"node_modules/p/package.json": `{"name": "p", "version": "1.0.0"}`,
		"a.test.js": "const fs = require('node:fs');\nconst test = require('node:test');\nconst at = require.resolve('p');\n\n" +
			"test('cache', () => {\n  if (fs.readFileSync(at, 'utf8').includes('2')) throw Error('it was kept');\n" +
			"  fs.writeFileSync(at.replace('index.js', 'cache'), 'x');\n  fs.writeFileSync(at, 'module.exports = 2;');\n" +
			"  if (!fs.existsSync(at.replace('index.js', 'cache'))) throw Error('it is not there');\n});\n",
	})
	for range 2 {
		code, stdout, stderr := w.run("validate", "--trust", "--gate", "javascript test")
		require.Zero(t, code, stdout+stderr)
		require.Contains(t, stdout, "pass     javascript test: 1 test passed")
	}
	text, err := os.ReadFile(filepath.Join(w.root, "node_modules", "p", "index.js"))
	require.NoError(t, err)
	require.Equal(t, "module.exports = 1;\n", string(text))
	require.NoFileExists(t, filepath.Join(w.root, "node_modules", "p", "cache"))
}
