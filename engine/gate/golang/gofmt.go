package golang

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// formatGate runs gofmt on every Go file that is written by hand: not on generated ones, nor on testdata and
// vendored code.
type formatGate struct{ reader }

// argLimit is how many bytes of file names one command gets; systems take some 100 kB and more.
const argLimit = 64 << 10

func newFormat(t tools) *formatGate {
	return &formatGate{reader{common{name: "gofmt", stage: gate.StageFormat, tools: t, limit: formatLimit}}}
}

// Preflight formats an empty input: gofmt has no version to ask for.
func (g *formatGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.Lacks(ctx, tree, "gofmt")
}

// Run compares the files with what gofmt makes of them. It writes nothing.
func (g *formatGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// Concerned is about files of Go.
func (*formatGate) Concerned(tree gate.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(file string) bool { return filepath.IsLocal(file) && path.Ext(file) == ".go" })
}

// RunIn looks at files that have changed: no other file is formatted in another way because of them.
func (g *formatGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name()}
	r := placesIn(tree, nil)
	files, err := goFiles(tree.Dir())
	if err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("the tree cannot be read: %v", err)
		return report
	}
	if !scope.All() {
		files = slices.DeleteFunc(files, func(file string) bool { return !slices.Contains(scope.Changed, file) })
	}
	var total sandbox.Result
	var output strings.Builder
	for _, batch := range batches(files) {
		result, done := g.tools.run(ctx, tree, &report, g.limit, append([]string{"gofmt", "-d"}, batch...)...)
		if done {
			report.Executed = 0
			return report
		}
		report.Findings = append(report.Findings, parseFormat(string(result.Stdout), string(result.Stderr), r)...)
		output.WriteString(report.Output)
		if result.ExitCode != 0 {
			total.ExitCode = result.ExitCode
		}
		total.Truncated = total.Truncated || result.Truncated
		report.Executed += len(batch)
	}
	report.Output = tool.Keep(output.String())
	broken := map[string]bool{}
	for _, f := range report.Findings {
		broken[f.Path] = true
	}
	report.Passed = max(0, report.Executed-len(broken))
	conclude(&report, total, fmt.Sprintf("%d of %s not formatted", len(broken), tool.Count(report.Executed, "file")),
		tool.Count(report.Executed, "file")+" formatted", "no Go files to format")
	return report
}

// batches cuts a list of files into argument lists, each name with a "./" so that none is an option.
func batches(files []string) [][]string {
	var all [][]string
	size := argLimit
	for _, file := range files {
		if size+len(file) > argLimit {
			all, size = append(all, nil), 0
		}
		last := len(all) - 1
		all[last] = append(all[last], "./"+file)
		size += len(file) + 3
	}
	return all
}

var (
	diffFile = lazyregexp.New(`^diff (.+)\.orig (.+)$`)
	diffHunk = lazyregexp.New(`^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@`)
)

// parseFormat reads gofmt -d: a finding at the first changed line of each hunk, and one for each syntax
// error on stderr.
func parseFormat(stdout, stderr string, r places) []gate.Finding {
	found := parseCompiler(stderr, r)
	for i := range found {
		found[i].Rule = ruleSyntax
	}
	file, line := "", 0 // line is 0 outside a hunk and once its place is known
	for text := range strings.Lines(stdout) {
		text = strings.TrimRight(text, "\r\n")
		if m := diffFile.FindStringSubmatch(text); m != nil && m[1] == m[2] {
			file, line = "", 0
			if rel, ok := r.Rel(m[1]); ok {
				file = rel
			}
		} else if m := diffHunk.FindStringSubmatch(text); m != nil && file != "" {
			line, _ = strconv.Atoi(m[1])
			line = max(line, 1) // 0 is an empty file
		} else if line > 0 && (strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")) {
			found = append(found, unformatted(file, line))
			line = 0
		} else if line > 0 {
			line++
		}
	}
	return found
}

func unformatted(file string, line int) gate.Finding {
	return gate.Finding{
		Path: file, Line: line, Severity: gate.SeverityError, Rule: ruleFormat,
		Message: "not as gofmt formats it; run gofmt -w " + file,
	}
}

// goFiles returns the Go files of a folder that go fmt would format and that were not generated, sorted. Symbolic
// links are not followed.
func goFiles(dir string) ([]string, error) {
	tree := os.DirFS(dir)
	var files []string
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && skipped(entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		ours, err := isOurs(tree, path)
		if ours {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// isOurs reports whether go fmt would format a path and the file was not generated.
func isOurs(tree fs.FS, file string) (bool, error) {
	folders := strings.Split(path.Dir(file), "/")
	if path.Ext(file) != ".go" || strings.HasPrefix(path.Base(file), ".") || folders[0] != "." && slices.ContainsFunc(folders, skipped) {
		return false, nil
	}
	generated, err := isGenerated(tree, file)
	return err == nil && !generated, err
}

// skipped reports whether the go command ignores a folder.
func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// generatedBy is the line that marks a generated file, as https://go.dev/s/generatedcode defines it.
var generatedBy = lazyregexp.New(`^// Code generated .* DO NOT EDIT\.$`)

// isGenerated looks for the mark before the package clause.
func isGenerated(tree fs.FS, path string) (bool, error) {
	file, err := tree.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		line := strings.TrimSuffix(scanner.Text(), "\r")
		if generatedBy.MatchString(line) {
			return true, nil
		}
		if strings.HasPrefix(line, "package ") {
			return false, nil
		}
	}
	return false, nil // a line too long for a head comment is no mark
}

// format has gofmt rewrite files, of those that the gate gofmt looks at. gofmt leaves a file that it cannot parse as it is, and
// without gofmt all stay so: the gates report that.
func (g *formatGate) format(ctx context.Context, tree gate.Tree, paths []string) error {
	var ours []string
	for _, p := range paths {
		if is, _ := isOurs(os.DirFS(tree.Dir()), p); is { // what cannot be read stays as it is
			ours = append(ours, p)
		}
	}
	for _, batch := range batches(ours) {
		report := gate.Report{Gate: g.Name()}
		g.tools.run(ctx, tree, &report, g.limit, append([]string{"gofmt", "-w"}, batch...)...)
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("format Go files: %w", err)
		}
	}
	return nil
}
