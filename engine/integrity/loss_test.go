package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestLoss_Loses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change patch.FileChange
		loses  bool
	}{
		"new":                   {patch.FileChange{Kind: patch.Create, After: "a"}, false},
		"gone":                  {patch.FileChange{Kind: patch.Delete, Before: "a"}, true},
		"moved":                 {patch.FileChange{Kind: patch.Move, From: "x", Before: "a", After: "a"}, true},
		"added to the end":      {patch.FileChange{Before: "a\nb\n", After: "a\nb\nc\n"}, false},
		"added in between":      {patch.FileChange{Before: "a\nb\n", After: "a\nc\nb\n"}, false},
		"indented":              {patch.FileChange{Before: "a\n  b\n", After: "a\n\tb\n"}, false},
		"a blank line less":     {patch.FileChange{Before: "a\n\nb\n", After: "a\nb\n"}, false},
		"a line less":           {patch.FileChange{Before: "a\nb\nb\n", After: "a\nb\n"}, true},
		"a line changed":        {patch.FileChange{Before: "a\nb\n", After: "a\nc\n"}, true},
		"in another order":      {patch.FileChange{Before: "a\nb\n", After: "b\na\n"}, true},
		"commented out":         {patch.FileChange{Before: "a\nb\n", After: "a\n// b\n"}, true},
		"everything":            {patch.FileChange{Before: "a\nb\n", After: ""}, true},
		"without a final break": {patch.FileChange{Before: "a\nb", After: "a\nb\nc"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.loses, Loses(c.change))
		})
	}
}
