package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// store is where a tool keeps what it downloads or makes: a cache, a target.
type store struct {
	variable string // names it
	inHome   string // where it is, in HOME, when the variable is not set; empty is nowhere
	below    string // the part of it that the tool fills by itself
	maker    string // the program that does not work unless it is there
}

// TMPDIR is among them for a folder that the user has put into their workspace.
var stores = []store{
	{variable: "XDG_CACHE_HOME", inHome: ".cache", maker: "go"},
	{variable: "GOCACHE", maker: "go"},
	{variable: "GOMODCACHE", maker: "go"},
	{variable: "GOPATH", inHome: "go", below: "pkg", maker: "go"},
	{variable: "CARGO_HOME", inHome: ".cargo", maker: "cargo"},
	{variable: "CARGO_TARGET_DIR", maker: "cargo"},
	{variable: "RUSTUP_HOME", inHome: ".rustup"},
	{inHome: ".npm", maker: "npm"},
	{variable: "TMPDIR"},
}

// stores returns those that lie in a guarded folder: they are spared. One that is missing where the process could not make it is made, if it is
// that program which would.
func (f *fence) stores(cmd *exec.Cmd) (spared []string) {
	for _, s := range stores {
		path := s.in(cmd.Env)
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil && s.isMadeBy(cmd.Args[0]) && f.isClosed(existing(path)) {
			_ = os.MkdirAll(path, 0o700) // without it, the tool says what it misses
		}
		for _, path := range realPaths([]string{path}) {
			if f.isGuarded(path) && !slices.Contains(f.guarded, path) {
				spared = append(spared, path)
			}
		}
	}
	return spared
}

// in is where the store is for a process, empty where that is not known.
func (s store) in(env []string) string {
	path := lookup(env, s.variable)
	if path == "" && s.inHome != "" {
		path = filepath.Join(lookup(env, "HOME"), s.inHome)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Join(path, s.below)
}

// isMadeBy reports whether a program, or a part of it ("cargo-clippy"), does not work unless the store is there.
func (s store) isMadeBy(program string) bool {
	name, _, _ := strings.Cut(filepath.Base(program), "-")
	return name == s.maker
}

// makeTemp returns a process a folder of its own for temporary files where it could make none in the usual one, because the way to a guarded
// folder goes through it.
func (f *fence) makeTemp(cmd *exec.Cmd) {
	usual := lookup(cmd.Env, "TMPDIR")
	if usual == "" {
		usual = "/tmp"
	}
	real, err := filepath.EvalSymlinks(usual)
	if err != nil || len(f.leading(real)) == 0 && !slices.Contains(f.guarded, real) {
		return
	}
	if f.temp, err = os.MkdirTemp(real, "forge-"); err == nil { // where nobody can make one, the process says so
		cmd.Env = append(cmd.Env, "TMPDIR="+f.temp)
	}
}

// isClosed reports whether nothing can be made in a folder: it is guarded, or on the way to one that is.
func (f *fence) isClosed(folder string) bool {
	return f.isGuarded(folder) || len(f.leading(folder)) > 0
}

// isGuarded reports whether a path is guarded, or lies beneath what is.
func (f *fence) isGuarded(path string) bool {
	return slices.ContainsFunc(f.guarded, func(guarded string) bool {
		_, is := beneath(path, guarded)
		return is || path == guarded
	})
}

// existing returns the folder that is there of those above a path, without links.
func existing(path string) string {
	for ; path != "/"; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	return path
}
