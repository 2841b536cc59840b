package run

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// registry serves one crate, far 1.0.0, and returns its address. It counts downloads.
func registry(t *testing.T) (url string, downloads *int) {
	t.Helper()
	var crate bytes.Buffer
	compressed := gzip.NewWriter(&crate)
	archive := tar.NewWriter(compressed)
	for name, text := range map[string]string{"Cargo.toml": "[package]\nname = \"far\"\nversion = \"1.0.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub fn far() -> i32 {\n    1\n}\n"} {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: "far-1.0.0/" + name, Mode: 0o644, Size: int64(len(text))}))
		_, err := archive.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	downloads = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/config.json"):
			fmt.Fprintf(w, `{"dl":"http://%s/dl"}`, r.Host)
		case r.URL.Path == "/3/f/far":
			fmt.Fprintf(w, `{"name":"far","vers":"1.0.0","deps":[],"cksum":"%x","features":{},"yanked":false}`+"\n", sha256.Sum256(crate.Bytes()))
		case strings.HasPrefix(r.URL.Path, "/dl/"):
			*downloads++
			_, _ = w.Write(crate.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, downloads
}

// Crates are downloaded with the network, into the user's store, and meanwhile nothing is executed that a folder names as its compiler. The same
// compiler is executed by the check itself, which has neither.
func TestFetch_ExecutesNothingThatTheFolderNames(t *testing.T) {
	t.Parallel()
	url, downloads := registry(t)
	home := t.TempDir()
	put(t, home, ".cargo/config.toml", "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\nregistry = \"sparse+"+url+"/\"\n")
	w := folder(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nfar = \"1\"\n", "src/lib.rs": "pub fn near() -> i32 {\n    far::far()\n}\n",
		".cargo/config.toml": "[build]\nrustc = \"tools/compiler\"\n",
		"tools/compiler":     "#!/bin/sh\ntouch \"$CARGO_HOME/registry/spoiled\" || echo it was started and confined >&2\nexec rustc \"$@\"\n",
	})
	require.NoError(t, os.Chmod(filepath.Join(w.root, "tools/compiler"), 0o755)) //nolint:gosec // a program
	store := filepath.Join(home, ".cargo")
	w.environ = []string{"CARGO_HOME=" + store}
	code, stdout, stderr := w.run("validate", "--trust", "--gate", "cargo check", "--json")
	require.Zero(t, code, stdout+stderr)
	require.Positive(t, *downloads)
	require.DirExists(t, filepath.Join(store, "registry", "src"))
	require.NoFileExists(t, filepath.Join(store, "registry", "spoiled"))

	require.NoError(t, os.RemoveAll(filepath.Join(store, "registry"))) // the twin: started by hand, cargo fetch executes it
	require.NoError(t, os.MkdirAll(filepath.Join(store, "registry"), 0o755))
	by := exec.CommandContext(t.Context(), "cargo", "fetch")
	by.Dir, by.Env = w.root, append(os.Environ(), w.environ...)
	out, err := by.CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(store, "registry", "spoiled"))
}
