package general

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"forge/engine/gate"
)

// sarif has the fields that are read of a SARIF 2.1.0 log:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type sarif struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct{ Rules []json.RawMessage }
		}
		Artifacts   []json.RawMessage
		Results     *[]sarifResult
		Invocations []struct{ ExecutionSuccessful *bool }
	}
}

type sarifResult struct {
	RuleID    string
	Kind      string
	Level     string
	Message   struct{ Text string }
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine, StartColumn int }
		}
	}
	Suppressions []json.RawMessage
}

// parseSARIF parses a log. The checks made are the passed results, and the files or rules that the log names.
func parseSARIF(stdout []byte, name string, p place) (found []gate.Finding, checks int, err error) {
	var log sarif
	if err := json.Unmarshal(stdout, &log); err != nil || log.Version == "" || len(log.Runs) == 0 {
		return nil, 0, errors.New("its output is not a SARIF log")
	}
	for _, run := range log.Runs {
		for _, i := range run.Invocations {
			if i.ExecutionSuccessful != nil && !*i.ExecutionSuccessful {
				return nil, 0, errors.New("its SARIF log reports that it did not finish")
			}
		}
		if run.Results == nil {
			return nil, 0, errors.New("its SARIF log has no results: it was not executed")
		}
		checks += max(len(run.Artifacts), len(run.Tool.Driver.Rules))
		for _, r := range *run.Results {
			if r.Kind == "" || r.Kind == "fail" {
				if len(r.Suppressions) == 0 && r.Level != "none" {
					found = append(found, r.finding(name, p))
				}
			} else {
				checks++
			}
		}
	}
	return found, checks, nil
}

func (r sarifResult) finding(name string, p place) gate.Finding {
	f := gate.Finding{Severity: severityOf(r.Level), Rule: r.RuleID, Message: p.root.Inert(strings.TrimSpace(r.Message.Text))}
	if r.Level == "" {
		f.Severity = gate.SeverityWarning // the default of the standard
	}
	if f.Rule == "" {
		f.Rule = name
	}
	if f.Message == "" {
		f.Message = "no message"
	}
	for _, l := range r.Locations {
		if rel, ok := p.rel(fileOf(l.PhysicalLocation.ArtifactLocation.URI)); ok {
			region := l.PhysicalLocation.Region
			f.Path, f.Line, f.Column = rel, max(region.StartLine, 1), max(region.StartColumn, 0)
			break
		}
	}
	return f
}

// fileOf returns the path in a URI: relative, or of a file.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "" && u.Scheme != "file" {
		return ""
	}
	return u.Path
}
