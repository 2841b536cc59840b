package tool

import (
	"io/fs"
	"os"
	"path/filepath"

	"forge/engine/gate"
)

// stamp is the state of a file in the file system. Changed is its last change of any kind, which no program can set back.
type stamp struct {
	info    fs.FileInfo
	changed int64
}

// KeepingTests runs tests, and fails them if a test file was written while they ran: tested code could have replaced tests before
// they were read. which chooses the files of the tree that contain code of tests, without their data.
func KeepingTests(tree gate.Tree, which func(sources *Sources, file string) bool, run func() gate.Report) gate.Report {
	sources := SourcesOf(tree)
	files := sources.Below(".", func(file string) bool { return which(sources, file) })
	before := stamps(tree, files)
	report := run()
	for i, now := range stamps(tree, files) {
		if now.same(before[i]) {
			continue
		}
		report.Findings = append(report.Findings, gate.Finding{
			Path: files[i], Line: 1, Severity: gate.SeverityError, Rule: gate.RuleRewritten, Message: "this file of tests was written, moved or deleted while tests ran: which tests passed is unknown",
		})
		report.Verdict, report.PassedTests, report.Passed, report.Empty = gate.Fail, nil, 0, false
		report.Summary = Summary("%s was written while tests ran", files[i])
	}
	return report
}

func stamps(tree gate.Tree, files []string) []stamp {
	all := make([]stamp, len(files))
	for i, file := range files {
		if info, err := os.Lstat(filepath.Join(tree.Dir(), filepath.FromSlash(file))); err == nil {
			all[i] = stamp{info, changedAt(info)}
		}
	}
	return all
}

// same reports whether a file is unchanged. A file that did not exist is not.
func (s stamp) same(as stamp) bool {
	return s.info != nil && as.info != nil && s.changed == as.changed && s.info.ModTime().Equal(as.info.ModTime()) && os.SameFile(s.info, as.info)
}
