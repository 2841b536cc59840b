package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/patch"
)

func TestRedo_PicksTheUndo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ledger []shadow.Entry
		id     string
		want   string
	}{
		"the last":                {entriesOf("undo.r2", "undo.r1", "r2", "r1"), "", "undo.r2"},
		"though runs came since":  {entriesOf("r3", "undo.r1", "r2", "r1"), "", "undo.r1"},
		"the last not redone":     {entriesOf("undo.undo.r2", "undo.r2", "undo.r1", "r2", "r1"), "", "undo.r1"},
		"undone after a redo":     {entriesOf("undo.r1", "undo.undo.r1", "undo.r1", "r1"), "", "undo.r1"},
		"the undo of a redo":      {entriesOf("undo.undo.undo.r1", "undo.undo.r1", "undo.r1", "r1"), "", "undo.undo.undo.r1"},
		"by its name":             {entriesOf("undo.r2", "undo.r1", "r2", "r1"), "undo.r1", "undo.r1"},
		"by the run it undid":     {entriesOf("undo.r2", "undo.r1", "r2", "r1"), "r1", "undo.r1"},
		"by checkpoint":           {entriesOf("undo.r2", "undo.r1", "r2", "r1"), "b", "undo.r1"},
		"a run that stands":       {entriesOf("r1"), "r1", ""},
		"a checkpoint of a run":   {entriesOf("undo.r1", "r1"), "b", ""},
		"all redone":              {entriesOf("undo.undo.r1", "undo.r1", "r1"), "", ""},
		"nothing was ever undone": {entriesOf("r2", "r1"), "", ""},
		"nothing":                 {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := redoable(c.ledger, c.id)
			if c.want == "" {
				require.ErrorIs(t, err, ErrNothingToRedo)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// folder is a workspace that runs, undos, redos and the user change in turn, with the ledger of it.
type folder struct {
	files  map[string]string
	ledger []shadow.Entry // newest first, with texts
	typed  int
	runs   int
	taken  map[string]bool // lines of the user that an accepted hunk of a run took out
}

func (f *folder) current(path string) (proposal.Current, error) {
	text, ok := f.files[path]
	return proposal.Current{Text: text, Exists: ok}, nil
}

// own are the lines in the folder that the user typed. Each is typed once.
func (f *folder) own() []string {
	var lines []string
	for _, text := range f.files {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "mine ") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func (f *folder) paths() []string {
	var paths []string
	for path := range f.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// edit is what the user does to a file: types lines of their own, and takes some out that are not.
func (f *folder) edit(t *rapid.T) {
	if len(f.files) == 0 {
		return
	}
	path := rapid.SampledFrom(f.paths()).Draw(t, "file")
	f.files[path] = f.change(t, f.files[path], func() string {
		f.typed++
		return fmt.Sprintf("mine %d\n", f.typed)
	}, func(line string) bool { return !strings.HasPrefix(line, "mine ") })
}

// change puts lines into a text, and takes out some that may be.
func (f *folder) change(t *rapid.T, text string, line func() string, may func(string) bool) string {
	var out strings.Builder
	for old := range strings.Lines(text) {
		if rapid.IntRange(0, 5).Draw(t, "insert") == 0 {
			out.WriteString(line())
		}
		if rapid.IntRange(0, 5).Draw(t, "delete") > 0 || !may(old) {
			out.WriteString(old)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "append") == 0 || out.Len() == 0 {
		out.WriteString(line())
	}
	return out.String()
}

// run is what a run proposes, computed on the files as they are.
func (f *folder) run(t *rapid.T) *proposal.Proposal {
	f.runs++
	line := func() string {
		return fmt.Sprintf("run %d %s\n", f.runs, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "line"))
	}
	whatever := func(string) bool { return true }
	var set patch.ChangeSet
	for _, path := range f.paths() {
		switch before := f.files[path]; rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0, 1:
		case 2:
			set.Files = append(set.Files, patch.FileChange{Kind: patch.Delete, Path: path, Before: before})
		case 3:
			to := fmt.Sprintf("%s%d", path, f.runs)
			set.Files = append(set.Files, patch.FileChange{Kind: patch.Move, From: path, Path: to, Before: before, After: f.change(t, before, line, whatever)})
		default:
			set.Files = append(set.Files, patch.FileChange{Path: path, Before: before, After: f.change(t, before, line, whatever)})
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "create") == 0 {
		set.Files = append(set.Files, patch.FileChange{Kind: patch.Create, Path: fmt.Sprintf("n%d", f.runs), After: f.change(t, "", line, whatever)})
	}
	return proposal.New("p", fmt.Sprintf("r%d", f.runs), "run", set, nil, nil)
}

// accept plans some hunks, writes the plan and records it, as fronts do.
func (f *folder) accept(t *rapid.T, p *proposal.Proposal) (conflicts int) {
	var ids []string
	for _, file := range p.Files {
		for _, h := range file.Hunks {
			if rapid.IntRange(0, 4).Draw(t, "accept") > 0 {
				ids = append(ids, h.ID)
			}
		}
	}
	if len(ids) == 0 {
		return 0
	}
	plans, err := p.Plan(ids, f.current)
	require.NoError(t, err)
	var accepted patch.ChangeSet
	for _, plan := range plans {
		conflicts += len(plan.Conflicts)
		if plan.Done || len(plan.Edits) == 0 {
			continue
		}
		change := patch.FileChange{Kind: plan.Kind, Path: plan.Path, Before: plan.Current.Text, After: plan.Want}
		switch plan.Kind {
		case patch.Delete:
			delete(f.files, plan.Path)
		case patch.Move:
			change.From = plan.From
			delete(f.files, plan.From)
			f.files[plan.Path] = plan.Want
		case patch.Create:
			change.Before = ""
			fallthrough
		default:
			f.files[plan.Path] = plan.Want
		}
		accepted.Files = append(accepted.Files, change)
	}
	if len(accepted.Files) > 0 {
		entry := shadow.Entry{ID: fmt.Sprintf("c%d", len(f.ledger)), RunID: p.RunID, Title: p.Title, Changes: accepted}
		entry.Undoes, _ = strings.CutPrefix(p.RunID, undoPrefix)
		if entry.Undoes == p.RunID {
			entry.Undoes = ""
		}
		f.ledger = append([]shadow.Entry{entry}, f.ledger...)
	}
	return conflicts
}

// reverse is an undo or a redo of something in the ledger, or of the newest.
func (f *folder) reverse(t *rapid.T, what reversal) *proposal.Proposal {
	if len(f.ledger) > 0 && rapid.Bool().Draw(t, "named") {
		what.id = rapid.SampledFrom(f.ledger).Draw(t, "entry").ID
	}
	run, err := what.pick(f.ledger, what.id)
	if err != nil {
		require.ErrorIs(t, err, what.none)
		return nil
	}
	p, err := what.proposal("p", run, concerning(f.ledger, run))
	if err != nil {
		require.ErrorIs(t, err, what.none)
		return nil
	}
	return p
}

// In any order of runs, edits of the user, undos and redos no line the user typed is lost unless they accepted a
// hunk of a run that took it out, and no unrequested one comes back; each line is the user's or a run's.
func TestUndo_KeepsTypedTextInAnyOrder(t *testing.T) {
	t.Parallel()
	var undone, redone, conflicts int
	order := func(t *rapid.T) {
		f := &folder{files: map[string]string{"a": "1\n2\n3\n4\n5\n6\n", "b": "1\n2\n"}, taken: map[string]bool{}}
		for range rapid.IntRange(1, 14).Draw(t, "steps") {
			before := f.own()
			switch rapid.SampledFrom([]string{"run", "edit", "undo", "redo", "undo"}).Draw(t, "step") {
			case "edit":
				f.edit(t)
				require.Subset(t, f.own(), before)
				continue
			case "run":
				f.accept(t, f.run(t))
				for _, line := range before {
					f.taken[line] = f.taken[line] || !slices.Contains(f.own(), line)
				}
				continue
			case "undo":
				if p := f.reverse(t, reversal{pick: undoable, title: "Undo: ", none: ErrNothingToUndo}); p != nil {
					conflicts += f.accept(t, p)
					undone++
				}
			case "redo":
				if p := f.reverse(t, reversal{pick: redoable, title: "Redo: ", none: ErrNothingToRedo}); p != nil {
					require.Equal(t, 1, strings.Count(p.Title, ": "), p.Title)
					conflicts += f.accept(t, p)
					redone++
				}
			}
			for _, line := range before {
				require.True(t, f.taken[line] || slices.Contains(f.own(), line), "%q was typed, no run took it out, and it is gone: %q", line, f.files)
			}
			for _, line := range f.own() {
				require.True(t, f.taken[line] || slices.Contains(before, line), "%q came from nowhere", line)
			}
			for _, text := range f.files {
				for line := range strings.Lines(text) {
					known := strings.HasPrefix(line, "mine ") || strings.HasPrefix(line, "run ") || len(line) == 2
					require.True(t, known, "%q has no author", line)
				}
			}
		}
	}
	for range 5 { // of a hundred orders each
		rapid.Check(t, order)
	}
	require.Positive(t, undone)
	require.Positive(t, redone)
	require.Positive(t, conflicts, "an order in which nothing ever conflicts proves little")
}

// Without edits in between an undo is the text before, and a redo the text after, exactly.
func TestUndo_AndRedoAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := &folder{files: map[string]string{"a": "1\n2\n3\n4\n5\n6\n", "b": "1\n2\n"}}
		states := []map[string]string{copied(f.files)}
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			f.all(t, f.run(t))
			states = append(states, copied(f.files))
		}
		if len(f.ledger) == 0 {
			t.Skip("nothing was changed")
		}
		for range 2 * rapid.IntRange(1, 3).Draw(t, "rounds") {
			before := copied(f.files)
			run, err := undoable(f.ledger, "")
			require.NoError(t, err)
			p, err := reversal{pick: undoable, none: ErrNothingToUndo}.proposal("p", run, concerning(f.ledger, run))
			require.NoError(t, err)
			f.all(t, p)
			require.Contains(t, states, f.files)
			run, err = redoable(f.ledger, "")
			require.NoError(t, err)
			p, err = reversal{pick: redoable, none: ErrNothingToRedo}.proposal("p", run, concerning(f.ledger, run))
			require.NoError(t, err)
			f.all(t, p)
			require.Equal(t, before, f.files)
		}
	})
}

func copied(files map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, files)
	return all
}

// all accepts every hunk, none of which may conflict.
func (f *folder) all(t require.TestingT, p *proposal.Proposal) {
	var ids []string
	for _, file := range p.Files {
		for _, h := range file.Hunks {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	plans, err := p.Plan(ids, f.current)
	require.NoError(t, err)
	var accepted patch.ChangeSet
	for _, plan := range plans {
		require.Empty(t, plan.Conflicts)
		change := patch.FileChange{Kind: plan.Kind, Path: plan.Path, From: plan.From, Before: plan.Current.Text, After: plan.Want}
		delete(f.files, plan.Path)
		delete(f.files, plan.From)
		if plan.Kind != patch.Delete {
			f.files[plan.Path] = plan.Want
		}
		accepted.Files = append(accepted.Files, change)
	}
	entry := shadow.Entry{ID: fmt.Sprintf("c%d", len(f.ledger)), RunID: p.RunID, Title: p.Title, Changes: accepted}
	if undone, is := strings.CutPrefix(p.RunID, undoPrefix); is {
		entry.Undoes = undone
	}
	f.ledger = append([]shadow.Entry{entry}, f.ledger...)
}

// A line that the user puts directly beside those of a run stays when the run is undone, redone and undone again.
func TestUndo_KeepsALineBesideThoseOfTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, typed, undone string }{
		"behind a changed line":   {"1\n2\n3\n", "1\nrun\n3\n", "1\nrun\nmine\n3\n", "1\n2\nmine\n3\n"},
		"before an inserted line": {"1\n3\n", "1\nrun\n3\n", "1\nmine\nrun\n3\n", "1\nmine\n3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &folder{files: map[string]string{"a": c.before}}
			run := patch.FileChange{Path: "a", Before: c.before, After: c.after}
			f.all(t, proposal.New("p", "r1", "run", set(run), nil, nil))
			f.files["a"] = c.typed
			for _, want := range []string{c.undone, c.typed, c.undone, c.typed} {
				what, id := reversal{none: ErrNothingToUndo}, "r1"
				if want == c.typed {
					what, id = reversal{none: ErrNothingToRedo}, undoPrefix+"r1"
				}
				p, err := what.proposal("p", id, concerning(f.ledger, id))
				require.NoError(t, err)
				f.all(t, p)
				require.Equal(t, want, f.files["a"])
			}
		})
	}
}
