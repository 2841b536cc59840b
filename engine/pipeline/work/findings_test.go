package work

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Lines that were read are shown later only if they are still in their place.
func TestFindings_LeaveOutWhatHasChanged(t *testing.T) {
	t.Parallel()
	var known Findings
	known.Add(Looked{Question: "read_file", File: "a.txt", Lines: prompt.Lines{First: 1, Last: 2, Of: 4}, Said: step.ToolResult{Text: "a.txt, lines 1 to 2 of 4:\none\ntwo\n[… cut here: continue with start 3]"}})
	for name, c := range map[string]struct {
		change   patch.FileChange
		outdated bool
	}{
		"another file":            {patch.FileChange{Path: "b.txt", After: "three\n"}, false},
		"lines below":             {patch.FileChange{Path: "a.txt", After: "one\ntwo\n3\nfour\n"}, false},
		"only they are left":      {patch.FileChange{Path: "a.txt", After: "one\ntwo\n"}, false},
		"one of them":             {patch.FileChange{Path: "a.txt", After: "one\n2\nthree\nfour\n"}, true},
		"a line above":            {patch.FileChange{Path: "a.txt", After: "zero\none\ntwo\nthree\nfour\n"}, true},
		"less than them is left":  {patch.FileChange{Path: "a.txt", After: "one\n"}, true},
		"the file is deleted":     {patch.FileChange{Path: "a.txt", Kind: patch.Delete}, true},
		"the file has moved away": {patch.FileChange{Path: "b.txt", From: "a.txt", After: "one\ntwo\nthree\nfour\n"}, true},
	} {
		section := known.SectionsAfter(patch.ChangeSet{Files: []patch.FileChange{c.change}})[0]
		if !c.outdated {
			require.Equal(t, known.Sections()[0], section, name)
			continue
		}
		require.Equal(t, "Looked at, 1 (out of date)", section.Name, name)
		require.NotContains(t, section.Text, "two", name)
		require.Zero(t, section.Lines, name)
	}
}
