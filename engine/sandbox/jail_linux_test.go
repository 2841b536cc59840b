package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"forge/internal/testkit"

	"github.com/stretchr/testify/require"
)

// home is a user's HOME with a secret, a tree of Forge's in it, and an environment of that user.
type home struct {
	t            *testing.T
	path, tree   string
	secret, file string
}

// uv is where uv keeps programs, and credentials.
const uv = ".local/share/uv"

func newHome(t *testing.T) home {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h := home{t: t, path: path, tree: filepath.Join(path, ".forge/tree"), secret: filepath.Join(path, ".ssh/id"), file: filepath.Join(path, "file")}
	for file, text := range map[string]string{h.secret: "secret", h.file: "mine", filepath.Join(h.tree, "x"): "", filepath.Join(path, ".cargo/bin/tool"): "tool", filepath.Join(path, ".cargo/credentials.toml"): "secret", filepath.Join(path, uv, "tools/x"): "installed", filepath.Join(path, uv, "credentials/credentials.toml"): "secret"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o700)) //nolint:gosec // some are programs
	}
	return h
}

// run runs a script in a jail, or, without one, freely.
func (h home) run(r *runner, jail *Jail, script string) (string, Result) {
	h.t.Helper()
	r.environ = append(slices.Clone(os.Environ()), "HOME="+h.path, "XDG_CACHE_HOME="+filepath.Join(h.path, "caches"))
	result, err := r.Run(h.t.Context(), Command{Argv: []string{"sh", "-c", script}, Dir: h.tree, Jail: jail})
	require.NoError(h.t, err)
	return string(result.Stdout) + string(result.Stderr), result
}

// inJails runs a test with namespaces and without.
func inJails(t *testing.T, test func(t *testing.T, r *runner, h home)) {
	t.Helper()
	for name, r := range runners() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !landlocked() {
				t.Skip("this kernel has no Landlock that can be used")
			}
			test(t, r(), newHome(t))
		})
	}
}

// A jailed command reads and changes what its jail shows, and nothing else; the same command without a jail does.
func TestJail_HidesWhatIsNotShown(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		script := `cat ` + h.secret + ` ` + filepath.Join(h.path, ".cargo/credentials.toml") + ` ` + filepath.Join(h.path, uv, "credentials/credentials.toml") + ` ` + filepath.Join(h.path, uv, "tools/x") + `; cat ` + filepath.Join(h.path, ".cargo/bin/tool") + `
echo bad >` + h.file + `; rm -f ` + h.secret + `; echo new >y; echo temporary >"$TMPDIR/t" && cat "$TMPDIR/t"; echo private >"$HOME/p" && cat "$HOME/p"`
		said, result := h.run(r, &Jail{Write: []string{h.tree}}, script)
		require.NotContains(t, said, "secret")
		for _, works := range []string{"tool", "installed", "temporary", "private"} {
			require.Contains(t, said, works)
		}
		text, err := os.ReadFile(h.file)
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
		require.FileExists(t, h.secret)
		require.FileExists(t, filepath.Join(h.tree, "y"))
		require.NoFileExists(t, filepath.Join(h.path, "p"))
		require.Contains(t, result.Layers.String(), "Landlock")

		said, result = h.run(r, nil, script)
		require.Equal(t, 3, strings.Count(said, "secret"))
		require.NoFileExists(t, h.secret)
		require.Empty(t, result.Layers.Active)
	})
}

// What tools keep in ~/.cache is there for the next command with the same folder for caches, and not in the user's own.
func TestJail_KeepsItsCacheForTheNext(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		jail := &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/1")}
		h.run(r, jail, `echo kept >"$HOME/.cache/x"`)
		said, _ := h.run(r, jail, `cat "$HOME/.cache/x"`)
		require.Equal(t, "kept\n", said)
		said, _ = h.run(r, &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/2")}, `cat "$HOME/.cache/x"`)
		require.NotContains(t, said, "kept")
		require.NoDirExists(t, filepath.Join(h.path, ".cache"))
	})
}

// A build begins with what is in the user's build cache, where the system has overlays, and changes nothing there. What a command has added
// is there for the next one, also while another one runs.
func TestJail_BeginsWithTheUsersBuildCache(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		users := filepath.Join(h.path, "caches", "go-build")
		require.NoError(t, os.MkdirAll(users, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(users, "built"), []byte("by the user"), 0o600))
		jail := &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/1")}
		said, _ := h.run(r, jail, inBuilds+`cat built; echo bad >built; echo more >added; mkdir ab && echo deep >ab/x`)
		if r.plain.Load() == nil {
			require.Equal(t, "by the user", said)
		}
		said, _ = h.run(r, jail, inBuilds+`cat built added ab/x; echo deeper >ab/y; mkdir -p ab/tool && echo tool >ab/tool/t`)
		require.Equal(t, "bad\nmore\ndeep\n", said)
		text, err := os.ReadFile(filepath.Join(users, "built"))
		require.NoError(t, err)
		require.Equal(t, "by the user", string(text))
		require.NoFileExists(t, filepath.Join(users, "added"))

		first, err := takeSlot(jail.Caches)
		require.NoError(t, err)
		defer first.release()
		said, _ = h.run(r, jail, inBuilds+`cat added ab/x ab/y ab/tool/t`)
		require.Equal(t, "more\ndeep\ndeeper\ntool\n", said)
		said, _ = h.run(r, &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/2")}, inBuilds+`cat built added`)
		require.NotContains(t, said, "more", "the caches of another workspace")
	})
}

// inBuilds begins a script in Go's build cache.
const inBuilds = `cd "${GOCACHE:-$HOME/.cache/go-build}" && `

// What a command adds to a build cache moves nothing of the user's, wherever links in it lead to.
func TestJail_LinksInABuildCacheLeadNowhere(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		require.NoError(t, os.MkdirAll(filepath.Join(h.path, "caches", "go-build"), 0o700))
		jail := &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/1")}
		mine := filepath.Dir(h.secret)
		h.run(r, jail, inBuilds+`ln -s `+mine+` out; mkdir in && ln -s `+mine+` in/out`)
		require.FileExists(t, h.secret)
		builds := filepath.Join(jail.Caches, buildsFolder) // where nothing is mounted, a command writes here itself
		_ = os.Remove(filepath.Join(builds, "out"))
		require.NoError(t, os.Symlink(mine, filepath.Join(builds, "out")))
		h.run(r, jail, inBuilds+`rm -f out; mkdir out && echo bad >out/id`)
		text, err := os.ReadFile(h.secret)
		require.NoError(t, err)
		require.Equal(t, "secret", string(text))
	})
}

// Caches that have become too large are removed when no command uses them.
func TestSlot_TrimsWhatNoCommandUses(t *testing.T) {
	t.Parallel()
	caches := t.TempDir()
	built := filepath.Join(caches, buildsFolder, "ab", "built")
	trimmed := func(most int64) bool {
		require.NoError(t, os.MkdirAll(filepath.Dir(built), 0o700))
		require.NoError(t, os.WriteFile(built, []byte("text"), 0o600))
		_ = os.Remove(filepath.Join(caches, "trimmed"))
		use, err := openLock(caches)
		require.NoError(t, err)
		defer func() { _ = use.Close() }()
		trim(caches, use, most)
		_, err = os.Stat(built)
		return err != nil
	}
	command, err := takeSlot(caches)
	require.NoError(t, err)
	require.False(t, trimmed(1), "a command uses them")
	command.release()
	require.False(t, trimmed(maxCaches), "they are small")
	require.True(t, trimmed(1))
}

// The go command starts a second process of itself for telemetry, unless its home switches that off.
func TestJail_GoHasNoTelemetry(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		said, _ := h.run(r, &Jail{Write: []string{h.tree}, Caches: filepath.Join(h.path, ".forge/caches/1")}, "go env GOTELEMETRY")
		require.Equal(t, "off\n", said)
	})
}

// Only a command that downloads can write the stores of downloads.
func TestJail_FetchWritesTheStores(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		store := filepath.Join(h.path, "modules")
		require.NoError(t, os.Mkdir(store, 0o700))
		run := func(jail *Jail) {
			r.environ = append(slices.Clone(os.Environ()), "HOME="+h.path, "GOMODCACHE="+store)
			_, err := r.Run(t.Context(), Command{Argv: []string{"sh", "-c", "echo x >" + filepath.Join(store, "x")}, Dir: h.tree, Jail: jail})
			require.NoError(t, err)
		}
		run(&Jail{Write: []string{h.tree}})
		require.NoFileExists(t, filepath.Join(store, "x"))
		run(&Jail{Write: []string{h.tree}, Fetch: true})
		require.FileExists(t, filepath.Join(store, "x"))
	})
}

// A program in the tree that is a link to one of the user's shows nothing else of that folder.
func TestJail_ProgramOfTheTreeShowsNothingElse(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		require.NoError(t, os.WriteFile(filepath.Join(h.path, ".ssh/run"), []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program
		link := filepath.Join(h.tree, "run")
		require.NoError(t, os.WriteFile(link, []byte("#!/bin/sh\ncat "+h.secret+"\n"), 0o700)) //nolint:gosec // a program
		require.NoError(t, os.Rename(link, link+".real"))
		require.NoError(t, os.Symlink(filepath.Join(h.path, ".ssh/run"), link))
		p, err := policyOf(&Jail{Write: []string{h.tree}}, &exec.Cmd{Path: link, Dir: h.tree}, []string{"HOME=" + h.path, "PATH=/usr/bin"})
		require.NoError(t, err)
		defer p.remove()
		require.False(t, slices.ContainsFunc(p.entries, func(e entry) bool { return isBeneath(h.secret, e.path) && e.kind != private }))
		_ = r
	})
}

// A jailed command has a loopback of its own if there are namespaces, otherwise no sockets but pairs; one with the network has the user's.
func TestJail_HasNoNetworkButItsOwn(t *testing.T) {
	t.Parallel()
	ours, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	inJails(t, func(t *testing.T, r *runner, h home) {
		said, _ := h.run(r, &Jail{Write: []string{h.tree}, Network: true}, "readlink /proc/self/ns/net")
		require.Equal(t, ours+"\n", said)
		said, result := h.run(r, &Jail{Write: []string{h.tree}}, "readlink /proc/self/ns/net")
		if slices.Contains(result.Layers.Active, "private network") {
			require.NotEqual(t, ours+"\n", said)
		} else {
			require.Contains(t, result.Layers.String(), "no network, not even 127.0.0.1")
		}
	})
}

// Where nothing can confine a command, it is not started. It changes what all tests see, so that it runs alone.
func TestJail_UnconfinedCommandIsNotStarted(t *testing.T) { //nolint:paralleltest // see above
	was := landlocked
	defer func() { landlocked = was }()
	landlocked = func() bool { return false }
	refusal := error(syscall.EPERM)
	r := &runner{environ: os.Environ()}
	r.plain.Store(&refusal)
	_, err := r.Run(t.Context(), Command{Argv: []string{"true"}, Dir: t.TempDir(), Jail: &Jail{}})
	var unconfined *UnconfinedError
	require.ErrorAs(t, err, &unconfined)
	require.Contains(t, unconfined.Error(), "operation not permitted")
	_, err = r.Run(t.Context(), Command{Argv: []string{"true"}, Dir: t.TempDir()})
	require.NoError(t, err, "a command that executes no code of others")
}

// Where /etc/resolv.conf and certificates are links to outside of /etc, as in WSL and openSUSE, a command with the network reads them; another one does not.
func TestJail_NetworkShowsWhatLeadsOutOfEtc(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount another /etc")
	}
	const etc = `mount -t tmpfs x /etc && mount -t tmpfs x /mnt && mkdir -p /mnt/wsl/pem /etc/ssl && echo server >/mnt/wsl/resolv.conf && echo authority >/mnt/wsl/pem/ca.pem &&
		ln -s /mnt/wsl/resolv.conf /etc/resolv.conf && ln -s ../../mnt/wsl/pem /etc/ssl/certs && exec "$0"`
	ours, err := os.Executable()
	require.NoError(t, err)
	for mode, plain := range map[string][]string{"as the kernel grants": nil, "without a namespace": {plainHelper + "=1"}} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			read := func(network string) string {
				cmd := exec.CommandContext(t.Context(), "sh", "-c", etc, ours)
				cmd.Env = append(os.Environ(), helper+"=cat /etc/resolv.conf /etc/ssl/certs/ca.pem", jailedHelper+"="+t.TempDir(), networkHelper+"="+network, "SSL_CERT_DIR=", "SSL_CERT_FILE=")
				cmd.Env = append(cmd.Env, plain...)
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
				out, _ := cmd.CombinedOutput()
				return string(out)
			}
			require.Contains(t, read("1"), "server\nauthority\n")
			require.NotContains(t, read(""), "server")
		})
	}
}

// Programs of Homebrew are links into its Cellar, and GOPATH may name several folders. What is beside them stays hidden.
func TestJail_ShowsInstallationsOfLinksAndLists(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		brew := filepath.Join(h.path, "brew")
		for _, file := range []string{"brew/Cellar/x/1/bin/x", "brew/opt/y/y", "brew/var/db/secret", "first/pkg/mod/m/m", "second/pkg/mod/n/n", "second/src/secret", "ca.pem"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(h.path, file)), 0o700))
			testkit.WriteProgram(t, filepath.Join(h.path, file), "#!/bin/sh\necho "+filepath.Base(file)+"\n")
		}
		require.NoError(t, os.MkdirAll(filepath.Join(brew, "bin"), 0o700))
		require.NoError(t, os.Symlink("../Cellar/x/1/bin/x", filepath.Join(brew, "bin", "x")))
		first, second := filepath.Join(h.path, "first"), filepath.Join(h.path, "second")
		r.environ = append(os.Environ(), "HOME="+h.path, "PATH="+filepath.Join(brew, "bin")+":"+os.Getenv("PATH"), "GOPATH="+first+":"+second, "GOMODCACHE=", "NODE_EXTRA_CA_CERTS="+filepath.Join(h.path, "ca.pem"))
		result, err := r.Run(t.Context(), Command{Dir: h.tree, Jail: &Jail{Write: []string{h.tree}}, Argv: []string{
			"sh", "-c", "x; for f in brew/opt/y/y brew/var/db/secret first/pkg/mod/m/m second/pkg/mod/n/n second/src/secret; do sh " + h.path + "/$f; done; sh $NODE_EXTRA_CA_CERTS",
		}})
		require.NoError(t, err)
		require.Equal(t, "x\ny\nm\nn\nca.pem\n", string(result.Stdout))
	})
}

// An unset variable makes a relative path, which would show the folder that Forge was started in.
func TestJail_RelativePathsShowNothing(t *testing.T) {
	t.Parallel()
	there, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.Equal(t, []string{there}, realPaths([]string{"", ".", "/", "/missing", there}))
}

func TestJail_StoresOfDownloads(t *testing.T) {
	t.Parallel()
	for want, base := range map[[2]string][]string{
		{"/h/go/pkg/mod", "/h/.cargo"}: nil, {"/a/pkg/mod", "/h/.cargo"}: {"GOPATH=/a:/b"}, {"/m", "/c"}: {"GOPATH=/a:/b", "GOMODCACHE=/m", "CARGO_HOME=/c"},
	} {
		modules, cargo := stores(base, "/h")
		require.Equal(t, want, [2]string{modules, cargo})
	}
}

// A file that is rewritten is read with the other text, and stays as it is for everyone else. One that is gone by then, or not shown, is omitted.
func TestJail_RewrittenFilesHaveOtherTexts(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		installed := filepath.Join(h.path, "project/.venv")
		for _, file := range []string{"project/.venv/ours.pth", "project/.venv/other.pth", "project/hidden"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(h.path, file)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(h.path, file), []byte("of the user\n"), 0o600))
		}
		rewritten := map[string]string{
			filepath.Join(installed, "ours.pth"): "of the tree\n", filepath.Join(installed, "gone.pth"): "gone\n", filepath.Join(h.path, "project/hidden"): "shown\n",
		}
		said, result := h.run(r, &Jail{Write: []string{h.tree}, Read: []string{installed}, Rewritten: rewritten}, "cd "+installed+" && cat ours.pth other.pth gone.pth ../hidden; echo bad >ours.pth; ls")
		require.Contains(t, said, "gone.pth: No such file")
		require.NotContains(t, said, "shown")
		require.NotContains(t, said, "bad")
		text, err := os.ReadFile(filepath.Join(installed, "ours.pth"))
		require.NoError(t, err)
		require.Equal(t, "of the user\n", string(text))
		names, err := os.ReadDir(installed)
		require.NoError(t, err)
		require.Len(t, names, 2, "nothing is made in the user's folder")
		if slices.ContainsFunc(result.Layers.Active, func(layer string) bool { return strings.HasPrefix(layer, "private file system") }) {
			require.Contains(t, said, "of the tree\nof the user\n")
		} else {
			require.Contains(t, said, "of the user\nof the user\n")
		}
	})
}
