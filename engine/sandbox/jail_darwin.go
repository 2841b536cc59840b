package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// sandboxExec is the program of macOS that applies a profile. It is not run by Forge's tests, which run on Linux.
const sandboxExec = "/usr/bin/sandbox-exec"

// policy is a profile of sandbox-exec for a command.
type policy struct {
	profile string
	own     string // a folder of the command's own, with home and tmp in it
	network bool
}

// toolchains are the parts of a HOME that programs are installed into, or that they download packages into. None holds credentials.
var toolchains = []string{
	"go/pkg/mod", "go/bin", "sdk", ".cargo/registry", ".cargo/git", ".cargo/bin", ".rustup", ".nvm", ".npm/_cacache", ".volta", ".asdf", ".deno", ".bun",
	".pyenv", ".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/share/mise", "Library/Caches/pip", "Library/Caches/ms-playwright",
}

// policyOf returns the profile of a jailed command, and prepares its private folders.
func policyOf(j *Jail, cmd *exec.Cmd, base []string) (*policy, error) {
	if _, err := os.Stat(sandboxExec); err != nil {
		return nil, &UnconfinedError{Reason: "this system has no " + sandboxExec}
	}
	own, err := os.MkdirTemp("", "forge-jail-")
	if err != nil {
		return nil, err
	}
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return nil, err
	}
	p := &policy{own: own, network: j.Network || j.Fetch}
	for _, name := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(own, name), 0o700); err != nil {
			p.remove()
			return nil, err
		}
	}
	home := lookup(base, "HOME")
	cache := filepath.Join(home, "Library", "Caches", "forge", "sandbox")
	_ = os.MkdirAll(cache, 0o700) // without a cache, tools build everything again
	write := append([]string{own, cache}, j.Write...)
	if j.Fetch {
		write = append(write, makeStores(base, home)...)
	}
	p.profile = p.rules(append(append(p.programs(cmd, base, home), j.Read...), j.Installed...), write)
	modules, cargo := stores(base, home)
	cmd.Args = append([]string{sandboxExec, "-p", p.profile, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sandboxExec
	cmd.Env = append(cmd.Env, "HOME="+filepath.Join(own, "home"), "TMPDIR="+filepath.Join(own, "tmp"),
		"GOCACHE="+filepath.Join(cache, "go-build"), "GOMODCACHE="+modules, "CARGO_HOME="+cargo,
		"RUSTUP_HOME="+cmp.Or(lookup(base, "RUSTUP_HOME"), filepath.Join(home, ".rustup")))
	return p, nil
}

// programs returns the folders of programs and packages.
func (*policy) programs(cmd *exec.Cmd, base []string, home string) (read []string) {
	for _, folder := range append(filepath.SplitList(lookup(base, "PATH")), filepath.Dir(cmd.Path)) {
		if filepath.IsAbs(folder) && folder != home {
			read = append(read, folder)
		}
	}
	for _, name := range toolchains {
		read = append(read, filepath.Join(home, name))
	}
	for _, name := range []string{"GOROOT", "RUSTUP_HOME", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"} {
		read = append(read, lookup(base, name))
	}
	modules, cargo := stores(base, home)
	return append(read, modules, filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"), filepath.Join(cargo, "bin"))
}

// rules returns the text of the profile: later rules take precedence.
func (p *policy) rules(read, write []string) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(deny file-read-data (subpath \"/Users\") (subpath \"/private/tmp\") (subpath \"/private/var/folders\") (subpath \"/Volumes\"))\n")
	for _, path := range realPaths(read) {
		fmt.Fprintf(&b, "(allow file-read* (subpath %s))\n", strconv.Quote(path))
	}
	for _, path := range realPaths(write) {
		fmt.Fprintf(&b, "(allow file-read* file-write* (subpath %s))\n", strconv.Quote(path))
	}
	b.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/dtracehelper\") (literal \"/dev/tty\"))\n")
	b.WriteString("(deny process-info* (target others))\n(deny signal (target others))\n(deny mach-priv-task-port)\n(deny appleevent-send)\n")
	if !p.network {
		b.WriteString("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n")
	}
	return b.String()
}

func (p *policy) remove() {
	if p != nil {
		_ = os.RemoveAll(p.own)
	}
}

func confinable() bool { return false } // the first command is the probe
