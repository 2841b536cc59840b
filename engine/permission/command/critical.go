// Package command finds commands that no model may start: those that destroy or publish what cannot be taken back, read secrets,
// change the machine, or hide what they do.
//
//	argv ──► wrappers (env, nice, xargs, find -exec …) removed ──► rule of the program ──► why it is critical, or nothing
//	                 └ sh -c "…": parsed by mvdan.cc/sh, each simple command of it the same way
//
// Invariant: doubt is critical. A line that cannot be parsed, or a program whose name is computed, is never let through.
//
// It is a second lock and no proof: that a command is not found here allows nothing (engine/permission asks the user, and
// engine/sandbox confines it).
package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"forge/internal/lazyregexp"
)

// Critical returns why a program may not be started with these arguments, as a clause for users; empty means that nothing is
// known against it. There is no shell: the arguments are literal.
func Critical(argv []string) string {
	return call{argv: argv}.critical(0)
}

// CriticalLine is Critical for a line, or a script, that a POSIX shell or bash would interpret.
func CriticalLine(script string) string { return criticalScript(script, 0) }

// maxDepth limits how deep commands may contain commands.
const maxDepth = 12

// unknown stands in a word for what only the shell would know: the value of a variable, the output of a command.
const unknown = "\x00"

// call is a program that is started.
type call struct {
	argv  []string
	input string // how its standard input is set: "", "pipe", or "text"
	text  string // of the input, if it is "text"
}

// critical judges a call, and what it starts in turn.
func (c call) critical(depth int) string {
	if depth > maxDepth {
		return "contains commands in commands, too deep to be judged"
	}
	if len(c.argv) == 0 || strings.TrimSpace(c.argv[0]) == "" {
		return "names no program"
	}
	if strings.ContainsAny(c.argv[0], unknown+"*?[{`$") {
		return "starts a program whose name is computed"
	}
	name := programName(c.argv[0])
	if inner, wraps := unwrap(name, c.argv[1:]); wraps {
		return c.within(name, inner, depth)
	}
	if reason := secretIn(c.argv[1:]); reason != "" {
		return reason
	}
	if reason := shellCall(name, c, depth); reason != "" {
		return reason
	}
	if reason := codeCall(name, c); reason != "" {
		return reason
	}
	if rule, has := rules()[name]; has {
		return rule(args{name: name, list: c.argv[1:], depth: depth})
	}
	if strings.HasPrefix(name, "mkfs") {
		return "formats a disk"
	}
	return ""
}

// within judges what a wrapper starts.
func (c call) within(name string, inner [][]string, depth int) string {
	if reason := secretIn(c.argv[1:]); reason != "" {
		return reason
	}
	for _, argv := range inner {
		if len(argv) == 0 {
			if name == "busybox" || name == "xargs" || name == "env" || name == "time" || name == "command" || name == "exec" {
				continue // it starts nothing dangerous alone
			}
			return "starts a program that it does not name"
		}
		reason := call{argv: argv, input: c.input, text: c.text}.critical(depth + 1)
		if reason != "" {
			return reason
		}
		if name == "xargs" || name == "parallel" {
			if reason := fedBy(argv); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// fedBy judges a program that gets more arguments from its input.
func fedBy(argv []string) string {
	a := args{name: programName(argv[0]), list: argv[1:]}
	switch {
	case a.name == "rm" && a.any("-r", "-R", "-rf", "-fr", "--recursive", "-Rf", "-rfv", "-rv"), a.name == "kill", a.name == "git" && a.has("rm"),
		a.name == "shred", a.name == "chmod" && a.any("-R"), shells[a.name], interpreters[a.name] && len(a.plain()) == 0:
		return "applies " + a.name + " to whatever its input names"
	}
	return ""
}

// programName is the name of a program without its folder, its extension and its version: /usr/bin/python3.11 is python.
func programName(program string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	for _, extension := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	if versioned.MatchString(name) {
		name = strings.TrimRight(name, "0123456789.-")
	}
	return name
}

var versioned = lazyregexp.New(`^(python|pip|perl|ruby|node|php|lua|bash|gcc|g\+\+|clang)[\d.-]+$`)

// parse reads a script; a failure is doubt.
func parse(script string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
}
