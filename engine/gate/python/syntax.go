package python

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// syntaxGate compiles every file, and runs none.
type syntaxGate struct{ check }

// Run compiles the files with the project's own Python.
func (g *syntaxGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn compiles those that have changed: no other file is compiled in another way because of them.
func (g *syntaxGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name()}
	files, err := sources(tree.Dir())
	if err != nil {
		return refuse(report, err)
	}
	if !scope.All() {
		files = slices.DeleteFunc(files, func(file string) bool { return !slices.Contains(scope.Changed, file) })
	}
	if len(files) == 0 {
		report.Empty, report.Summary = true, "no Python files to compile"
		return report
	}
	outside, remove, err := scratch()
	if err != nil {
		return refuse(report, err)
	}
	defer remove()
	ctx = tool.Sharing(ctx, outside)
	list := filepath.Join(outside, "files")
	if err := os.WriteFile(list, []byte("./"+strings.Join(files, "\n./")+"\n"), 0o600); err != nil {
		return refuse(report, err)
	}
	// -I: neither a compileall.py nor a py_compile.py of the tree is taken for the library's.
	p := inspect(tree)
	result, done := g.tools.run(ctx, p, &report, attempt{tool: interpreter(), limit: g.limit, argv: []string{
		p.program(interpreter()), "-I", "-X", "utf8", "-X", "pycache_prefix=" + outside, "-m", "compileall", "-f", "-i", list,
	}})
	if done {
		return report
	}
	report.Findings, report.Executed = parseCompile(string(result.Stdout), testrun.PlacesIn(tree))
	report.Passed = clean(report.Executed, report.Findings)
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%d of %s cannot be compiled", report.Executed-report.Passed, tool.Count(report.Executed, "file")),
		Passed:  tool.Count(report.Executed, "file") + " compiled",
		Nothing: "no Python files were compiled",
	})
	return report
}

var (
	compiling = lazyregexp.New(`^Compiling ['"](.*)['"]\.\.\.$`)
	errorAt   = lazyregexp.New(`^\*\*\*   File "(.*)", line (\d+)$`)
	errorSays = lazyregexp.New(`^\*\*\* (?:Sorry: )?((\w+): .*)$`)
	namesLine = lazyregexp.New(` \(([^()]*), line (\d+)\)$`)
	errorKind = lazyregexp.New(`^\w*(?:Error|Warning|Exception): `)
)

// parseCompile reads the output of compileall: the files that it compiles, and below each its error.
func parseCompile(stdout string, p testrun.Places) (found []gate.Finding, executed int) {
	lines := strings.Split(strings.ReplaceAll(stdout, "\r\n", "\n"), "\n")
	file := ""
	for i, line := range lines {
		if m := compiling.FindStringSubmatch(line); m != nil {
			file = m[1]
			executed++
		} else if m := errorAt.FindStringSubmatch(line); m != nil {
			found = append(found, compileError(p, m[1], m[2], lines[i+1:]))
		} else if m := errorSays.FindStringSubmatch(line); m != nil {
			at, message := 0, m[1]
			if in := namesLine.FindStringSubmatchIndex(message); in != nil {
				at, _ = strconv.Atoi(message[in[4]:in[5]])
				message = message[:in[0]]
			}
			found = append(found, p.At(file, at, 0, testrun.RuleSyntax, message))
		}
	}
	return p.Locate(found), executed
}

// compileError reads the lines below a place: the line of the file without its indentation, a mark below it, and the message.
func compileError(p testrun.Places, file, number string, below []string) gate.Finding {
	shown, caret, message := "", -1, "it cannot be compiled"
	for i, line := range below {
		if errorKind.MatchString(line) {
			message = line
			break
		}
		if compiling.MatchString(line) || i > 5 {
			break
		}
		if mark := strings.TrimLeft(line, " "); shown != "" && strings.HasPrefix(mark, "^") && caret < 0 {
			caret = len(line) - len(mark)
		} else if caret < 0 {
			shown = line
		}
	}
	at, _ := strconv.Atoi(number)
	f := p.At(file, at, 0, testrun.RuleSyntax, message)
	if caret >= 0 && f.Line > 0 {
		// Some versions of Python put the mark of a line that is not all ASCII too far to the right.
		shown = strings.TrimPrefix(shown, "    ")
		f.Column = indent(p, f.Path, f.Line) + min(bytesOf(shown, caret-4), len(shown)) + 1
	}
	return f
}

// indent is how many bytes of a line are white space before anything else.
func indent(p testrun.Places, path string, n int) int {
	if p.Line == nil {
		return 0
	}
	text, _ := p.Line(path, n)
	return len(text) - len(strings.TrimLeft(text, " \t\f"))
}

// bytesOf is the length in bytes of the first n characters of a text.
func bytesOf(text string, n int) int {
	bytes := 0
	for _, r := range text {
		if n <= 0 {
			return bytes
		}
		n--
		bytes += len(string(r))
	}
	return bytes + max(0, n)
}
