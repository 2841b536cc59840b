package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// confiner is the program of macOS that executes another one by a profile. Apple calls it deprecated; browsers and other agents use it,
// and there is no other way without an app of one's own.
const confiner = "/usr/bin/sandbox-exec"

// box makes a command execute in a profile: it writes its tree, the caches of tools and temporary files, reads nothing of the user's but
// tools, and has no network but this machine's.
func box(c Command, cmd *exec.Cmd) confined {
	if _, err := os.Stat(confiner); err != nil {
		return confined{layers: Layers{Missing: "sandbox-exec is missing"}}
	}
	temp, remove, err := privateFolder()
	if err != nil {
		return confined{layers: Layers{Missing: err.Error()}}
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	cmd.Args = append([]string{confiner, "-p", profile(c, lookup(cmd.Env, "HOME"), temp), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = confiner
	layers := Layers{Files: "sandbox-exec"}
	if !c.Box.Network {
		layers.Network = "sandbox-exec"
	}
	return confined{layers: layers, remove: remove}
}

// toolsOfHome are folders of HOME that can be read: tools, their settings and their caches.
var toolsOfHome = []string{
	"go", ".cargo", ".rustup", ".nvm", ".fnm", ".volta", ".bun", ".deno", ".pyenv", ".rbenv", ".asdf", ".mise", ".npm", ".cache", "Library/Caches", "Library/pnpm", ".local/bin", ".local/lib",
	".local/share/uv", ".local/share/mise", ".local/share/virtualenvs", "miniconda3", "miniforge3", "anaconda3", ".gitconfig", ".config/go",
}

// cachesOfHome are those that can be written.
var cachesOfHome = []string{"Library/Caches/go-build", ".cache", "Library/Caches/pip", "Library/Caches/node-gyp"}

// profile returns the profile of a command, in the language of sandbox-exec; later rules win.
func profile(c Command, home, temp string) string {
	var p strings.Builder
	rule := func(verdict, what string, paths ...string) {
		fmt.Fprintf(&p, "(%s %s", verdict, what)
		for _, path := range paths {
			fmt.Fprintf(&p, " (subpath %s)", quoteProfile(path))
		}
		p.WriteString(")\n")
	}
	p.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	inHome := func(names []string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(home, name))
		}
		return paths
	}
	if home != "" {
		rule("deny", "file-read-data", home)
		rule("allow", "file-read-data", inHome(toolsOfHome)...)
		rule("deny", "file-read-data", inHome([]string{".cargo/credentials.toml", ".cargo/credentials"})...)
		rule("allow", "file-write*", inHome(cachesOfHome)...)
	}
	for _, folder := range c.Box.Readable {
		rule("allow", "file-read-data", folder)
		fmt.Fprintf(&p, "(deny file-read-data (regex #\"^%s/(.*/)?[.]env[^/]*$\"))\n", strings.ReplaceAll(folder, `"`, ""))
	}
	if c.Box.Caches != "" {
		rule("deny", "file-read-data", filepath.Dir(c.Box.Caches))
	}
	own := append([]string{c.Box.Tree, temp}, c.Spared...)
	rule("allow", "file-read-data", own...)
	rule("allow", "file-write*", own...)
	p.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/fd/\"))\n")
	p.WriteString("(deny process-info* (target others))\n(deny signal (target others))\n")
	if !c.Box.Network {
		p.WriteString("(deny network*)\n(allow network* (local ip \"localhost:*\") (remote ip \"localhost:*\"))\n(allow network* (local unix-socket))\n")
	}
	return p.String()
}

// quoteProfile writes a path as a string of a profile.
func quoteProfile(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
