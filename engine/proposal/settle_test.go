package proposal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestSettle_Update(t *testing.T) {
	t.Parallel()
	one := strings.Replace(before, "return 1\n", "return 10\n", 1)
	for name, test := range map[string]struct {
		texts []string // settled one after the other
		want  [2]State
	}{
		"untouched":                   {[]string{before}, [2]State{Pending, Pending}},
		"all":                         {[]string{after}, [2]State{Accepted, Accepted}},
		"a client applied a part":     {[]string{one}, [2]State{Accepted, Pending}},
		"all, beside typing":          {[]string{"// mine\n" + after}, [2]State{Accepted, Accepted}},
		"none, beside typing":         {[]string{"// mine\n" + before}, [2]State{Pending, Pending}},
		"undone":                      {[]string{after, before}, [2]State{Pending, Pending}},
		"one undone":                  {[]string{after, one}, [2]State{Accepted, Pending}},
		"undone, beside typing":       {[]string{after, "// mine\n" + before}, [2]State{Pending, Pending}},
		"typed in accepted lines":     {[]string{after, strings.Replace(after, "return 10\n", "return 10 // mine\n", 1)}, [2]State{Accepted, Accepted}},
		"typed beside accepted lines": {[]string{after, strings.Replace(after, "return 10\n", "// mine\n\treturn 10\n", 1)}, [2]State{Accepted, Accepted}},
		"typed in pending lines":      {[]string{strings.Replace(before, "return 1\n", "return 7\n", 1)}, [2]State{Pending, Pending}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := update(t)
			for _, text := range test.texts {
				p.Settle("p.go", Current{Text: text, Exists: true})
			}
			require.Equal(t, map[string]State{"f1h1": test.want[0], "f1h2": test.want[1]}, states(p))
		})
	}
}

func TestSettle_WholeFiles(t *testing.T) {
	t.Parallel()
	created := patch.FileChange{Kind: patch.Create, Path: "a", After: "x\ny\n"}
	empty := patch.FileChange{Kind: patch.Create, Path: "a"}
	deleted := patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\ny\n"}
	moved := patch.FileChange{Kind: patch.Move, Path: "a", From: "b", Before: "x\ny\nz\n", After: "x\ny\nZ\n"}
	renamed := patch.FileChange{Kind: patch.Move, Path: "a", From: "b", Before: "x\ny\n", After: "x\ny\n"}
	updated := patch.FileChange{Kind: patch.Update, Path: "a", Before: "x\n", After: "y\n"}
	text := func(s string) Current { return Current{Text: s, Exists: true} }
	gone := Current{}
	for name, test := range map[string]struct {
		change patch.FileChange
		now    []Current
		want   State
	}{
		"create, made":                     {created, []Current{text("x\ny\n")}, Accepted},
		"create, made and typed in":        {created, []Current{text("x\ny\n"), text("x\nmine\n")}, Accepted},
		"create, half made":                {created, []Current{text("x\n")}, Pending},
		"create, not made":                 {created, []Current{gone}, Pending},
		"create, made and deleted":         {created, []Current{text("x\ny\n"), gone}, Pending},
		"create, made and emptied":         {created, []Current{text("x\ny\n"), text("")}, Pending},
		"create, another file there":       {created, []Current{text("mine\n")}, Pending},
		"create empty, made":               {empty, []Current{text("")}, Accepted},
		"create empty, made and typed in":  {empty, []Current{text(""), text("mine\n")}, Accepted},
		"create empty, another file there": {empty, []Current{text("mine\n")}, Pending},
		"delete, done":                     {deleted, []Current{gone}, Accepted},
		"delete, not done":                 {deleted, []Current{text("x\ny\n")}, Pending},
		"delete, done and undone":          {deleted, []Current{gone, text("x\ny\n")}, Pending},
		"move, done":                       {moved, []Current{text("x\ny\nZ\n")}, Accepted},
		"move, done with typing":           {moved, []Current{text("mine\nx\ny\nZ\n")}, Accepted},
		"move, another file there":         {moved, []Current{text("mine\n")}, Pending},
		"move, moved but not edited":       {moved, []Current{text("x\ny\nz\n")}, Pending},
		"move, not done":                   {moved, []Current{gone}, Pending},
		"rename, done":                     {renamed, []Current{text("x\ny\n")}, Accepted},
		"rename, done with typing":         {renamed, []Current{text("x\nmine\n")}, Accepted},
		"rename, another file there":       {renamed, []Current{text("mine\n")}, Pending},
		"update, file gone":                {updated, []Current{gone}, Conflict},
		"update, file back":                {updated, []Current{gone, text("x\n")}, Pending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := propose(test.change)
			for _, now := range test.now {
				p.Settle("a", now)
			}
			require.Equal(t, map[string]State{"f1h1": test.want}, states(p))
		})
	}
}

func TestSettle_KeepsDecisions(t *testing.T) {
	t.Parallel()
	p := update(t)
	p.Reject([]string{"f1h1"}, "")
	p.MarkConflict([]string{"f1h2"})
	p.Settle("other.go", Current{Text: after, Exists: true})
	p.Settle("p.go", Current{Text: strings.Replace(before, "return 2", "return 7", 1), Exists: true})
	require.Equal(t, map[string]State{"f1h1": Rejected, "f1h2": Conflict}, states(p), "nothing got better")

	p.Settle("p.go", Current{Text: before, Exists: true})
	require.Equal(t, map[string]State{"f1h1": Rejected, "f1h2": Pending}, states(p), "the lines are free again")

	p.Settle("p.go", Current{Text: after, Exists: true})
	require.Equal(t, map[string]State{"f1h1": Accepted, "f1h2": Accepted}, states(p), "a mind may be changed")
}

func TestConfirm_ComparesHashes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change patch.FileChange
		folder map[string]string
		now    Current
		want   State
	}{
		"written": {
			patch.FileChange{Kind: patch.Update, Path: "a", Before: "x\n", After: "y\n"},
			map[string]string{"a": "x\n"}, Current{"y\n", true}, Accepted,
		},
		"a client that lied": {
			patch.FileChange{Kind: patch.Update, Path: "a", Before: "x\n", After: "y\n"},
			map[string]string{"a": "x\n"}, Current{"x\n", true}, Pending,
		},
		"written, and typed in at once": {
			patch.FileChange{Kind: patch.Update, Path: "a", Before: "x\n", After: "y\n"},
			map[string]string{"a": "x\n"}, Current{"y\nmine\n", true}, Accepted,
		},
		"deleted": {
			patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\n"},
			map[string]string{"a": "x\n"}, Current{}, Accepted,
		},
		"emptied instead of deleted": {
			patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\n"},
			map[string]string{"a": "x\n"}, Current{"", true}, Pending,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := propose(test.change)
			plans, err := p.Plan([]string{"f1h1"}, files(test.folder))
			require.NoError(t, err)
			p.Confirm(plans[0], test.now)
			require.Equal(t, map[string]State{"f1h1": test.want}, states(p))
		})
	}
}
