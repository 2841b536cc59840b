package pipeline

import (
	"slices"

	"forge/engine/gate"
	"forge/engine/integrity"
)

// concerned are the reports that decide. A suite that had nothing to run before, has nothing to run now, and whose project the
// change does not touch decides nothing: a folder may have code of another language, without tests, beside what is changed. It is
// told all the same. Where the change touches the project, nothing to run is no pass.
func (m *module) concerned(reports []gate.Report) []gate.Report {
	return slices.DeleteFunc(slices.Clone(reports), func(report gate.Report) bool {
		at := slices.IndexFunc(m.Project.Suites, func(s integrity.Suite) bool { return s.Gate == report.Gate })
		return at >= 0 && idle(report) && idle(m.before(report.Gate)) && !m.Project.Suites[at].ConcernedBy(m.changes)
	})
}

// idle reports whether a gate found nothing to check.
func idle(report gate.Report) bool { return report.Verdict == gate.NotRun && report.Empty }
