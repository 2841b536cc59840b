package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
)

type testArgs struct {
	Path string `json:"path,omitempty" jsonschema:"only failures below it are reported"`
}

func runTests(ctx context.Context, w World, a testArgs) (Result, error) {
	return w.check(ctx, Tests, "tests", func(f gate.Finding) bool { return f.Path == "" || below(a.Path, f.Path) })
}

type lintArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"only findings in these files are reported"`
}

func lintCheck(ctx context.Context, w World, a lintArgs) (Result, error) {
	return w.check(ctx, Lint, "linters", func(f gate.Finding) bool {
		return len(a.Paths) == 0 || slices.ContainsFunc(a.Paths, func(p string) bool { return below(p, f.Path) })
	})
}

// check runs gates on the tree, and reports their results.
func (w World) check(ctx context.Context, kind CheckKind, what string, keep func(gate.Finding) bool) (Result, error) {
	if w.Checks == nil {
		return failed("the %s of the folder are not known here", what), nil
	}
	reports, err := w.Checks.Run(ctx, kind)
	if err != nil {
		return Result{}, fmt.Errorf("run the %s: %w", what, err)
	}
	if len(reports) == 0 {
		return failed("there are no %s that Forge knows in this folder", what), nil
	}
	var b strings.Builder
	share := MaxOutput / len(reports)
	for i := range reports {
		b.WriteString(reportOf(reports[i], keep, share) + "\n")
	}
	failing := slices.ContainsFunc(reports, func(r gate.Report) bool { return r.Verdict == gate.Fail })
	return Result{Text: strings.TrimRight(b.String(), "\n"), Unsuccessful: failing}, nil
}

// reportOf describes the result of one gate in about most bytes: the places where it failed, or the end of its output.
func reportOf(r gate.Report, keep func(gate.Finding) bool, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s", r.Gate, r.Verdict, r.Summary)
	if r.Verdict == gate.Pass {
		return b.String()
	}
	findings := slices.DeleteFunc(slices.Clone(r.Findings), func(f gate.Finding) bool { return !keep(f) })
	for i, f := range findings {
		line := "\n  " + f.String()
		if b.Len()+len(line) > most {
			fmt.Fprintf(&b, "\n  … and %d more", len(findings)-i)
			break
		}
		b.WriteString(line)
	}
	if len(r.Findings) == 0 && r.Output != "" {
		b.WriteString("\n" + tail(r.Output, max(0, most-b.Len())))
	}
	return b.String()
}

// tail is the end of a text, at most so many bytes, from the beginning of a line.
func tail(text string, most int) string {
	text = strings.TrimRight(text, "\n")
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	if _, rest, found := strings.Cut(text, "\n"); found {
		return rest
	}
	return strings.ToValidUTF8(text, "")
}
