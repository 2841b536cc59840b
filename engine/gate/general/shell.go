package general

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// The names of the gates, and their time limits.
const (
	nameSyntax = "sh -n"
	nameCheck  = "shellcheck"
	limit      = 2 * time.Minute
)

// ShellLanguage returns the language of shell scripts. It has no tests: a project of scripts alone is checked, and nothing
// in it is seen red. env ("NAME=value") is added to the environment that the runner gives to processes.
func ShellLanguage(runner sandbox.Runner, env ...string) gate.Language {
	syntax := &syntaxGate{tools: tool.Tools{Runner: runner, Env: env}}
	check := &checkGate{tools: tool.Tools{Runner: runner, Env: env, Install: "https://www.shellcheck.net"}}
	return gate.Language{
		Name: "shell", Mark: "*.sh", Roots: roots, Gates: []gate.Gate{syntax, check}, Overlap: true,
		Select: func(ctx context.Context, t gate.Tree) []string {
			if configured(t) || check.there(ctx, t) {
				return []string{nameSyntax, nameCheck}
			}
			return []string{nameSyntax}
		},
		IsTest: func(string) bool { return false },
		Red: func(gate.Report, gate.Report) (bool, string) {
			return false, "shell scripts have no tests that Forge knows"
		},
	}
}

// roots returns the root of a tree with a script.
func roots(paths []string, read func(string) ([]byte, error)) []string {
	for _, p := range paths {
		if aside(path.Dir(p)) {
			continue
		}
		if named(p) {
			return []string{""}
		}
		if mayNameShell(p) {
			if text, err := read(p); err == nil && shellOf(p, text) != "" {
				return []string{""}
			}
		}
	}
	return nil
}

// named reports whether a file name is that of a script.
func named(p string) bool { return path.Ext(p) == ".sh" || path.Ext(p) == ".bash" }

// mayNameShell reports whether the first line of a file must be read: only if its name has no other ending.
func mayNameShell(p string) bool {
	base := path.Base(p)
	return !strings.Contains(strings.TrimPrefix(base, "."), ".")
}

// aside reports whether a folder contains foreign files, or test data.
func aside(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool {
		return slices.Contains([]string{"node_modules", "vendor", "target", "testdata", "third_party"}, name) || strings.HasPrefix(name, ".") && name != "." && name != ".github"
	})
}

// maxHead is how much of a file is read for its shell, in bytes: a licence may precede it.
const maxHead = 4 << 10

// shellOf returns the shell of a script: the one in its first line, else the one that a directive of shellcheck names in its first comments, as sourced
// files have it, or sh. Empty means no script, or an unknown shell.
func shellOf(p string, text []byte) string {
	head := string(text[:min(len(text), maxHead)])
	first, _, _ := strings.Cut(head, "\n")
	if command, is := strings.CutPrefix(first, "#!"); is {
		words := strings.Fields(command)
		if len(words) > 1 && path.Base(words[0]) == "env" {
			words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") || strings.Contains(w, "=") })
		}
		if len(words) == 0 {
			return ""
		}
		return known(path.Base(words[0]))
	}
	if shell, is := directed(head); is {
		return known(shell)
	}
	switch path.Ext(p) {
	case ".bash":
		return "bash"
	case ".sh":
		return "sh"
	}
	return ""
}

// known returns a shell if its scripts can be checked, otherwise "".
func known(shell string) string {
	if slices.Contains([]string{"sh", "bash", "dash"}, shell) {
		return shell
	}
	return ""
}

// directed returns the shell that a directive names in the comments at the beginning of a text.
// See https://github.com/koalaman/shellcheck/wiki/Directive.
func directed(text string) (shell string, is bool) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			break
		}
		words = strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "#"))
		if len(words) == 0 || words[0] != "shellcheck" {
			continue
		}
		for _, word := range words[1:] {
			if shell, is = strings.CutPrefix(word, "shell="); is {
				return shell, true
			}
		}
	}
	return "", false
}
