package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// view is the file system of a boxed command, in the form of an order to its launcher: first everything becomes read-only, then Hidden
// folders become empty, and Shown ones appear in them.
type view struct {
	Hidden []string
	Shown  []shown
	Masked []string // files and folders that appear empty
	Dir    string   // the working directory
	Write  []string // what else can be written, for Landlock: devices
}

// shown is a folder or a file that a boxed command sees at its own place, or at another one.
type shown struct {
	From, At    string
	Write       bool
	Upper, Work string // of an overlay, which keeps writes apart; empty for none
}

// system are the folders of the root that belong to the system. Others are hidden.
var system = []string{"bin", "etc", "lib", "lib32", "lib64", "libx32", "nix", "opt", "gnu", "sbin", "snap", "sys", "usr", "var", "proc", "dev"}

// private are folders and files of the system that contain what others of the machine keep or offer.
var private = []string{
	"/var/tmp", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/private", "/var/lib/sss", "/var/mail", "/var/spool", "/var/log", "/var/backups", "/var/www",
	"/var/run", "/var/lock", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/pki/tls/private",
	"/etc/krb5.keytab", "/etc/docker", "/etc/kubernetes", "/etc/wireguard", "/etc/NetworkManager/system-connections", "/etc/cron.d", "/etc/cron.daily", "/usr/local/etc",
}

// homeTools are tools and their settings in HOME, without secrets: they can be read.
var homeTools = []string{
	".nvm", ".fnm", ".volta", ".n", ".bun", ".deno", ".pyenv", ".rbenv", ".rvm", ".asdf", ".mise", ".sdkman", ".jenv", ".conda", "miniconda3", "miniforge3", "anaconda3", "mambaforge",
	".rustup", ".cargo/bin", ".cargo/env", ".cargo/config", ".cargo/config.toml", ".dotnet", ".ghcup", ".elan", ".juliaup", ".opam", "sdk", ".local/bin", ".local/lib", ".local/go",
	".local/share/uv", ".local/share/mise", ".local/share/fnm", ".local/share/pipx", ".local/share/virtualenv", ".local/share/virtualenvs", ".local/share/pnpm", ".local/share/rtx",
	".local/share/hatch", ".local/share/pdm", ".local/share/pypoetry", ".config/go", ".gitconfig", ".config/git/config", ".yarn", ".linuxbrew", ".nix-profile", ".nix-defexpr",
}

// homeCaches are caches of tools in HOME: they can be read, and what is written stays apart.
var homeCaches = []string{".cache", "go", ".npm", ".cargo/registry", ".cargo/git"}

// moreCaches are caches of tools that few users have.
var moreCaches = []string{".m2/repository", ".gradle", ".ivy2", ".yarn/berry", ".pnpm-store", ".local/share/pnpm/store", ".nuget", ".bundle/cache", ".gem"}

// otherCaches are folders of .cache that are not of build tools.
var otherCaches = []string{"google-chrome", "chromium", "mozilla", "BraveSoftware", "microsoft-edge", "thunderbird", "keyring", "evolution", "tracker3", "fontconfig-private", "gh", "copilot"}

// secretNames are patterns of files in a workspace that usually contain secrets, and are in no tree.
var secretNames = []string{".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", ".yarnrc.yml", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "id_rsa*", "id_ed25519*", "credentials*", "secrets*", "*.tfstate", "terraform.tfvars"}

// publicNames are those of them that only look so.
var publicNames = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"}

// newView returns the view of a command with the private files and caches of a slot.
func newView(c Command, cmd *exec.Cmd, s *slot, overlays bool) view {
	own := s.own()
	home := lookup(cmd.Env, "HOME")
	v := view{Dir: cmd.Dir, Write: []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}}
	v.Hidden = hiddenIn(home)
	v.Masked = slices.DeleteFunc(slices.Clone(private), func(path string) bool { return !exists(path) })
	v.show(shown{From: filepath.Join(own, "tmp"), At: "/tmp", Write: true})
	v.show(shown{From: filepath.Join(own, "tmp"), At: "/var/tmp", Write: true})
	if filepath.IsAbs(home) && home != "/" {
		v.show(shown{From: filepath.Join(own, "home"), At: home, Write: true})
		v.tools(home)
		v.caches(home, s.dir, overlays)
	}
	v.variables(cmd, s.dir, overlays)
	v.programs(cmd)
	v.handed(cmd)
	for _, folder := range c.Box.Readable {
		v.read(folder)
		v.Masked = append(v.Masked, secretsIn(folder)...)
	}
	for _, folder := range append([]string{c.Box.Tree}, c.Spared...) {
		v.show(shown{From: folder, At: folder, Write: true})
	}
	slices.SortStableFunc(v.Shown, func(a, b shown) int { return len(a.At) - len(b.At) })
	return v
}

// hiddenIn returns the folders of the root that are not the system's, and those of users.
func hiddenIn(home string) []string {
	hidden := []string{"/run"}
	entries, _ := os.ReadDir("/")
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(system, e.Name()) && e.Name() != "run" {
			hidden = append(hidden, "/"+e.Name())
		}
	}
	if top := topOf(home); top != "" && slices.Contains(system, top) { // a home such as /var/lib/jenkins
		hidden = append(hidden, home)
	}
	return hidden
}

func topOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name
}

// show adds something that exists.
func (v *view) show(s shown) {
	s.At = filepath.Clean(s.At)
	if !filepath.IsAbs(s.At) || s.At == "/" || !exists(s.From) {
		return
	}
	v.Shown = slices.DeleteFunc(v.Shown, func(other shown) bool { return other.At == s.At })
	v.Shown = append(v.Shown, s)
}

// read shows a folder or a file that can be read, unless it is visible anyway. For a link, what it leads to is shown too.
func (v *view) read(path string) {
	if !filepath.IsAbs(path) || !v.hides(path) || v.shows(path) {
		return
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != filepath.Clean(path) {
		v.read(real)
		return
	}
	v.show(shown{From: path, At: path})
}

// hides reports whether a path is beneath a hidden folder.
func (v *view) hides(path string) bool {
	return slices.ContainsFunc(v.Hidden, func(hidden string) bool { return within(path, hidden) })
}

// shows reports whether a path is beneath something that is shown as it is.
func (v *view) shows(path string) bool {
	return slices.ContainsFunc(v.Shown, func(s shown) bool { return s.From == s.At && within(path, s.At) })
}

// tools shows the tools of HOME.
func (v *view) tools(home string) {
	for _, name := range homeTools {
		v.read(filepath.Join(home, name))
	}
}

// caches shows the caches of HOME; what is written is kept in the slot. Without overlays, .cache is one of the slot's own, and what
// was downloaded can be read.
func (v *view) caches(home, slot string, overlays bool) {
	for _, name := range homeCaches {
		v.cache(filepath.Join(home, name), slot, overlays)
	}
	for _, name := range moreCaches {
		if path := filepath.Join(home, name); exists(path) {
			v.cache(path, slot, overlays)
		}
	}
	for _, name := range otherCaches {
		if path := filepath.Join(home, ".cache", name); exists(path) {
			v.Masked = append(v.Masked, path)
		}
	}
}

// cache shows one cache, whose writes go to the slot.
func (v *view) cache(path, slot string, overlays bool) {
	if !filepath.IsAbs(path) || v.shows(path) {
		return
	}
	if isBuilt := filepath.Base(path) == ".cache" || filepath.Base(path) == "go-build"; !overlays && isBuilt {
		own := filepath.Join(slot, filepath.Base(path))
		if os.MkdirAll(own, 0o700) == nil {
			v.show(shown{From: own, At: path, Write: true})
		}
		return
	}
	if !overlays {
		v.read(path)
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil { // the user has none: it is kept from command to command
		own := filepath.Join(slot, "new", filepath.Base(path))
		if os.MkdirAll(own, 0o700) == nil {
			v.show(shown{From: own, At: path, Write: true})
		}
		return
	}
	name := strings.ReplaceAll(strings.Trim(real, "/"), "/", "%")
	upper, work := filepath.Join(slot, name, "upper"), filepath.Join(slot, name, "work")
	if os.MkdirAll(upper, 0o700) != nil || os.MkdirAll(work, 0o700) != nil {
		return
	}
	v.show(shown{From: real, At: real, Write: true, Upper: upper, Work: work})
}

// variables shows the places that variables of tools name.
func (v *view) variables(cmd *exec.Cmd, slot string, overlays bool) {
	for _, name := range []string{"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "CARGO_HOME"} {
		v.cache(lookup(cmd.Env, name), slot, overlays)
	}
	if home := lookup(cmd.Env, "CARGO_HOME"); home != "" {
		for _, name := range []string{"credentials", "credentials.toml"} {
			v.Masked = append(v.Masked, filepath.Join(home, name))
		}
	}
	if target := lookup(cmd.Env, "CARGO_TARGET_DIR"); target != "" {
		_ = os.MkdirAll(target, 0o700) // else cargo reports it
		v.show(shown{From: target, At: target, Write: true})
	}
	for _, name := range []string{"GOROOT", "RUSTUP_HOME", "VIRTUAL_ENV", "PYENV_ROOT", "CONDA_PREFIX", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		v.read(lookup(cmd.Env, name))
	}
}

// programs shows the folders of the PATH, and where the program of the command is installed.
func (v *view) programs(cmd *exec.Cmd) {
	for _, dir := range append(filepath.SplitList(lookup(cmd.Env, "PATH")), filepath.Dir(cmd.Path)) {
		v.read(dir)
		if filepath.Base(dir) == "bin" { // its libraries are beside it
			v.read(filepath.Join(filepath.Dir(dir), "lib"))
		}
	}
	for path := cmd.Path; path != ""; {
		if v.hides(path) && !v.shows(path) {
			v.read(installation(path))
		}
		to, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
}

// installation returns the folder that a program is installed in: that of its bin, or its own.
func installation(program string) string {
	dir := filepath.Dir(program)
	if filepath.Base(dir) == "bin" && strings.Count(dir, "/") > 2 {
		return filepath.Dir(dir)
	}
	return dir
}

// secretDepth is how deep in a workspace files with secrets are looked for.
const secretDepth = 4

// secretsIn returns the files of a workspace that are hidden.
func secretsIn(folder string) (found []string) {
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be listed cannot be read either
		}
		if e.IsDir() {
			name, rest := e.Name(), strings.TrimPrefix(path, folder)
			if name == "node_modules" || name == ".git" || strings.Count(rest, "/") >= secretDepth || exists(filepath.Join(path, "pyvenv.cfg")) {
				return fs.SkipDir
			}
			return nil
		}
		if isSecret(e.Name()) {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// isSecret reports whether a file of this name usually contains secrets.
func isSecret(name string) bool {
	matches := func(pattern string) bool { is, _ := filepath.Match(pattern, name); return is }
	return slices.ContainsFunc(secretNames, matches) && !slices.Contains(publicNames, name)
}

// within reports whether a path is a folder, or beneath it.
func within(path, folder string) bool {
	path, folder = filepath.Clean(path), filepath.Clean(folder)
	_, is := beneath(path, folder)
	return is || path == folder
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// box is a command's box while it runs.
type box struct {
	slot *slot
	view view
	box  *Box
}

// newBox prepares the box of a command; nil if it has none. overlays reports whether the system has them for this user. It sets the
// command's TMPDIR. remove removes it.
func newBox(c Command, cmd *exec.Cmd, overlays bool) (*box, error) {
	if c.Box == nil {
		return nil, nil
	}
	s, err := takeSlot(c.Box.Caches)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		if lookup(cmd.Env, name) != "" {
			cmd.Env = append(cmd.Env, name+"=/tmp")
		}
	}
	return &box{slot: s, view: newView(c, cmd, s, overlays), box: c.Box}, nil
}

// remove removes the command's private files.
func (b *box) remove() {
	if b != nil {
		b.slot.release()
	}
}

// ours are Forge's own temporary folders: those that a command's arguments and variables name are for it.
var ours = lazyregexp.New(`/forge-[a-z]+-[0-9]+`)

// handed shows the temporary folders that Forge hands to a command.
func (v *view) handed(cmd *exec.Cmd) {
	temp := filepath.Clean(os.TempDir())
	for _, text := range slices.Concat(cmd.Args, cmd.Env) {
		for _, at := range ours.FindAllStringIndex(text, -1) {
			if dir := temp + text[at[0]:at[1]]; strings.HasSuffix(text[:at[0]], temp) {
				v.show(shown{From: dir, At: dir, Write: true})
			}
		}
	}
}
