package golang

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// The rules of findings that are not an analyzer's.
const (
	ruleCompile = "compile" // the compiler, the linker, or a package that cannot be loaded
	ruleModule  = "module"  // go.mod, go.sum or go.work
	ruleFormat  = "gofmt"
	ruleSyntax  = "syntax"
	ruleTest    = "test"
)

var located = lazyregexp.New(`^(?:vet: )?(\S.*?\.(?:go|s|S|c|cc|cpp|cxx|m|h|hh|hpp|mod|sum|work)):(\d+)(?::(\d+))?: (.*)$`)

// chatter are lines the go command prints that are about its own work.
var chatter = lazyregexp.New(`^go: (downloading|finding|extracting|found|added|upgraded|warning:|writing)|^too many errors$|^note: |^no packages to |^exit status \d+$`)

// parseCompiler reads what the go command and the compilers print. A place starts a finding; lines that
// are indented belong to the one above; a line below a "# package" heading is a finding of that package.
// Other lines are left out: the caller knows from the exit code that it is missing something. Every finding has a place.
func parseCompiler(output string, r places) []gate.Finding {
	var found []gate.Finding
	heading, open := "", false
	for line := range strings.Lines(native(output, r)) {
		line = strings.TrimRight(line, "\n")
		switch m := located.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "# "):
			heading, open = strings.Fields(line + " ?")[1], false
		case m != nil:
			found, open = append(found, r.inPackage(heading, place(m, r))), true
		case open && (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")):
			if last := &found[len(found)-1]; len(last.Message) < tool.MaxMessage {
				last.Message += "\n" + r.Inert(strings.TrimSpace(line))
			}
		case strings.TrimSpace(line) == "" || chatter.MatchString(line) || strings.HasPrefix(line, "go: errors parsing"):
			open = false
		case strings.HasPrefix(line, "go: "):
			found, open = append(found, unplaced(ruleModule, strings.TrimPrefix(line, "go: "), r)), true
		case strings.HasPrefix(line, "package "):
			found, open = append(found, unplaced(ruleCompile, line, r)), true
		case heading != "":
			found, open = append(found, r.inPackage(heading, unplaced(ruleCompile, line, r))), true
		default:
			open = false
		}
	}
	return r.locate(distinct(found))
}

// place makes a finding of a matched line. A file outside the tree stays in the message.
func place(m []string, r places) gate.Finding {
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

func unplaced(rule, message string, r places) gate.Finding {
	return gate.Finding{Severity: gate.SeverityError, Rule: rule, Message: r.Inert(message)}
}

// inPackage places a finding that has no place where the code of a package begins.
func (r places) inPackage(pkg string, f gate.Finding) gate.Finding {
	if f.Path != "" {
		return f
	}
	at := r.of(pkg)
	f.Path, f.Line, f.Inferred = at.Path, at.Line, at.Path != ""
	return f
}

// distinct removes duplicates: the go command repeats the errors of a package for its tests.
func distinct(found []gate.Finding) []gate.Finding {
	seen := map[gate.Finding]bool{}
	return slices.DeleteFunc(found, func(f gate.Finding) bool {
		was := seen[f]
		seen[f] = true
		return was
	})
}

var (
	// ofC matches a message of a C compiler: a path relative to the package, or a file of cgo, and the severity.
	ofC = lazyregexp.New(`^(\S.*?):(\d+(?::\d+)?): (error|fatal error|warning|note): `)
	// aroundC are lines with which it leads to a message, or sums up, and warnings of a program, such as a linker, that name no line.
	aroundC = lazyregexp.New(`^(In file included from |\s+from )|: ([Ii]n function|In member function|At top level)\b|^compilation terminated\.$|^\d+ .*generated\.$|^(?:\S+: )+(?:warning|NOTE): `)
	// linking is how a linker's output begins, and linked the command that it was started with.
	linking = lazyregexp.New(`^\S*\b(link: running .+ failed: .*)$`)
	linked  = lazyregexp.New(`\s-o \$WORK/`)
	// made matches temporary build files, whose names differ each time.
	made = lazyregexp.New(`[^\s:]*/go-(?:build|link-)\d*/`)
)

// native converts the messages of C compilers and linkers below a package's heading to the form of the Go compiler: an error is a
// line with a place, and what belongs to it is indented. What only warns is left out.
func native(output string, r places) string {
	var text strings.Builder
	var n nativeReader
	for line := range strings.Lines(output) {
		if line, kept := n.read(strings.TrimRight(line, "\r\n"), r); kept {
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

// nativeReader knows what the next line belongs to.
type nativeReader struct {
	dir   string // of the package that the messages are about
	inC   bool   // the line belongs to the last message of a C compiler's
	link  bool   // the line is a linker's
	error bool   // that message is kept
}

func (n *nativeReader) read(line string, r places) (text string, kept bool) {
	m, linker := ofC.FindStringSubmatch(line), linking.FindStringSubmatch(line)
	switch {
	case strings.HasPrefix(line, "# "):
		*n = nativeReader{}
		n.dir, _ = r.dir(strings.Fields(line + " ?")[1])
		return line, true
	case linker != nil:
		n.link = true
		return linker[1], true
	case n.link:
		return "\t" + made.ReplaceAllString(line, ""), strings.TrimSpace(line) != "" && !linked.MatchString(line)
	case m != nil && m[3] == "note":
		return "\t" + line, n.error
	case m != nil:
		n.inC, n.error = true, m[3] != "warning"
		return r.fromPackage(n.dir, m[1]) + strings.TrimPrefix(line, m[1]), n.error
	case aroundC.MatchString(line):
		return "", false
	case n.inC && !located.MatchString(line):
		return "\t" + line, n.error
	}
	n.inC = false
	return line, true
}

// fromPackage returns a file that is named relative to the folder of a package, if it exists.
func (r places) fromPackage(dir, file string) string {
	if path.IsAbs(file) || filepath.IsAbs(file) {
		return file
	}
	if inside := path.Join(dir, filepath.ToSlash(file)); filepath.IsLocal(inside) && r.sources.Read(inside) != nil {
		return inside
	}
	return file
}
