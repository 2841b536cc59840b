package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// grown replaces a line of sum.go by ten.
const grown = small + subTests + `- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: i
      files: []
      patch: |
        *** Begin Patch
        *** Update File: sum.go
        @@
         // Add adds.
        -func Add(a, b int) int { return a + b }
        +func Add(a, b int) int {
        +	// It adds.
        +	// It wraps.
        +	return a + b
        +}
        +
        +// Sub subtracts.
        +func Sub(a, b int) int {
        +	return a - b
        +}
        *** End Patch
      blocked: ""
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// grownText is sum.go with all of it.
var grownText = strings.Replace(module["sum.go"], " { return a + b }\n",
	" {\n\t// It adds.\n\t// It wraps.\n\treturn a + b\n}\n\n// Sub subtracts.\nfunc Sub(a, b int) int {\n\treturn a - b\n}\n", 1)

// proposedGrown is a session with that proposal.
func proposedGrown(t *testing.T) *harness {
	t.Helper()
	d := start(t, setting{script: grown, params: cannotConfirm})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", run.State, run.Reason)
	return d
}

// sum is the file sum.go of the last proposal that a run made.
func (d *harness) sum(id string) api.ProposalFile {
	d.t.Helper()
	for _, file := range d.get(id).Files {
		if file.Path == "sum.go" {
			return file
		}
	}
	d.t.Fatal("the proposal has no sum.go")
	return api.ProposalFile{}
}

// requireConsistent requires that each pending hunk is in the proposed text where it says, and returns that text.
func (d *harness) requireConsistent(file api.ProposalFile) string {
	d.t.Helper()
	proposed, err := d.content(file.Proposed)
	require.NoError(d.t, err)
	lines := strings.SplitAfter(proposed, "\n")
	for _, h := range file.Hunks {
		switch h.State {
		case "pending":
			require.NotNil(d.t, h.Lines, "%s is pending, and nowhere in the proposed text:\n%s", h.ID, h.NewText)
			require.Equal(d.t, h.NewText, strings.Join(lines[h.Lines.Start:h.Lines.End], ""), h.ID)
		case "accepted":
			require.Contains(d.t, d.disk()["sum.go"], h.NewText, h.ID)
		}
	}
	return proposed
}

func (d *harness) acceptLines(id string, start, end int) {
	d.t.Helper()
	lines := []api.Lines{{Path: "sum.go", Start: start, End: end}}
	result := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: id, Select: &api.Select{Lines: lines}})
	require.Equal(d.t, "applied", result.Files[0].State, result.Files[0].Message)
}

func (d *harness) reverse(command string) {
	d.t.Helper()
	p := ask[api.Proposal](d, command, api.UndoArgs{DryRun: true})
	for _, file := range ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: p.ProposalID}).Files {
		require.Equal(d.t, "applied", file.State, file.Message)
	}
}

// The user accepts two lines of a hunk, edits the proposal, takes it all back, and does it again: what is pending is what is proposed.
func TestPartial_AcceptedLinesAnOwnVersionAndTheirUndo(t *testing.T) {
	t.Parallel()
	for name, edit := range testkit.SampleMap(1, map[string]struct{ from, to string }{
		"a pending line is edited":               {"subtracts.", "takes away."},
		"an accepted line is edited":             {"It wraps.", "It wraps around."},
		"an accepted and a pending line":         {"\t// It wraps.\n\treturn", "\t// It never fails.\n\n\treturn"},
		"a line next to the accepted ones":       {"\t// It adds.\n", "\t// It adds.\n\t// Both.\n"},
		"an accepted line is omitted":            {"\t// It wraps.\n", ""},
		"all accepted lines are omitted":         {"\t// It adds.\n\t// It wraps.\n", ""},
		"the old line comes back above the rest": {"func Add", "func Add(a, b int) int { return a + b }\n\nfunc Plus"},
		"a line that nothing has changed":        {"package sum\n", "// Package sum sums.\npackage sum\n"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := proposedGrown(t)
			id := d.get("").ProposalID
			require.Equal(t, grownText, d.requireConsistent(d.sum(id)))
			d.acceptLines(id, 4, 6)
			taken := d.disk()["sum.go"]
			require.Contains(t, taken, "\t// It adds.\n\t// It wraps.\n")
			require.Equal(t, grownText, d.requireConsistent(d.sum(id)))

			mine := strings.Replace(grownText, edit.from, edit.to, 1)
			ask[api.Proposal](d, api.AmendProposal, api.AmendArgs{ProposalID: id, Path: "sum.go", Text: mine})
			require.Equal(t, mine, d.requireConsistent(d.sum(id)))
			d.reverse(api.Undo)
			require.Equal(t, module["sum.go"], d.disk()["sum.go"])
			require.Equal(t, mine, d.requireConsistent(d.sum(id)))
			for _, h := range d.sum(id).Hunks {
				require.False(t, h.State == "accepted" && h.NewText != "", "%s: nothing of it is in the file", h.ID)
			}
			d.reverse(api.Redo)
			require.Equal(t, taken, d.disk()["sum.go"])
			require.Equal(t, mine, d.requireConsistent(d.sum(id)))
			result := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: id, Select: onlyFile("sum.go")})
			require.Equal(t, "applied", result.Files[0].State, result.Files[0].Message)
			require.Equal(t, mine, d.disk()["sum.go"])
			require.Equal(t, mine, d.requireConsistent(d.sum(id)))
		})
	}
}
