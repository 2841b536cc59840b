package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of entries of a policy.
const (
	readable  = "r" // with everything beneath it
	writable  = "w"
	linked    = "l" // a symbolic link to target
	private   = "p" // shows target, a folder of the command's own
	masked    = "m" // an empty file
	overlaid  = "o" // can be written; target has what is written, and links to what is there otherwise
	installed = "b" // the same, where the system has overlays; else readable
	rewritten = "f" // a file that has the text of target, a file of Forge's own
)

// entry is a path that a command can reach. Invariant: path is absolute, and no folder on the way to it is a link.
type entry struct{ kind, path, target string }

// policy is what a command can reach. A nil policy hides nothing, and permits all writes.
type policy struct {
	entries []entry
	home    string // the user's
	own     string // a folder of the command's own, with home, tmp and root in it
	slot    *slot  // what is kept of its caches; nil for nothing
	builds  string // what commands have added to Go's build cache; empty for none
	place   Place  // zero if nothing is shown elsewhere
	network bool
}

// system are the folders of every system that contain programs and their settings, and no data of users.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/snap", "/gnu/store", "/sys",
	"/run/current-system", "/var/lib/dpkg/alternatives",
}

// secrets are files of the system that its users must not read, but root could.
var secrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/NetworkManager/system-connections", "/etc/wireguard",
	"/etc/krb5.keytab", "/etc/kubernetes", "/etc/rancher", "/etc/letsencrypt", "/etc/openvpn", "/etc/ipsec.secrets", "/etc/ipsec.d", "/etc/ppp", "/etc/docker", "/etc/mysql/debian.cnf", "/etc/postfix/sasl_passwd",
	"/etc/exim4/passwd.client", "/etc/sssd", "/etc/pki/tls/private", "/etc/vault.d", "/etc/consul.d",
}

// credentials are files of a HOME within toolchains that a command must not read.
var credentials = []string{".local/share/uv/credentials"}

// resolvers are the files that name servers and their authorities, which some systems have outside of /etc, and folders of services that do.
var resolvers = []string{
	"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem",
	"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf",
}

// toolchains are the parts of a HOME that programs are installed into, or that they download packages into. Credentials are masked.
var toolchains = []string{
	"go/pkg/mod", "go/bin", "sdk", ".cargo/registry", ".cargo/git", ".cargo/bin", ".cargo/env", ".cargo/config.toml", ".rustup", ".nvm", ".npm/_cacache",
	".volta", ".fnm", ".asdf", ".deno", ".bun", ".sdkman", ".pyenv", ".nix-profile", ".local/bin", ".local/lib", ".local/pipx", ".local/state/nix",
	".local/share/uv", ".local/share/pipx", ".local/share/fnm", ".local/share/mise", ".local/share/pnpm", ".local/share/virtualenvs",
	".cache/pip", ".cache/uv", ".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/pypoetry/virtualenvs", ".cache/pre-commit",
}

// homes are variables that name folders with programs or packages, and the parts of these folders that are shown; empty for all.
var homes = map[string][]string{
	"GOROOT": nil, "GOMODCACHE": nil, "GOPATH": {"pkg/mod", "bin"}, "CARGO_HOME": {"registry", "git", "bin", "config.toml"}, "RUSTUP_HOME": nil,
	"PYENV_ROOT": nil, "VIRTUAL_ENV": nil, "CONDA_PREFIX": nil, "SSL_CERT_FILE": nil, "SSL_CERT_DIR": nil, "NODE_EXTRA_CA_CERTS": nil, "REQUESTS_CA_BUNDLE": nil,
}

// lists are those of homes that name several folders.
var lists = []string{"GOPATH", "SSL_CERT_DIR"}

// outputs are variables that name folders which tools fill for later runs.
var outputs = []string{"CARGO_TARGET_DIR"}

// policyOf returns the policy of a jailed command, and prepares its private folders. remove removes them. Only base, Forge's own
// environment, decides what is shown: a project may set variables of its commands.
func policyOf(j *Jail, cmd *exec.Cmd, base []string) (*policy, error) {
	p := &policy{network: j.Network || j.Fetch, home: lookup(base, "HOME")}
	err := p.prepare(j.Caches)
	if err == nil {
		err = p.showPrivate(base)
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	p.show(readable, system...)
	for _, path := range slices.Concat(secrets, p.inHome(credentials)) {
		if _, err := os.Lstat(path); err == nil {
			p.entries = append(p.entries, entry{masked, path, ""})
		}
	}
	if p.network {
		p.show(readable, resolvers...)
	}
	p.show(writable, j.Write...)
	p.show(readable, j.Read...)
	if err := errors.Join(p.rewrite(j.Rewritten), p.showInstalled(j.Installed)); err != nil {
		p.remove()
		return nil, err
	}
	if j.Fetch {
		p.show(writable, makeStores(base, p.home)...)
	}
	p.showProgram(cmd.Path)
	p.showPrograms(base)
	for _, name := range outputs {
		p.show(writable, lookup(base, name))
	}
	p.tidy()
	if j.Place.fits(p.entries) {
		p.place = j.Place
	}
	return p, nil
}

// inHome returns paths in the user's HOME, by its real path.
func (p *policy) inHome(names []string) (paths []string) {
	home, err := filepath.EvalSymlinks(p.home)
	if err != nil {
		return nil
	}
	for _, name := range names {
		paths = append(paths, filepath.Join(home, name))
	}
	return paths
}

// prepare takes a slot of caches, and creates the command's own folders: in the slot, where the next command removes what a killed
// Forge has left.
func (p *policy) prepare(caches string) (err error) {
	if caches == "" {
		p.own, err = os.MkdirTemp("", "forge-jail-")
	} else if p.slot, err = takeSlot(caches); err == nil {
		p.own = filepath.Join(p.slot.dir, "own")
		p.empty()
		err = os.Mkdir(p.own, 0o700)
	}
	if err != nil {
		return err
	}
	if p.own, err = filepath.EvalSymlinks(p.own); err != nil {
		return err
	}
	for _, name := range []string{"home", "tmp", "root"} {
		if err := os.Mkdir(filepath.Join(p.own, name), 0o700); err != nil {
			return err
		}
	}
	return withoutTelemetry(filepath.Join(p.own, "home"))
}

// withoutTelemetry switches off telemetry of the go command in an empty home. Otherwise each go command there starts a second process of itself.
func withoutTelemetry(home string) error {
	dir := filepath.Join(home, ".config", "go", "telemetry")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "mode"), []byte("off"), 0o600)
}

// showPrivate shows the command's own folders in place of the user's, and caches that are kept: what a command builds must not be
// executed by the user's own tools, or in another workspace.
func (p *policy) showPrivate(base []string) error {
	for _, path := range []string{"/tmp", "/var/tmp"} {
		p.entries = append(p.entries, entry{private, path, filepath.Join(p.own, "tmp")})
	}
	home, err := filepath.EvalSymlinks(p.home)
	if err != nil || home == "/" {
		home = ""
	}
	if home != "" {
		p.linkTo(p.home, home)
		p.entries = append(p.entries, entry{private, home, filepath.Join(p.own, "home")})
	}
	if p.slot == nil {
		return nil
	}
	if home != "" {
		cache, err := p.slot.folder("cache")
		if err != nil {
			return err
		}
		p.entries = append(p.entries, entry{private, filepath.Join(home, ".cache"), cache})
	}
	return p.showBuilds(home, base)
}

// showBuilds shows the build cache of Go: the user's, if there is one, with what earlier commands have added.
func (p *policy) showBuilds(home string, base []string) error {
	at := lookup(base, "GOCACHE")
	users := cmp.Or(at, filepath.Join(cmp.Or(lookup(base, "XDG_CACHE_HOME"), filepath.Join(p.home, ".cache")), "go-build"))
	if at == "" && home != "" {
		at = filepath.Join(home, ".cache", "go-build") // the command gets no XDG_CACHE_HOME
	}
	if !filepath.IsAbs(at) {
		return nil
	}
	p.builds = p.slot.builds
	if err := os.MkdirAll(p.builds, 0o700); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(users)
	if err != nil {
		p.entries = append(p.entries, entry{private, at, p.builds})
		return nil //nolint:nilerr // the user has none
	}
	own, err := p.slot.folder(buildsFolder)
	if err != nil {
		return err
	}
	p.entries = append(p.entries, entry{overlaid, at, own})
	return makeOverlay(own, map[string]string{lowerLink: real, buildsLink: p.builds})
}

// showInstalled shows folders with a place for what is written in each.
func (p *policy) showInstalled(folders []string) error {
	for i, folder := range folders {
		before := len(p.entries)
		p.show(readable, folder)
		for j := before; j < len(p.entries); j++ {
			e := &p.entries[j]
			if e.kind != readable {
				continue // a link on the way
			}
			e.kind, e.target = installed, filepath.Join(p.own, fmt.Sprintf("lent-%d", i))
			if err := makeOverlay(e.target, map[string]string{lowerLink: e.path}); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite shows files with other texts.
func (p *policy) rewrite(texts map[string]string) error {
	for path, text := range texts {
		own := filepath.Join(p.own, fmt.Sprint("rewritten-", len(p.entries)))
		if err := os.WriteFile(own, []byte(text), 0o600); err != nil {
			return err
		}
		p.entries = append(p.entries, entry{rewritten, path, own})
	}
	return nil
}

// makeOverlay makes the target of an overlay, with links to what is read.
func makeOverlay(target string, read map[string]string) error {
	for _, name := range []string{upperFolder, workFolder} {
		if err := os.MkdirAll(filepath.Join(target, name), 0o700); err != nil {
			return err
		}
	}
	for name, to := range read {
		if err := os.Remove(filepath.Join(target, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink(to, filepath.Join(target, name)); err != nil {
			return err
		}
	}
	return nil
}

// The parts of the target of an overlay: what is written, what the kernel needs for that, and links to what is read: the user's folder, and above it
// what has been added. Where nothing can be laid over another, all commands write what has been added.
const (
	upperFolder = "upper"
	workFolder  = "work"
	lowerLink   = "lower"
	buildsLink  = "added"
)

// showProgram shows a program and its installation. A program of the project itself shows nothing else: it may be a link to anywhere.
func (p *policy) showProgram(path string) {
	if slices.ContainsFunc(p.entries, func(e entry) bool { return e.kind != linked && e.kind != private && isBeneath(path, e.path) }) {
		return
	}
	p.show(readable, path)
	p.showPrefix(filepath.Dir(path))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		p.showPrefix(filepath.Dir(real))
	}
}

// showPrograms shows the folders of PATH and of tool chains.
func (p *policy) showPrograms(base []string) {
	for _, folder := range filepath.SplitList(lookup(base, "PATH")) {
		if filepath.IsAbs(folder) {
			p.showPrefix(folder)
		}
	}
	for _, name := range toolchains {
		if p.home != "" {
			p.show(readable, filepath.Join(p.home, name))
		}
	}
	for variable, parts := range homes {
		tops := []string{lookup(base, variable)}
		if slices.Contains(lists, variable) {
			tops = filepath.SplitList(tops[0])
		}
		for _, top := range tops {
			if parts == nil {
				p.show(readable, top)
			}
			for _, part := range parts {
				p.show(readable, filepath.Join(top, part))
			}
		}
	}
}

// showPrefix shows a folder of programs and, if it is the folder bin of an installation, the installation.
func (p *policy) showPrefix(folder string) {
	top := filepath.Dir(folder)
	if p.isHome(folder) {
		return // a HOME on PATH shows nothing of itself
	}
	p.show(readable, folder)
	if filepath.Base(folder) != "bin" || p.isHome(top) {
		return
	}
	for _, mark := range []string{"VERSION", "release", "conda-meta", "pyvenv.cfg"} { // of Go, Java, conda and Python
		if _, err := os.Stat(filepath.Join(top, mark)); err == nil {
			p.show(readable, top)
			return
		}
	}
	parts := []string{"lib", "lib64", "libexec", "include"}
	if _, err := os.Stat(filepath.Join(top, "Cellar")); err == nil { // Homebrew's programs and libraries are links to there
		parts = append(parts, "Cellar", "opt", "etc/ca-certificates", "etc/openssl@3")
	}
	for _, name := range parts {
		p.show(readable, filepath.Join(top, name))
	}
}

// isHome reports whether a folder is the user's HOME, or leads to it.
func (p *policy) isHome(folder string) bool {
	return folder == "/" || p.home == folder || strings.HasPrefix(p.home, folder+"/")
}

// show adds files and folders by their real paths, and the links that lead to them. It omits missing ones and, because a mistake
// in a setting must not show everything, HOME and the root.
func (p *policy) show(kind string, paths ...string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) || p.isHome(filepath.Clean(path)) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || p.isHome(real) {
			continue
		}
		p.linkTo(filepath.Clean(path), real)
		p.entries = append(p.entries, entry{kind, real, ""})
	}
}

// linkTo adds the first link on the way from path to real, and those after it.
func (p *policy) linkTo(path, real string) {
	for links := 0; path != real && links < 40; links++ {
		for end := 1; end <= len(path); end++ {
			if end < len(path) && path[end] != '/' {
				continue
			}
			to, err := os.Readlink(path[:end])
			if err != nil {
				continue
			}
			p.entries = append(p.entries, entry{linked, path[:end], to})
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path[:end]), to)
			}
			path = filepath.Join(to, path[end:])
			break
		}
	}
}

// tidy sorts the entries, folders before what is in them, and removes those that add nothing.
func (p *policy) tidy() {
	order := []string{private, overlaid, writable, installed, rewritten, readable, masked, linked}
	slices.SortStableFunc(p.entries, func(a, b entry) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return slices.Index(order, a.kind) - slices.Index(order, b.kind)
	})
	kept := p.entries[:0]
	for _, e := range p.entries {
		if n := len(kept); (n == 0 || kept[n-1].path != e.path) && adds(kept, e) {
			kept = append(kept, e)
		}
	}
	p.entries = kept
}

// adds reports whether an entry shows something else than the entries above it.
func adds(kept []entry, e entry) bool {
	for _, above := range slices.Backward(kept) {
		if above.kind == linked || !isBeneath(e.path, above.path) {
			continue
		}
		switch above.kind {
		case private:
			return true
		case writable, overlaid:
			return e.kind == masked
		case readable, installed:
			return e.kind != readable && e.kind != linked
		}
		return false
	}
	return true
}

// isBeneath reports whether a path is a folder or in it.
func isBeneath(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// environ adapts the variables of a command to its private folders: where nothing can be mounted, HOME has another path.
func (p *policy) environ(env []string, mounted bool) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME"}, name)
	})
	if mounted {
		return append(env, "TMPDIR=/tmp")
	}
	env = append(env, "TMPDIR="+filepath.Join(p.own, "tmp"), "HOME="+filepath.Join(p.own, "home"))
	if p.builds != "" {
		env = append(env, "GOCACHE="+p.builds)
	}
	return env
}

// linkHome links what is shown of HOME into the private one, for a system that mounts nothing.
func (p *policy) linkHome() {
	home, err := filepath.EvalSymlinks(p.home)
	if err != nil {
		return
	}
	for _, e := range p.entries {
		rest, inside := strings.CutPrefix(e.path, home+"/")
		to := e.path
		if e.kind == private {
			to = e.target
		}
		if !inside || e.kind == linked || e.kind == overlaid || e.kind == rewritten {
			continue
		}
		at := filepath.Join(p.own, "home", rest)
		if os.MkdirAll(filepath.Dir(at), 0o700) == nil {
			_ = os.Symlink(to, at) // within a linked folder it is visible already
		}
	}
}

// remove removes the private folders.
func (p *policy) remove() {
	if p == nil {
		return
	}
	p.empty()
	p.slot.release()
}

// empty removes the private folders, regardless of their modes.
func (p *policy) empty() {
	if os.RemoveAll(p.own) == nil {
		return
	}
	_ = filepath.WalkDir(p.own, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // so that its entries can be removed
		}
		return nil
	})
	_ = os.RemoveAll(p.own)
}
