package plan

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/permission"
	"forge/internal/lazyregexp"
)

// Command is an entry of "verify" that is a command: it is run on the tree of the finished part.
type Command struct {
	Line    string   // as the plan has it, without its mark
	Argv    []string // the program and its arguments; nil if the line needs a shell
	Trouble string   // why no run starts it, as a clause; empty if a run may
	Of      string   // the divided part that it verifies; empty for a command of a part that is whole
}

// commandMark begins an entry of "verify" that is a command.
const commandMark = "$ "

// CommandIn returns the command that an entry of "verify" is. An entry is one if it begins with "$ " or is in backticks. Any other is
// one if it has the form of a command: a known program, followed by options, paths or the name of a step, and no words of a sentence.
func CommandIn(entry string) (c Command, is bool) {
	line := strings.TrimSpace(entry)
	unmarked, marked := strings.CutPrefix(line, commandMark)
	switch n := len(line); {
	case marked:
		line = strings.TrimSpace(unmarked)
	case n > 2 && line[0] == '`' && line[n-1] == '`' && !strings.Contains(line[1:n-1], "`"):
		line = strings.TrimSpace(line[1 : n-1])
	case !formed(line):
		return c, false
	}
	c.Line = line
	argv, err := permission.Argv(line)
	if err != nil {
		c.Trouble = err.Error()
		return c, true
	}
	c.Argv = argv
	if found := permission.Judge(argv); found.Class == permission.Critical {
		c.Trouble = "it " + found.Reason
	}
	return c, true
}

var (
	programmed = lazyregexp.New(`^(\./)?[a-z][a-z0-9_./-]+$`)
	argument   = lazyregexp.New(`^(-.*|.*/.*|\.|[\w-]+\.[a-z]{1,4}|test|tests|build|check|lint|vet|fmt|run|verify|clippy)$`)
	sentence   = lazyregexp.New(`(?i)(^|\s)(the|an?|is|are|that|and|of|when|must|with|each|every|to|be|not|its?|if|which|should|does|do|has|have)(\s|$)`)
)

// formed reports whether a line without a mark has the form of a command.
func formed(line string) bool {
	words := strings.Fields(line)
	switch {
	case len(words) == 0 || strings.Contains(line, "\n") || !programmed.MatchString(words[0]) || sentence.MatchString(line):
		return false
	case strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "...") && !strings.HasSuffix(line, " ."):
		return false
	case !permission.KnowsProgram(words[0]) && !strings.HasPrefix(words[0], "./"):
		return false
	}
	return len(words) == 1 || slices.ContainsFunc(words[1:], argument.MatchString)
}

// Commands returns the commands that verify a part, in the order of the plan.
func (part Part) Commands() (all []Command) {
	for _, entry := range part.Verify {
		if c, is := CommandIn(entry); is {
			all = append(all, c)
		}
	}
	return all
}

// Undivided takes the commands off parts that FanOut divides: no piece of a part passes them alone, and the whole must.
func Undivided(p Plan) (left Plan, commands []Command) {
	left.Parts = slices.Clone(p.Parts)
	for i, part := range left.Parts {
		if len(part.SubTasks) < 2 {
			continue
		}
		for _, c := range part.Commands() {
			c.Of = part.ID
			commands = append(commands, c)
		}
		left.Parts[i].Verify = slices.DeleteFunc(slices.Clone(part.Verify), func(entry string) bool {
			_, is := CommandIn(entry)
			return is
		})
	}
	return left, commands
}

// StillOf returns the commands of divided parts of which a piece is among these parts: a revised plan may have replaced the others.
func StillOf(commands []Command, parts []Part) []Command {
	return slices.DeleteFunc(slices.Clone(commands), func(c Command) bool {
		return !slices.ContainsFunc(parts, func(p Part) bool { return strings.HasPrefix(p.ID, c.Of+".") })
	})
}

// Shown returns what verifies a part, for users.
func (part Part) Shown() (entries []string) {
	for _, entry := range part.Verify {
		entries = append(entries, shown(entry))
	}
	return entries
}

// shown returns an entry of "verify" for users: what is run, or what is to be shown.
func shown(entry string) string {
	c, is := CommandIn(entry)
	switch {
	case !is:
		return strings.TrimSpace(entry)
	case c.Trouble != "":
		return fmt.Sprintf("`%s`, which is not run: %s", c.Line, c.Trouble)
	}
	return fmt.Sprintf("runs `%s`", c.Line)
}
