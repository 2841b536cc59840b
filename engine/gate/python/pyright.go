package python

import (
	"encoding/json"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

var badConfig = lazyregexp.New(`Config file "(.+?)" could not be parsed`)

// checked is what pyright --outputjson says.
type checked struct {
	Diagnostics *[]struct {
		File     string `json:"file"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Rule     string `json:"rule"`
		Range    struct {
			Start struct {
				Line      int `json:"line"`
				Character int `json:"character"`
			} `json:"start"`
		} `json:"range"`
	} `json:"generalDiagnostics"`
	Summary struct {
		FilesAnalyzed int `json:"filesAnalyzed"`
	} `json:"summary"`
}

// parsePyright reads pyright --outputjson. A finding without a rule is one of its parser.
func parsePyright(stdout string, p testrun.Places) (found []gate.Finding, executed int, err error) {
	var all checked
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &all); err != nil || all.Diagnostics == nil {
		return nil, 0, fmt.Errorf("understand what pyright found: %s is not what it says", tool.FirstLine(stdout))
	}
	for _, d := range *all.Diagnostics {
		rule := "pyright/" + d.Rule
		if d.Rule == "" {
			rule = map[bool]string{true: testrun.RuleSyntax, false: pyright}[d.Severity == "error"]
		}
		f := p.Units(p.At(d.File, d.Range.Start.Line+1, d.Range.Start.Character+1, rule, d.Message))
		switch d.Severity {
		case "warning":
			f.Severity = gate.SeverityWarning
		case "information":
			f.Severity = gate.SeverityInfo
		}
		found = append(found, f)
	}
	return p.Locate(found), max(0, all.Summary.FilesAnalyzed), nil
}
