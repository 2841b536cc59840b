package proposal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/patch"
)

// poem has two hunks: TWO, and a line after five.
const (
	poemBefore = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
	poemAfter  = "one\nTWO\nthree\nfour\nfive\nfive and a half\nsix\nseven\n"
)

func poem() *proposal.Proposal {
	return offer(patch.FileChange{Path: "poem", Before: poemBefore, After: poemAfter})
}

func offer(files ...patch.FileChange) *proposal.Proposal {
	return proposal.New("p-1", "r-1", "write", patch.ChangeSet{Files: files}, nil, nil)
}

func is(text string) func(string) (proposal.Current, error) {
	return func(string) (proposal.Current, error) { return proposal.Current{Text: text, Exists: true}, nil }
}

func missing(string) (proposal.Current, error) { return proposal.Current{}, nil }

// hunksOf lists the hunks of the first file.
func hunksOf(p *proposal.Proposal) (all []string) {
	for _, h := range p.Files[0].Hunks {
		all = append(all, h.ID+" "+string(h.State)+" "+strings.ReplaceAll(h.Edit.New, "\n", "|"))
	}
	return all
}

func TestAmend_HunksThatStayKeepTheirIDs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		now, text string // of the file now, and of the user's version
		want      []string
	}{
		"one hunk changed": {
			poemBefore, strings.Replace(poemAfter, "TWO", "Two", 1), []string{"f1h3 pending Two|", "f1h2 pending five and a half|"},
		},
		"one hunk added": {
			poemBefore, poemAfter + "eight\n", []string{"f1h1 pending TWO|", "f1h2 pending five and a half|", "f1h3 pending eight|"},
		},
		"one hunk omitted": {
			poemBefore, strings.Replace(poemAfter, "TWO", "two", 1), []string{"f1h1 rejected TWO|", "f1h2 pending five and a half|"},
		},
		"all omitted": {poemBefore, poemBefore, []string{"f1h1 rejected TWO|", "f1h2 rejected five and a half|"}},
		"typed text is no hunk": {
			"zero\n" + poemBefore, "zero\n" + strings.Replace(poemAfter, "half", "third", 1), []string{"f1h1 pending TWO|", "f1h3 pending five and a third|"},
		},
		"accepted hunks stay": {
			strings.Replace(poemBefore, "two", "TWO", 1), strings.Replace(poemAfter, "half", "third", 1),
			[]string{"f1h1 accepted TWO|", "f1h3 pending five and a third|"},
		},
		"an accepted hunk is changed": {
			strings.Replace(poemBefore, "two", "TWO", 1), strings.Replace(poemAfter, "TWO", "Two", 1), []string{"f1h3 pending Two|", "f1h2 pending five and a half|"},
		},
		"typed text is changed": {
			"zero\n" + poemBefore, "nought\n" + poemAfter, []string{"f1h3 pending nought|", "f1h1 pending TWO|", "f1h2 pending five and a half|"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := poem()
			require.NoError(t, p.Amend("poem", tc.text, is(tc.now)))
			require.Equal(t, tc.want, hunksOf(p))
			text, _, err := p.Proposed("poem", is(tc.now))
			require.NoError(t, err)
			require.Equal(t, tc.text, text, "the user's version is what is proposed now")
		})
	}
}

func TestAmend_ARejectedHunkKeepsItsNoteWhenAcceptedLinesAreChanged(t *testing.T) {
	t.Parallel()
	p := poem()
	p.Reject([]string{"f1h1"}, "too loud")
	now := "zero\n" + strings.Replace(poemBefore, "six", "five and a half\nsix", 1)
	require.NoError(t, p.Amend("poem", strings.Replace(now, "half", "third", 1), is(now)))
	require.Equal(t, []string{"f1h1 rejected TWO|", "f1h3 pending five and a third|"}, hunksOf(p))
	require.Equal(t, "poem: too loud", p.Rejections())
	at := p.Files[0].Hunks[0].Edit
	require.Equal(t, "two\n", p.Files[0].Change.Before[at.Start:at.End])
}

func TestAmend_CreatedMovedAndDeletedFiles(t *testing.T) {
	t.Parallel()
	p := offer(patch.FileChange{Kind: patch.Create, Path: "new", After: "a\nb\n"})
	require.NoError(t, p.Amend("new", "a\nc\n", missing))
	plans, err := p.Plan([]string{"f1h2"}, missing)
	require.NoError(t, err)
	require.Equal(t, "a\nc\n", plans[0].Want)
	require.Equal(t, patch.Create, plans[0].Kind)

	p.Confirm(plans[0], proposal.Current{Text: "a\nc\n", Exists: true})
	require.NoError(t, p.Amend("new", "a\nd\n", is("a\nc\n")), "the file exists now")
	require.Equal(t, patch.Update, p.Files[0].Change.Kind)
	require.Equal(t, []string{"f1h3 pending d|"}, hunksOf(p))

	moved := offer(patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: "x\ny\n", After: "X\ny\n"})
	from := func(path string) (proposal.Current, error) {
		return proposal.Current{Text: "x\ny\n", Exists: path == "a"}, nil
	}
	require.NoError(t, moved.Amend("b", "X\nY\n", from))
	plans, err = moved.Plan([]string{"f1h2"}, from)
	require.NoError(t, err)
	require.Equal(t, "X\nY\n", plans[0].Want)

	gone := offer(patch.FileChange{Kind: patch.Delete, Path: "a", Before: "x\n"})
	require.ErrorContains(t, gone.Amend("a", "y\n", is("x\n")), "reject the deletion")
	require.ErrorContains(t, gone.Amend("z", "y\n", is("x\n")), "its files are a")
}

func TestAmend_WithoutAChangeHasNoEffect(t *testing.T) {
	t.Parallel()
	p := poem()
	require.NoError(t, p.Amend("poem", "zero\n"+poemAfter, is("zero\n"+poemBefore)))
	require.False(t, p.Files[0].Amended)
	of, _ := p.Checked()
	require.Equal(t, proposal.Whole, of)
}

func TestAmend_IsUnchecked(t *testing.T) {
	t.Parallel()
	p := poem()
	of, _ := p.Checked()
	require.Equal(t, proposal.Whole, of)
	require.NoError(t, p.Amend("poem", poemAfter+"eight\n", is(poemBefore)))
	of, reports := p.Checked()
	require.Equal(t, proposal.Amended, of)
	require.Empty(t, reports)
}

func TestSelectLines_SplitsAHunk(t *testing.T) {
	t.Parallel()
	const before, after = "one\ntwo\nthree\nfour\n", "one\nA\nB\nC\nD\nfour\n"
	p := offer(patch.FileChange{Path: "poem", Before: before, After: after})
	ids, err := p.SelectLines(proposal.Lines{Path: "poem", Start: 2, End: 3}, is(before))
	require.NoError(t, err)
	require.Equal(t, []string{"f1h3"}, ids)
	require.Equal(t, []string{"f1h2 pending A|", "f1h3 pending B|", "f1h4 pending C|D|"}, hunksOf(p))

	plans, err := p.Plan(ids, is(before))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nB\nfour\n", plans[0].Want)
	p.Confirm(plans[0], proposal.Current{Text: plans[0].Want, Exists: true})
	text, _, err := p.Proposed("poem", is(plans[0].Want))
	require.NoError(t, err)
	require.Equal(t, after, text, "the rest is proposed still, in its order")
	p.Reject([]string{"f1h2"}, "too loud")
	text, _, err = p.Proposed("poem", is(plans[0].Want))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nB\nC\nD\nfour\n", text)
	require.Equal(t, "poem: too loud", p.Rejections())

	_, err = p.SelectLines(proposal.Lines{Path: "poem", Start: 0, End: 1}, is(before))
	require.ErrorContains(t, err, "no pending change")
	whole := offer(patch.FileChange{Kind: patch.Create, Path: "new", After: "a\nb\n"})
	_, err = whole.SelectLines(proposal.Lines{Path: "new", Start: 0, End: 1}, missing)
	require.ErrorContains(t, err, "new as a whole")
	ids, err = whole.SelectLines(proposal.Lines{Path: "new", Start: 0, End: 2}, missing)
	require.NoError(t, err)
	require.Equal(t, []string{"f1h1"}, ids)
}

// An insertion has no lines of its own before it, so that all pieces begin at one place.
func TestSelectLines_SplitsAnInsertion(t *testing.T) {
	t.Parallel()
	const before, after = "one\nfive\n", "one\ntwo\nthree\nfour\nfive\n"
	for _, first := range []int{1, 2, 3} {
		p := offer(patch.FileChange{Path: "poem", Before: before, After: after})
		ids, err := p.SelectLines(proposal.Lines{Path: "poem", Start: first, End: first + 1}, is(before))
		require.NoError(t, err)
		plans, err := p.Plan(ids, is(before))
		require.NoError(t, err)
		p.Confirm(plans[0], proposal.Current{Text: plans[0].Want, Exists: true})
		text, _, err := p.Proposed("poem", is(plans[0].Want))
		require.NoError(t, err)
		require.Equal(t, after, text)
	}
}

func TestDecisions_ComeBack(t *testing.T) {
	t.Parallel()
	p := poem()
	p.Reject([]string{"f1h1"}, "why")
	require.NoError(t, p.Amend("poem", "nought\n"+strings.Replace(poemAfter, "TWO", "two", 1), is("zero\n"+poemBefore)))
	raw, err := json.Marshal(p.Decisions())
	require.NoError(t, err)
	var d proposal.Decisions
	require.NoError(t, json.Unmarshal(raw, &d))

	again := poem()
	again.Decide(d)
	require.Equal(t, hunksOf(p), hunksOf(again))
	require.Equal(t, p.Unified(), again.Unified())
	text, _, err := again.Proposed("poem", is("zero\n"+poemBefore))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text, "nought\n"))

	other := offer(patch.FileChange{Path: "poem", Before: poemBefore, After: "another\n"})
	other.Decide(d)
	require.NotEqual(t, hunksOf(p), hunksOf(other), "a run that was resumed has made another change")
	d.Files[0].Hunks[0].Start = 1000
	damaged := poem()
	damaged.Decide(d)
	require.Equal(t, hunksOf(poem()), hunksOf(damaged))
}

func TestChecked_OnlyWhatGatesHaveSeen(t *testing.T) {
	t.Parallel()
	p := poem()
	p.Settle("poem", proposal.Current{Text: strings.Replace(poemBefore, "two", "TWO", 1), Exists: true})
	of, reports := p.Checked()
	require.Equal(t, proposal.Part, of, "one of two hunks is accepted")
	require.Empty(t, reports)
	p.Check = &proposal.Check{Of: p.Taken(false), Reports: []gate.Report{{Gate: "go test", Verdict: gate.Pass}}}
	_, reports = p.Checked()
	require.Len(t, reports, 1)
	p.Settle("poem", proposal.Current{Text: poemAfter, Exists: true})
	of, _ = p.Checked()
	require.Equal(t, proposal.Whole, of)
	p.Settle("poem", proposal.Current{Text: strings.Replace(poemAfter, "TWO", "two", 1), Exists: true})
	_, reports = p.Checked()
	require.Empty(t, reports, "another part")
}

// A check of what is accepted says nothing about the user's own version of the rest.
func TestChecked_OfAnOwnVersionIsOfAllThatIsOpen(t *testing.T) {
	t.Parallel()
	p := poem()
	now := strings.Replace(poemBefore, "two", "TWO", 1)
	p.Settle("poem", proposal.Current{Text: now, Exists: true})
	part := p.Taken(false)
	require.NotEqual(t, p.Taken(true), part)
	require.NoError(t, p.Amend("poem", strings.Replace(poemAfter, "a half", "two thirds", 1), is(now)))
	require.True(t, p.TakesOpen())
	p.Check = &proposal.Check{Of: part, Reports: []gate.Report{{Gate: "go test", Verdict: gate.Pass}}}
	of, reports := p.Checked()
	require.Equal(t, proposal.Amended, of)
	require.Empty(t, reports, "gates have seen the accepted part only")
	p.Check.Of = p.Taken(false)
	_, reports = p.Checked()
	require.Len(t, reports, 1)
	require.Equal(t, p.Taken(true), p.Taken(false))
}
