package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// ReviewName is what reports call the reviewer.
const ReviewName = "review"

// issueRules tell a reviewer how to name issues.
const issueRules = `each with "path", "startLine" and "endLine" (lines of the file
  after the change; equal for a single line), "severity" ("error" for what must be fixed, "warning"
  for what the user should know), "category" and "message": what is wrong and what would be right, in at most
  two sentences. Report only lines that you were shown.`

// issue is what a reviewer finds fault with.
type issue struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine" jsonschema:"from 1"`
	EndLine   int    `json:"endLine,omitempty" jsonschema:"the last line of it"`
	Severity  string `json:"severity" jsonschema:"error or warning"`
	Category  string `json:"category,omitempty" jsonschema:"wrong-behaviour, missing-behaviour, silent-failure, contract-mismatch, schema-drift, security, performance, test or other"`
	Message   string `json:"message"`
}

// categories are what is reported as they are; another one is "other".
var categories = []string{
	"wrong-behaviour", "missing-behaviour", "silent-failure", "contract-mismatch", "schema-drift", "security", "performance", "test", "other",
}

// checkIssues finds the faults of issues that do not need the tree.
func checkIssues(issues []issue) error {
	var errs []error
	for i, s := range issues {
		if err := oneOf("severity", s.Severity, "error", "warning"); err != nil {
			errs = append(errs, fmt.Errorf("issue %d: %w", i+1, err))
		}
		if strings.TrimSpace(s.Message) == "" {
			errs = append(errs, fmt.Errorf("issue %d says nothing: give its \"message\"", i+1))
		}
	}
	return errors.Join(errs...)
}

func grave(issues []issue) bool {
	return slices.ContainsFunc(issues, func(i issue) bool { return i.Severity == "error" })
}

func (i issue) finding() gate.Finding {
	f := gate.Finding{Path: i.Path, Line: i.StartLine, Severity: gate.SeverityWarning, Rule: "other", Message: strings.TrimSpace(i.Message)}
	if i.Severity == "error" {
		f.Severity = gate.SeverityError
	}
	if i.EndLine > i.StartLine {
		f.EndLine = i.EndLine
	}
	if slices.Contains(categories, i.Category) {
		f.Rule = i.Category
	}
	return f
}

func (i issue) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", i.Path, i.StartLine, i.Severity, strings.TrimSpace(i.Message))
}

// placing checks that issues are about places that there are. The first answer with one that is not is sent back; what is
// still nowhere after that is left out, and said.
type placing struct {
	files   step.Reader
	changes patch.ChangeSet // over them
	asked   bool            // for better places
	left    []issue         // that are nowhere
}

// check is the part of step.Check that needs the tree.
func (p *placing) check(issues []issue) error {
	p.left = nil
	var faults []error
	for _, i := range issues {
		fault, err := p.fault(i)
		if err != nil {
			return err
		}
		if fault != nil {
			p.left, faults = append(p.left, i), append(faults, fault)
		}
	}
	if p.asked {
		return nil
	}
	p.asked = len(faults) > 0
	return errors.Join(faults...)
}

// kept are the issues that are somewhere.
func (p *placing) kept(issues []issue) []issue {
	return slices.DeleteFunc(slices.Clone(issues), func(i issue) bool { return slices.Contains(p.left, i) })
}

// note says what was left out; empty is nothing.
func (p *placing) note() string {
	var places []string
	for _, i := range p.left {
		places = append(places, fmt.Sprintf("%s:%d", i.Path, i.StartLine))
	}
	switch len(places) {
	case 0:
		return ""
	case 1:
		return "an issue was left out, because it names a place that is not there: " + places[0]
	}
	return fmt.Sprintf("%d issues were left out, because they name places that are not there: %s", len(places), strings.Join(places, ", "))
}

// fault says what is wrong with the place of an issue. The error is for a file that could not be looked for.
func (p *placing) fault(i issue) (fault, err error) {
	text, exists, err := p.text(i.Path)
	if err != nil {
		return nil, err
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	switch {
	case !exists:
		return fmt.Errorf("an issue names %q: there is no such file. Name a path as you were shown it, or leave the issue out", i.Path), nil
	case i.StartLine < 1 || i.StartLine > lines:
		return fmt.Errorf("an issue names line %d of %s, which has %d: name the line it is about", i.StartLine, i.Path, lines), nil
	case i.EndLine > lines || i.EndLine != 0 && i.EndLine < i.StartLine:
		return fmt.Errorf("an issue is about lines %d to %d of %s, which has %d: name the lines it is about", i.StartLine, i.EndLine, i.Path, lines), nil
	}
	return nil, nil
}

// text is a file after the changes; of one that was deleted, before them.
func (p *placing) text(path string) (text string, exists bool, err error) {
	for _, f := range p.changes.Files {
		switch {
		case f.Path == path && f.Kind == patch.Delete:
			return f.Before, true, nil
		case f.Path == path:
			return f.After, true, nil
		}
	}
	if !fs.ValidPath(path) || path == "." {
		return "", false, nil
	}
	content, err := p.files.ReadFile(path)
	if failed := (*flow.Failure)(nil); errors.Is(err, fs.ErrNotExist) || errors.As(err, &failed) {
		return "", false, nil
	}
	return string(content), err == nil, err
}

// reportOn is what a reviewer says, as a report. looked is how many files it was shown.
func reportOn(issues []issue, holds bool, summary string, looked int) gate.Report {
	report := gate.Report{Gate: ReviewName, Verdict: gate.Pass, Summary: summarised(summary), Executed: looked, Passed: looked}
	if !holds {
		report.Verdict, report.Passed = gate.Fail, 0
	}
	for _, i := range issues {
		report.Findings = append(report.Findings, i.finding())
	}
	return report
}

// opinion is the reviewer's answer.
type opinion struct {
	Pass   bool    `json:"pass"`
	Reason string  `json:"reason" jsonschema:"one or two sentences"`
	Issues []issue `json:"issues"`
}

func (o opinion) check() error {
	if err := checkIssues(o.Issues); err != nil {
		return err
	}
	if !o.Pass && strings.TrimSpace(o.Reason) == "" && len(o.Issues) == 0 {
		return fmt.Errorf(`a change that does not pass needs a "reason"`)
	}
	return nil
}

// holds is stricter than the model: an error it found is not outweighed by its own "pass".
func (o opinion) holds() bool { return o.Pass && !grave(o.Issues) }

// findings are the issues as gates have them.
func (o opinion) findings() (all []gate.Finding) {
	for _, i := range o.Issues {
		all = append(all, i.finding())
	}
	return all
}

func (o opinion) String() string {
	var text strings.Builder
	text.WriteString(o.Reason)
	for _, i := range o.Issues {
		text.WriteString("\n" + i.String())
	}
	return text.String()
}

func newPlacing(ctx context.Context, r *run, n graph.Node, tree step.State, changes patch.ChangeSet) *placing {
	return &placing{files: step.Reader{Ctx: ctx, Flow: r.Flow, At: at(n), Name: "review", State: tree}, changes: changes}
}
