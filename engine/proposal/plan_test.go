package proposal

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestPlan_Update(t *testing.T) {
	t.Parallel()
	one := strings.Replace(before, "return 1\n", "return 10\n", 1)
	for name, test := range map[string]struct {
		accepted  string   // the text as it was settled, empty for none
		hunks     []string // chosen
		now       string
		want      string
		risks     []Risk
		conflicts []string
	}{
		"as the run saw it": {
			hunks: []string{"f1h1", "f1h2"}, now: before, want: after, risks: []Risk{"", ""},
		},
		"one of two": {
			hunks: []string{"f1h1"}, now: before, want: one, risks: []Risk{""},
		},
		"the second after the first was accepted": {
			accepted: one, hunks: []string{"f1h2"}, now: one, want: after, risks: []Risk{""},
		},
		"an accepted one again": {
			accepted: one, hunks: []string{"f1h1", "f1h2"}, now: one, want: after, risks: []Risk{""},
		},
		"typed above": {
			hunks: []string{"f1h1", "f1h2"}, now: "// mine\n" + before, want: "// mine\n" + after,
			risks: []Risk{RiskRebased, RiskRebased},
		},
		"typed between, first accepted": {
			accepted: one, hunks: []string{"f1h2"},
			now:   strings.Replace(one, "}\n\nfunc B", "}\n\n// B is mine.\nfunc B", 1),
			want:  strings.Replace(after, "}\n\nfunc B", "}\n\n// B is mine.\nfunc B", 1),
			risks: []Risk{RiskRebased},
		},
		"typed in the lines of one": {
			hunks: []string{"f1h1", "f1h2"},
			now:   strings.Replace(before, "return 1\n", "return 7\n", 1),
			want:  strings.Replace(strings.Replace(before, "return 1\n", "return 7\n", 1), "return 2\n", "return 20\n", 1),
			risks: []Risk{RiskRebased}, conflicts: []string{"f1h1"},
		},
		"typed on the line beside": {
			hunks: []string{"f1h1"},
			now:   strings.Replace(before, "func A() int {", "func A() int { // mine", 1),
			want:  strings.Replace(one, "func A() int {", "func A() int { // mine", 1),
			risks: []Risk{RiskRebased},
		},
		"typed exactly the same": {
			hunks: []string{"f1h1"}, now: one, want: one,
		},
		"emptied": {
			hunks: []string{"f1h1", "f1h2"}, now: "", want: "", conflicts: []string{"f1h1", "f1h2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := update(t)
			if test.accepted != "" {
				p.Settle("p.go", Current{Text: test.accepted, Exists: true})
			}
			was := states(p)
			plans, err := p.Plan(test.hunks, files(map[string]string{"p.go": test.now}))
			require.NoError(t, err)
			require.Len(t, plans, 1)
			plan := plans[0]
			require.Equal(t, test.want, plan.Want)
			require.Equal(t, test.conflicts, plan.Conflicts)
			var risks []Risk
			for _, e := range plan.Edits {
				risks = append(risks, e.Risk)
			}
			require.Equal(t, test.risks, risks)
			require.Equal(t, len(plan.Edits)+len(plan.Conflicts) == 0, plan.Done)
			require.Equal(t, plan.Want, applied(t, plan))
			require.Equal(t, was, states(p), "planning decides nothing")
		})
	}
}

// applied makes a plan's edits with patch.Apply, which refuses edits out of order or overlapping.
func applied(t interface {
	require.TestingT
}, plan FilePlan) string {
	var edits []patch.Edit
	for _, e := range plan.Edits {
		edits = append(edits, e.Edit)
	}
	text, err := patch.Apply(plan.Current.Text, edits)
	require.NoError(t, err)
	return text
}

func TestPlan_WholeFiles(t *testing.T) {
	t.Parallel()
	created := patch.FileChange{Kind: patch.Create, Path: "a", After: "x\ny\n"}
	deleted := patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\ny\n"}
	moved := patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: "x\ny\nz\n", After: "x\ny\nZ\n"}
	renamed := patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: "x\ny\n", After: "x\ny\n"}
	updated := patch.FileChange{Kind: patch.Update, Path: "a", Before: "x\n", After: "y\n"}
	edit := func(start, end int, text string, risk Risk) []PlannedEdit {
		return []PlannedEdit{{HunkID: "f1h1", Edit: patch.Edit{Start: start, End: end, New: text}, Risk: risk}}
	}
	conflict := []string{"f1h1"}
	for name, test := range map[string]struct {
		change patch.FileChange
		now    map[string]string
		want   FilePlan
	}{
		"create": {created, nil, FilePlan{Edits: edit(0, 0, "x\ny\n", ""), Want: "x\ny\n"}},
		"create, there meanwhile": {created, map[string]string{"a": "mine\n"}, FilePlan{
			Current: Current{"mine\n", true}, Conflicts: conflict, Want: "mine\n",
		}},
		"create, there as wanted": {created, map[string]string{"a": "x\ny\n"}, FilePlan{
			Current: Current{"x\ny\n", true}, Want: "x\ny\n", Done: true,
		}},
		"create, there but empty": {created, map[string]string{"a": ""}, FilePlan{
			Current: Current{"", true}, Edits: edit(0, 0, "x\ny\n", RiskRebased), Want: "x\ny\n",
		}},
		"delete": {deleted, map[string]string{"a": "x\ny\n"}, FilePlan{
			Current: Current{"x\ny\n", true}, Edits: edit(0, 4, "", RiskDelete),
		}},
		"delete, typed in": {deleted, map[string]string{"a": "x\nmine\n"}, FilePlan{
			Current: Current{"x\nmine\n", true}, Conflicts: conflict, Want: "x\nmine\n",
		}},
		"delete, gone": {deleted, nil, FilePlan{Done: true}},
		"move": {moved, map[string]string{"a": "x\ny\nz\n"}, FilePlan{
			Current: Current{"x\ny\nz\n", true}, Edits: edit(4, 6, "Z\n", RiskMove), Want: "x\ny\nZ\n",
		}},
		"move, typed in": {moved, map[string]string{"a": "mine\nx\ny\nz\n"}, FilePlan{
			Current: Current{"mine\nx\ny\nz\n", true}, Edits: edit(9, 11, "Z\n", RiskRebased), Want: "mine\nx\ny\nZ\n",
		}},
		"move, typed in the same lines": {moved, map[string]string{"a": "x\ny\nmine\n"}, FilePlan{
			Current: Current{"x\ny\nmine\n", true}, Conflicts: conflict, Want: "x\ny\nmine\n",
		}},
		"move, place taken": {moved, map[string]string{"a": "x\ny\nz\n", "b": "mine\n"}, FilePlan{
			Current: Current{"x\ny\nz\n", true}, Conflicts: conflict, Want: "x\ny\nz\n",
		}},
		"move, source gone": {moved, nil, FilePlan{Conflicts: conflict}},
		"move, done": {moved, map[string]string{"b": "x\ny\nZ\n"}, FilePlan{
			Current: Current{"x\ny\nZ\n", true}, Want: "x\ny\nZ\n", Done: true,
		}},
		"rename": {renamed, map[string]string{"a": "x\ny\n"}, FilePlan{
			Current: Current{"x\ny\n", true}, Edits: edit(4, 4, "", RiskMove), Want: "x\ny\n",
		}},
		"update, gone": {updated, nil, FilePlan{Conflicts: conflict}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := propose(test.change)
			plans, err := p.Plan([]string{"f1h1"}, files(test.now))
			require.NoError(t, err)
			test.want.Path, test.want.From, test.want.Kind = test.change.Path, test.change.From, test.change.Kind
			require.Empty(t, cmp.Diff([]FilePlan{test.want}, plans))
		})
	}
}

func TestPlan_PassesErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	_, err := update(t).Plan([]string{"f1h1"}, func(string) (Current, error) { return Current{}, broken })
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "p.go")

	_, err = update(t).Plan([]string{"f7h1"}, files(nil))
	require.ErrorContains(t, err, `no hunk "f7h1"; its hunks are f1h1, f1h2`)
}

func TestPlan_LeavesOtherFilesAlone(t *testing.T) {
	t.Parallel()
	p := propose(
		patch.FileChange{Kind: patch.Create, Path: "a", After: "x\n"},
		patch.FileChange{Kind: patch.Create, Path: "b", After: "x\n"},
	)
	plans, err := p.Plan([]string{"f2h1"}, files(nil))
	require.NoError(t, err)
	require.Len(t, plans, 1)
	require.Equal(t, "b", plans[0].Path)
}
