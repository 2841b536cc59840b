package golang

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// The rules of findings that are not an analyzer's.
const (
	ruleCompile = "compile" // the compiler, the linker, or a package that cannot be loaded
	ruleModule  = "module"  // go.mod, go.sum or go.work
	ruleFormat  = "gofmt"
	ruleSyntax  = "syntax"
	ruleTest    = "test"
)

var located = regexp.MustCompile(`^(?:vet: )?(\S.*?\.(?:go|s|S|c|cc|h|mod|sum|work)):(\d+)(?::(\d+))?: (.*)$`)

// chatter are lines the go command prints that are about its own work.
var chatter = regexp.MustCompile(`^go: (downloading|finding|extracting|found|added|upgraded|warning:|writing)|^too many errors$|^note: |^no packages to |^exit status \d+$`)

// parseCompiler reads what the go command and the compilers print. A place starts a finding; lines that
// are indented belong to the one above; a line below a "# package" heading is a finding without a place.
// What is neither is left out: the caller knows from the exit code that it is missing something.
func parseCompiler(output string, r tool.Root) []gate.Finding {
	var found []gate.Finding
	heading, open := false, false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch m := located.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "# "):
			heading, open = true, false
		case m != nil:
			found, open = append(found, place(m, r)), true
		case open && (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")):
			if last := &found[len(found)-1]; len(last.Message) < tool.MaxMessage {
				last.Message += "\n" + r.Inert(strings.TrimSpace(line))
			}
		case strings.TrimSpace(line) == "" || chatter.MatchString(line) || strings.HasPrefix(line, "go: errors parsing"):
			open = false
		case strings.HasPrefix(line, "go: "):
			found, open = append(found, unplaced(ruleModule, strings.TrimPrefix(line, "go: "), r)), true
		case heading || strings.HasPrefix(line, "package "):
			found, open = append(found, unplaced(ruleCompile, line, r)), true
		default:
			open = false
		}
	}
	return distinct(found)
}

// place makes a finding of a matched line. A file outside the tree stays in the message.
func place(m []string, r tool.Root) gate.Finding {
	path, ok := r.Rel(m[1])
	if !ok {
		return unplaced(ruleCompile, m[0], r)
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	rule := ruleCompile
	if !strings.HasSuffix(path, ".go") && strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], "go.") {
		rule = ruleModule
	}
	return gate.Finding{
		Path: path, Line: line, Column: column, Severity: gate.SeverityError, Rule: rule, Message: r.Inert(m[4]),
	}
}

func unplaced(rule, message string, r tool.Root) gate.Finding {
	return gate.Finding{Severity: gate.SeverityError, Rule: rule, Message: r.Inert(message)}
}

// distinct leaves out what is said twice: the go command repeats the errors of a package for its tests.
func distinct(found []gate.Finding) []gate.Finding {
	seen := map[gate.Finding]bool{}
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		was := seen[f]
		seen[f] = true
		return was
	})
}
