package proposal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/patch"
)

// New splits a change set into hunks, all Pending: one per edit of a changed file, exactly one for a file that is
// created, deleted or moved. inScope reports whether the task was about a path; nil means every path. Changes
// without effect are omitted. Files that need their own confirmation come first.
func New(
	id, runID, title string, cs patch.ChangeSet, gates []gate.Report, inScope func(path string) bool,
) *Proposal {
	p := &Proposal{ID: id, RunID: runID, Title: title, Gates: gates}
	for _, change := range foremost(cs.Files) {
		edits := cut(change)
		if len(edits) == 0 {
			continue
		}
		file := File{Change: change, Control: integrity.ControlOf(change)}
		level := worstLevel(change.Matches)
		risk := riskOf(file, level, inScope)
		for i, edit := range edits {
			file.Hunks = append(file.Hunks, Hunk{
				ID:    fmt.Sprintf("f%dh%d", len(p.Files)+1, i+1),
				Path:  change.Path,
				Edit:  edit,
				Line:  1 + len(patch.SplitLines(change.Before[:edit.Start])),
				Level: level,
				Risk:  risk,
				State: Pending,
			})
		}
		p.Files = append(p.Files, file)
	}
	return p
}

// foremost returns changes in their order, but those first that need their own confirmation.
func foremost(files []patch.FileChange) []patch.FileChange {
	ordered := slices.Clone(files)
	slices.SortStableFunc(ordered, func(a, b patch.FileChange) int {
		return cmp.Compare(max(integrity.ControlOf(b).Level, integrity.ControlLook), max(integrity.ControlOf(a).Level, integrity.ControlLook))
	})
	return ordered
}

// cut returns a change's hunks as edits of its base text.
func cut(change patch.FileChange) []patch.Edit {
	if change.Kind == patch.Update {
		return joinTouching(patch.Diff(change.Before, change.After))
	}
	return []patch.Edit{span(change.Before, change.After)}
}

// joinTouching joins edits without an unchanged line between them. Invariant: between two hunks of a
// file at least one line is unchanged; only then can they be accepted independently.
func joinTouching(edits []patch.Edit) []patch.Edit {
	var joined []patch.Edit
	for _, edit := range edits {
		if n := len(joined); n > 0 && joined[n-1].End == edit.Start {
			joined[n-1].End = edit.End
			joined[n-1].New += edit.New
			continue
		}
		joined = append(joined, edit)
	}
	return joined
}

// span returns the smallest single whole-line edit from before to after.
func span(before, after string) patch.Edit {
	a, b := patch.SplitLines(before), patch.SplitLines(after)
	start := 0
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		start += len(a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return patch.Edit{Start: start, End: start + len(strings.Join(a, "")), New: strings.Join(b, "")}
}

func worstLevel(matches []patch.Match) patch.Level {
	worst := patch.Exact
	for _, m := range matches {
		worst = max(worst, m.Level)
	}
	return worst
}

// riskOf returns the most serious reason for a second look.
func riskOf(f File, level patch.Level, inScope func(string) bool) Risk {
	switch {
	case f.Control.Level >= integrity.ControlAsk:
		return RiskControl
	case f.Change.Kind == patch.Delete:
		return RiskDelete
	case f.Change.Kind == patch.Move:
		return RiskMove
	case inScope != nil && !inScope(f.Change.Path):
		return RiskScope
	case f.Control.Level == integrity.ControlLook:
		return RiskLook
	case level > patch.Exact:
		return RiskInexact
	default:
		return ""
	}
}
