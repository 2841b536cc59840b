package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// store is a tool's folder for downloads or output: a cache, a target.
type store struct {
	variable string // contains its path
	inHome   string // its place in HOME if the variable is not set; empty for none
	below    string // the part that the tool fills by itself
	maker    string // a program that fails without it
}

// TMPDIR is included for a folder inside the user's workspace.
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

// stores returns those in guarded folders, which are spared. A missing one that the process could not create is created, if the
// program requires it.
func (f *fence) stores(cmd *exec.Cmd) (spared []string) {
	for _, s := range stores {
		path := s.in(cmd.Env)
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil && s.isMadeBy(cmd.Args[0]) && f.isClosed(existing(path)) {
			_ = os.MkdirAll(path, 0o700) // without it, the tool reports what is missing
		}
		for _, path := range realPaths([]string{path}) {
			if f.isGuarded(path) && !slices.Contains(f.guarded, path) {
				spared = append(spared, path)
			}
		}
	}
	return spared
}

// in returns the path of the store for a process, empty if unknown.
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

// isMadeBy reports whether a program, or a part of it ("cargo-clippy"), requires the store.
func (s store) isMadeBy(program string) bool {
	name, _, _ := strings.Cut(filepath.Base(program), "-")
	return name == s.maker
}

// makeTemp gives a process its own folder for temporary files if it could create none in the usual one, because the way to a
// guarded folder leads through it.
func (f *fence) makeTemp(cmd *exec.Cmd) {
	usual := lookup(cmd.Env, "TMPDIR")
	if usual == "" {
		usual = "/tmp"
	}
	real, err := filepath.EvalSymlinks(usual)
	if err != nil || len(f.leading(real)) == 0 && !slices.Contains(f.guarded, real) {
		return
	}
	if f.temp, err = os.MkdirTemp(real, "forge-"); err == nil { // on failure, the process reports it
		cmd.Env = append(cmd.Env, "TMPDIR="+f.temp)
	}
}

// isClosed reports whether nothing can be created in a folder: it is guarded, or on the way to a guarded one.
func (f *fence) isClosed(folder string) bool {
	return f.isGuarded(folder) || len(f.leading(folder)) > 0
}

// isGuarded reports whether a path is guarded, or beneath a guarded one.
func (f *fence) isGuarded(path string) bool {
	return slices.ContainsFunc(f.guarded, func(guarded string) bool {
		_, is := beneath(path, guarded)
		return is || path == guarded
	})
}

// existing returns the nearest existing folder above a path, without links.
func existing(path string) string {
	for ; path != "/"; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	return path
}
