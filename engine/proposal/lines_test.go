package proposal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/proposal"
	"forge/patch"
)

func TestSelectLines_PartsOfAHunkKeepLinesApartWithoutAFinalLineEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		start, end          int
		want                string
	}{
		{"an appended line in the middle", "x", "x\na\nb", 1, 2, "x\na"},
		{"the last appended line", "x", "x\na\nb", 2, 3, "x\nb"},
		{"all appended lines", "x", "x\na\nb", 1, 3, "x\na\nb"},
		{"more lines in place of the last one", "w\nx", "w\na\nb\nc", 3, 4, "w\nx\nc"},
		{"with Windows line ends", "w\r\nx", "w\r\nx\r\na\r\nb", 2, 3, "w\r\nx\r\na"},
		{"with a line end after it", "x", "x\na\nb\n", 1, 2, "x\na"},
		{"an empty line", "x", "x\n\nb", 1, 2, "x\n"},
		{"in a file with a final line end", "x\n", "x\na\nb\n", 1, 2, "x\na\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cs := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: c.before, After: c.after}}}
			p := proposal.New("p-1", "r-1", "t", cs, nil, func(string) bool { return true })
			now := func(string) (proposal.Current, error) { return proposal.Current{Text: c.before, Exists: true}, nil }

			ids, err := p.SelectLines(proposal.Lines{Path: "f", Start: c.start, End: c.end}, now)
			require.NoError(t, err)
			plans, err := p.Plan(ids, now)
			require.NoError(t, err)
			require.Equal(t, c.want, plans[0].Want)

			p.Confirm(plans[0], proposal.Current{Text: c.want, Exists: true})
			taken := func(string) (proposal.Current, error) { return proposal.Current{Text: c.want, Exists: true}, nil }
			whole, places, err := p.Proposed("f", taken)
			require.NoError(t, err)
			require.Equal(t, c.after, whole, "all pieces together are the whole change")
			for _, at := range places {
				again, err := p.SelectLines(at.Lines, taken)
				require.NoError(t, err)
				require.Contains(t, again, at.HunkID, "a piece is where the proposed text shows it")
			}
		})
	}
}

// Lines of a text that has changed since select nothing and split nothing.
func TestSelectLines_OfAnotherTextFails(t *testing.T) {
	t.Parallel()
	const mark = patch.ByteOrderMark
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	cs := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: mark + "a\nb\nc\n", After: mark + "a\nX\nY\nc\n"}}}
	p := proposal.New("p-1", "r-1", "t", cs, nil, func(string) bool { return true })
	is := func(text string) func(string) (proposal.Current, error) {
		return func(string) (proposal.Current, error) { return proposal.Current{Text: mark + text, Exists: true}, nil }
	}
	lines := proposal.Lines{Path: "f", Start: 1, End: 2, Digest: digest("a\nX\nY\nc\n")}

	_, err := p.SelectLines(lines, is("new\na\nb\nc\n"))
	require.ErrorContains(t, err, "f has changed since it was shown")
	require.Len(t, p.Files[0].Hunks, 1)
	ids, err := p.SelectLines(lines, is("a\nb\nc\n"))
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.Len(t, p.Files[0].Hunks, 2, "the text was shown without its byte order mark")
}

func TestSelectLines_OfATextShownWithoutCarriageReturns(t *testing.T) {
	t.Parallel()
	cs := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: "a\r\nb\r\n", After: "a\r\nX\r\n"}}}
	p := proposal.New("p-1", "r-1", "t", cs, nil, func(string) bool { return true })
	sum := sha256.Sum256([]byte("a\nX\n"))
	ids, err := p.SelectLines(proposal.Lines{Path: "f", Start: 1, End: 2, Digest: hex.EncodeToString(sum[:])}, func(string) (proposal.Current, error) {
		return proposal.Current{Text: "a\r\nb\r\n", Exists: true}, nil
	})
	require.NoError(t, err)
	require.Len(t, ids, 1)
}

// Where a hunk is in the text as it is now moves with what the user types, and is the lines that it replaces.
func TestProposed_PlacesHunksInTheTextOfNow(t *testing.T) {
	t.Parallel()
	const before = "a\nb\nc\nd\ne\n"
	cs := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", Before: before, After: "a\nB\nBB\nc\nd\nnew\ne\n"}}}
	p := proposal.New("p-1", "r-1", "t", cs, nil, func(string) bool { return true })
	now := func(string) (proposal.Current, error) {
		return proposal.Current{Text: "typed\n" + before, Exists: true}, nil
	}
	_, places, err := p.Proposed("f", now)
	require.NoError(t, err)
	require.Equal(t, []proposal.Placement{
		{HunkID: "f1h1", Lines: proposal.Lines{Path: "f", Start: 2, End: 4}, Now: proposal.Lines{Path: "f", Start: 2, End: 3}},
		{HunkID: "f1h2", Lines: proposal.Lines{Path: "f", Start: 6, End: 7}, Now: proposal.Lines{Path: "f", Start: 5, End: 5}},
	}, places)
}
