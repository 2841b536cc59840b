package general

import (
	"context"
	"strings"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// SyntaxName is the name of the gate that parses each file.
const SyntaxName = "syntax"

// maxFaults limits the reported faults of one file: later ones often follow from the first.
const maxFaults = 3

// syntax parses the files of known languages. It skips files that need not be valid, unreadable files, and languages without a
// grammar that can judge them.
func syntax(ctx context.Context, r Reader, f Folder, paths []string, report *gate.Report) error {
	for _, path := range paths {
		language := codeintel.LanguageOf(path)
		if language == "" || IsAside(path) {
			continue
		}
		text, err := f.ReadFile(path)
		if err != nil {
			continue
		}
		source := string(text)
		faults, judged, err := r.Judge(ctx, language, source)
		if err != nil {
			return err
		}
		if !judged {
			continue
		}
		report.Executed++
		if len(faults) == 0 {
			report.Passed++
		}
		for _, fault := range faults[:min(len(faults), maxFaults)] {
			report.Findings = append(report.Findings, finding(path, source, fault))
		}
	}
	report.Summary = tool.Count(report.Executed, "file") + " can be parsed"
	return nil
}

func finding(path, source string, fault codeintel.Fault) gate.Finding {
	at := min(max(fault.Span.Start, 0), len(source))
	start := strings.LastIndexByte(source[:at], '\n') + 1
	line, _, _ := strings.Cut(source[start:], "\n")
	return gate.Finding{
		Path: path, Line: 1 + strings.Count(source[:at], "\n"), Column: at - start + 1, Severity: gate.SeverityError, Rule: SyntaxName,
		Message: fault.Message + ": " + tool.Summary("%s", line),
	}
}
