package general

import (
	"context"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// ContractName is the name of the gate that checks imports between files.
const ContractName = "contract"

func contracts(ctx context.Context, r Reader, f Folder, paths []string, report *gate.Report) error {
	found, err := CheckContracts(ctx, Texts{Paths: paths, Read: f.ReadFile, Binder: r})
	for _, b := range found.Breaches {
		report.Findings = append(report.Findings, gate.Finding{
			Path: b.Path, Line: b.Line, Column: b.Column, Severity: gate.SeverityError, Rule: ContractName, Message: b.Message,
		})
	}
	report.Executed = found.Takings
	report.Passed = found.Takings - len(found.Breaches)
	report.Summary = tool.Summary("%s of %s are there", tool.Count(found.Takings, "import"), tool.Count(found.Files, "file"))
	return err
}
