package service

import (
	"cmp"
	"net/url"
	"slices"

	"forge/engine/gate"
	"forge/internal/inert"
)

// SARIFLog is the part of SARIF 2.1.0 that a review has. See the OASIS standard, section 3: a log has runs, and a run has a tool and
// results.
type SARIFLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type (
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"` // error or warning
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"` // relative to the folder
	}
	sarifRegion struct {
		StartLine int `json:"startLine"` // from 1
		EndLine   int `json:"endLine"`
	}
)

// Level returns the level of a reviewer's finding, as SARIF and compilers name it: error or warning.
func Level(f gate.Finding) string {
	if f.Severity == gate.SeverityError {
		return "error"
	}
	return "warning"
}

// SARIF returns a review as a SARIF log, which code hosts and editors show.
func SARIF(review gate.Report) SARIFLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "forge review", Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for _, f := range review.Findings {
		rule := sarifRule{f.Rule}
		if !slices.Contains(run.Tool.Driver.Rules, rule) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		place := sarifPhysical{sarifArtifact{(&url.URL{Path: f.Path}).String()}, sarifRegion{f.Line, cmp.Or(f.EndLine, f.Line)}}
		run.Results = append(run.Results, sarifResult{f.Rule, Level(f), sarifText{inert.Text(f.Message)}, []sarifLocation{{place}}})
	}
	return SARIFLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}
