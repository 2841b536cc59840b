package lsp

import (
	"slices"
	"strings"

	"forge/engine"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/patch"
)

// reviewer is what the reports and diagnostics of a reviewer are named: their source is forge/review.
const reviewer = "review"

// review shows what the reviewer of a run found, in place of what was found before.
func (b *board) review(folder Folder, runID string, findings []gate.Finding) {
	b.replace(folder, reviewer, findings)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reviewed[folder.Path] = runID
}

// decided takes away what the reviewer of a run found, when a person has decided about all that it proposed.
func (b *board) decided(folder Folder, runID string) {
	b.mu.Lock()
	mine := b.reviewed[folder.Path] == runID
	b.mu.Unlock()
	if mine {
		b.replace(folder, reviewer, nil)
	}
}

// propose moves what the reviewer found to where it belongs in the files as they are now, while their changes are only
// proposed: the reviewer saw the files with them.
func (b *board) propose(folder Folder, result engine.Result) {
	if result.Review == nil {
		return
	}
	moved := slices.Clone(result.Review.Findings)
	for i, f := range moved {
		for _, file := range result.Proposal.Files {
			if file.Change.Path == f.Path {
				moved[i] = before(file, f)
			}
		}
	}
	b.review(folder, result.Proposal.RunID, moved)
}

// before is a finding in the text that a change begins with: the line that it is about, or where that would be put in.
func before(file proposal.File, f gate.Finding) gate.Finding {
	last := max(f.EndLine, f.Line)
	f.Line = lineBefore(file.Change, f.Line)
	if f.EndLine = lineBefore(file.Change, last); f.EndLine <= f.Line {
		f.EndLine = 0
	}
	return f
}

// lineBefore is the line, from 1, of the text before a change that one of the text after it stands for.
func lineBefore(c patch.FileChange, line int) int {
	at, was := 1, 1 // lines of both texts that begin at the same place
	done := 0       // bytes of the text before
	for _, e := range patch.Diff(c.Before, c.After) {
		same := newlines(c.Before[done:e.Start])
		if line < at+same {
			break
		}
		at, was = at+same, was+same
		put := newlines(e.New)
		if line < at+put {
			return was
		}
		at, was = at+put, was+newlines(c.Before[e.Start:e.End])
		done = e.End
	}
	return was + line - at
}

func newlines(text string) int { return strings.Count(text, "\n") }
