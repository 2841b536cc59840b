package tool

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// RefusesCommand says, for the model, why a program may not be started with these arguments; empty is that it may. What begins as a
// command of the user's does may be started, and all that they did not write themselves stays in the tree by its looks: no argument
// names an absolute path, and none climbs with "..".
func (g Grants) RefusesCommand(argv []string) string {
	if len(g.Commands) == 0 {
		return "commands are switched off: the user's settings name none in tools.commands. Use run_tests and the other tools"
	}
	if len(argv) == 0 {
		return ""
	}
	allowed := g.Begins(argv)
	if allowed == 0 {
		return fmt.Sprintf("%s is not among the commands that the user allows (tools.commands in their settings): %s. Use one of those, or go on without",
			line(argv), g.commands())
	}
	for _, argument := range argv[allowed:] {
		if leaves(argument) {
			return fmt.Sprintf("%s leads out of the tree, or may: name paths below the top of the folder. What tools.commands in the user's settings names itself may lead anywhere", line([]string{argument}))
		}
	}
	return ""
}

// Begins is how many of the first arguments are a command of the user's; 0 is that it is none.
func (g Grants) Begins(argv []string) (longest int) {
	for _, begins := range g.Commands {
		if n := len(begins); n > longest && n <= len(argv) && slices.Equal(begins, argv[:n]) {
			longest = n
		}
	}
	return longest
}

// commands lists the allowed commands, for models and users.
func (g Grants) commands() string {
	lines := make([]string, len(g.Commands))
	for i, argv := range g.Commands {
		lines[i] = line(argv)
	}
	return strings.Join(lines, "; ")
}

// line returns an argument list on one line, in a form that is not mistaken for a shell command.
func line(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = a
		if !plainWord.MatchString(a) {
			quoted[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(quoted, " ")
}

var (
	plainWord = lazyregexp.New(`^[\w@%+=:,./*-]+$`)
	// drive is how absolute paths of Windows begin.
	drive = lazyregexp.New(`^[A-Za-z]:[/\\]`)
	// between separates a path from the text before it in an argument, as in --out=/tmp, @/etc/passwd, a:/b, file:///c.
	between = lazyregexp.New(`[=:,;@'"\s]`)
)

// leaves reports whether an argument may name something outside of the tree: a program may take any part of it for a path.
func leaves(argument string) bool {
	if drive.MatchString(argument) || climbs(argument) {
		return true
	}
	return slices.ContainsFunc(Parts(argument), func(part string) bool {
		return strings.HasPrefix(part, "~") || path.IsAbs(part) || drive.MatchString(part) || climbs(part)
	})
}

func climbs(part string) bool {
	return slices.Contains(strings.FieldsFunc(part, func(r rune) bool { return r == '/' || r == '\\' }), "..") || strings.HasPrefix(part, `\`)
}

// Parts are the parts of an argument that a program may take for a path: all of it, what stands behind a sign such as "=", and what
// stands behind an option of one letter (-I../x).
func Parts(argument string) []string {
	parts := append([]string{argument}, between.Split(argument, -1)...)
	if len(argument) > 2 && argument[0] == '-' {
		parts = append(parts, argument[2:])
	}
	return parts
}
