package judge

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
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// ReviewName is the name of the reviewer in reports.
const ReviewName = "review"

// ReviewTokens limits a reviewer's answer.
const ReviewTokens = 4096

// IssueRules tell a reviewer how to name issues.
const IssueRules = `each with "path", "startLine" and "endLine" (lines of the file
  after the change; equal for a single line), "severity" ("error" for what must be fixed, "warning"
  for what the user should know), "category" and "message": what is wrong and what would be right, in at most
  two sentences. Report only lines that you were shown.`

// Issue is a fault that a reviewer reports.
type Issue struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine" jsonschema:"from 1"`
	EndLine   int    `json:"endLine,omitempty" jsonschema:"the last line of it"`
	Severity  string `json:"severity" jsonschema:"error or warning"`
	Category  string `json:"category,omitempty" jsonschema:"wrong-behaviour, missing-behaviour, silent-failure, contract-mismatch, schema-drift, security, performance, test or other"`
	Message   string `json:"message"`
}

// categories are the known categories; any other becomes "other".
var categories = []string{
	"wrong-behaviour", "missing-behaviour", "silent-failure", "contract-mismatch", "schema-drift", "silent-production-failure", "security", "performance", "test", "other",
}

// CheckIssues validates issues as far as possible without the tree.
func CheckIssues(issues []Issue) error {
	var errs []error
	for i, s := range issues {
		if err := work.OneOf("severity", s.Severity, "error", "warning"); err != nil {
			errs = append(errs, fmt.Errorf("issue %d: %w", i+1, err))
		}
		if strings.TrimSpace(s.Message) == "" {
			errs = append(errs, fmt.Errorf("issue %d has no text: give its \"message\"", i+1))
		}
	}
	return errors.Join(errs...)
}

// Grave reports whether an issue must be fixed.
func Grave(issues []Issue) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return i.Severity == "error" })
}

func (i Issue) finding() gate.Finding {
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

func (i Issue) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", i.Path, i.StartLine, i.Severity, strings.TrimSpace(i.Message))
}

// Placing checks that the places of issues exist. The first answer with a wrong line is sent back; issues that still have no place are left
// out, with a note, and so are those of files that do not exist: what is invented does not become true when it is asked for again.
type Placing struct {
	files   step.Reader
	changes patch.ChangeSet // over them
	asked   bool            // the model was asked for better places
	left    []Issue         // issues without a valid place
}

// errInvented means that an issue names a file that does not exist.
var errInvented = errors.New("there is no such file")

// Check is the part of step.Check that needs the tree.
func (p *Placing) Check(issues []Issue) error {
	p.left = nil
	var faults []error
	for _, i := range issues {
		fault, err := p.fault(i)
		switch {
		case errors.Is(fault, errInvented):
			p.left = append(p.left, i)
		case err != nil:
			return err
		case fault != nil:
			p.left, faults = append(p.left, i), append(faults, fault)
		}
	}
	if p.asked {
		return nil
	}
	p.asked = len(faults) > 0
	return errors.Join(faults...)
}

// Kept returns the issues with a valid place.
func (p *Placing) Kept(issues []Issue) []Issue {
	return slices.DeleteFunc(slices.Clone(issues), func(i Issue) bool { return slices.Contains(p.left, i) })
}

// Note returns which issues were left out; "" if none were.
func (p *Placing) Note() string {
	var places []string
	for _, i := range p.left {
		places = append(places, fmt.Sprintf("%s:%d", i.Path, i.StartLine))
	}
	switch len(places) {
	case 0:
		return ""
	case 1:
		return "an issue was left out, because it names a place that does not exist: " + places[0]
	}
	return fmt.Sprintf("%d issues were left out, because they name places that do not exist: %s", len(places), strings.Join(places, ", "))
}

// fault returns what is wrong with the place of an issue. The error is for a file that could not be read.
func (p *Placing) fault(i Issue) (fault, err error) {
	text, exists, err := p.Text(i.Path)
	if err != nil {
		return nil, err
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	switch {
	case !exists:
		return errInvented, nil
	case i.StartLine < 1 || i.StartLine > lines:
		return fmt.Errorf("an issue names line %d of %s, which has %d: name the line it is about", i.StartLine, i.Path, lines), nil
	case i.EndLine > lines || i.EndLine != 0 && i.EndLine < i.StartLine:
		return fmt.Errorf("an issue is about lines %d to %d of %s, which has %d: name the lines it is about", i.StartLine, i.EndLine, i.Path, lines), nil
	}
	return nil, nil
}

// Text returns a file after the changes; of a deleted file, before them.
func (p *Placing) Text(path string) (text string, exists bool, err error) {
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

// ReportOn converts a reviewer's answer to a report. looked is the number of files it was shown.
func ReportOn(issues []Issue, holds bool, summary string, looked int) gate.Report {
	report := gate.Report{Gate: ReviewName, Verdict: gate.Pass, Summary: work.OneLine(summary), Executed: looked, Passed: looked}
	if !holds {
		report.Verdict, report.Passed = gate.Fail, 0
	}
	for _, i := range issues {
		report.Findings = append(report.Findings, i.finding())
	}
	return report
}

// Opinion is the reviewer's answer.
type Opinion struct {
	Pass   bool     `json:"pass"`
	Reason string   `json:"reason" jsonschema:"one or two sentences"`
	Issues []Issue  `json:"issues"`
	Unmet  []string `json:"unmet,omitempty" jsonschema:"of a part of a plan: what its done-when or its list of what is to be shown demands, and the change does not have"`
}

// Check rejects a useless opinion.
func (o Opinion) Check() error {
	if err := CheckIssues(o.Issues); err != nil {
		return err
	}
	if slices.ContainsFunc(o.Unmet, func(demand string) bool { return strings.TrimSpace(demand) == "" }) {
		return errors.New(`an entry of "unmet" says nothing: name what is missing`)
	}
	if !o.Pass && strings.TrimSpace(o.Reason) == "" && len(o.Issues)+len(o.Unmet) == 0 {
		return fmt.Errorf(`a change that does not pass needs a "reason"`)
	}
	return nil
}

// Holds is stricter than the model: an error it found, and a demand of the plan that is not met, are not outweighed by its own "pass".
func (o Opinion) Holds() bool { return o.Pass && !Grave(o.Issues) && len(o.Unmet) == 0 }

// Against returns the issues for which a change does not pass: its errors; without an error or an unmet demand, all of them.
func (o Opinion) Against() []Issue {
	if !Grave(o.Issues) && len(o.Unmet) == 0 {
		return o.Issues
	}
	return slices.DeleteFunc(slices.Clone(o.Issues), func(i Issue) bool { return i.Severity != "error" })
}

// With returns this opinion of a part of a change together with that of another part.
func (o Opinion) With(other Opinion) Opinion {
	reasons := slices.DeleteFunc([]string{strings.TrimSpace(o.Reason), strings.TrimSpace(other.Reason)}, func(reason string) bool { return reason == "" })
	return Opinion{
		Pass: o.Pass && other.Pass, Reason: strings.Join(slices.Compact(reasons), " "),
		Issues: slices.Concat(o.Issues, other.Issues), Unmet: slices.Concat(o.Unmet, other.Unmet),
	}
}

// Findings converts the issues to findings.
func (o Opinion) Findings() (all []gate.Finding) {
	for _, i := range o.Issues {
		all = append(all, i.finding())
	}
	return append(all, o.UnmetFindings()...)
}

// UnmetFindings converts the unmet demands of the plan to findings.
func (o Opinion) UnmetFindings() (all []gate.Finding) {
	for _, demand := range o.Unmet {
		all = append(all, gate.Finding{Severity: gate.SeverityError, Rule: "missing-behaviour", Message: "not done: " + strings.TrimSpace(demand)})
	}
	return all
}

func (o Opinion) String() string {
	var text strings.Builder
	text.WriteString(o.Reason)
	for _, i := range o.Issues {
		text.WriteString("\n" + i.String())
	}
	for _, demand := range o.Unmet {
		text.WriteString("\nnot done: " + strings.TrimSpace(demand))
	}
	return text.String()
}

// NewPlacing checks issues against a tree with changes over it.
func NewPlacing(ctx context.Context, r *work.Run, n graph.Node, tree step.State, changes patch.ChangeSet) *Placing {
	return &Placing{files: step.Reader{Ctx: ctx, Flow: r.Flow, At: work.At(n), Name: "review", State: tree}, changes: changes}
}
