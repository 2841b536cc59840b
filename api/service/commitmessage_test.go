package service

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/patch"
)

func TestSubjectOf_IsTheFirstSentence(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"add Add. Callers need it":                   "Add Add",
		"show units, e.g. bytes, in tables. Use kB":  "Show units, e.g. bytes, in tables",
		"isScriptProtocol should ignore white space": "isScriptProtocol should ignore white space",
		"sum_all adds":      "sum_all adds",
		"fix: add":          "Fix: add",
		"étendre.  Élargir": "Étendre",
		"...":               "",
	} {
		subject, _ := subjectOf(task)
		require.Equal(t, want, subject, task)
	}
	_, rest := subjectOf("étendre. Élargir\nencore")
	require.Equal(t, "Élargir\nencore", rest)
}

func TestCommitMessage_IsAboutWhatIsApplied(t *testing.T) {
	t.Parallel()
	gates := []gate.Report{{Gate: "go test", Verdict: gate.Pass, Executed: 1}}
	offered := func() *proposal.Proposal {
		return proposal.New("p-1", "r-1", "do it", patch.ChangeSet{Files: []patch.FileChange{
			{Kind: patch.Create, Path: "a.go", After: "package a\n"}, {Kind: patch.Create, Path: "b.go", After: "package a\n"},
		}}, gates, func(string) bool { return true })
	}
	message := func(p *proposal.Proposal, inEffect ...string) string {
		return story{run: history.Run{ID: "r-1", Title: "do it"}, offered: p, inEffect: inEffect}.commitMessage()
	}
	const all = "Do it\n\n- a.go: create\n- b.go: create\n\nChecked by go test.\n\nForge-Run: r-1\n"
	require.Equal(t, all, message(offered()), "before anything is applied, the message is about the proposal")
	require.Equal(t, all, message(offered(), "a.go", "b.go"))
	require.Equal(t, "Do it\n\n- a.go: create\n\nPart of a change that was checked as a whole by go test.\n\nForge-Run: r-1\n", message(offered(), "a.go"))

	amended := offered()
	require.NoError(t, amended.Amend("a.go", "package a // mine\n", func(string) (proposal.Current, error) { return proposal.Current{}, nil }))
	require.Contains(t, message(amended, "a.go", "b.go"), "Edited after it was checked by go test.")
}
