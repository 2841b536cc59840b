package proposal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// session is a proposal of one file that the user decides about, next to a model of it: the texts that there must be.
type session struct {
	p     *Proposal
	offer patch.FileChange
	now   map[string]string // the files
	// wanted is the proposed text, as far as the user knows it, without what they typed into the file.
	wanted string
	types  bool // the user types into the file, too
	lines  int  // of the user's own
	// inTheWay says that the user has typed next to something that is proposed: it is a conflict, and not proposed any more.
	inTheWay bool

	done, undone []step
}

// step is a change of the files, as the ledger has it.
type step struct{ before, after map[string]string }

const mine = "mine "

// line is a line of the user's own.
func (s *session) line(t *rapid.T) string {
	if s.lines++; s.types { // the text does not show which of two equal lines is whose
		return fmt.Sprintf("own %d\n", s.lines)
	}
	return rapid.SampledFrom([]string{"a\n", "b\n", "}\n", "\n", "own 1\n", "own 2\n", "own 3\n"}).Draw(t, "line")
}

// apart returns what the user typed into the file of a text, and the text without it.
func apart(text string) (typed []string, rest string) {
	for _, line := range patch.SplitLines(text) {
		if strings.HasPrefix(line, mine) {
			typed = append(typed, line)
		} else {
			rest += line
		}
	}
	return typed, rest
}

// write puts a line of the user's own into the file.
func (s *session) write(t *rapid.T) {
	text, exists := s.now[s.path()]
	if !s.types || !exists {
		t.Skip("no file")
	}
	lines := patch.SplitLines(text)
	s.lines++
	at := rapid.IntRange(0, len(lines)).Draw(t, "at")
	s.now[s.path()] = strings.Join(slices.Insert(lines, at, fmt.Sprintf("%s%d\n", mine, s.lines)), "")
	s.settle()
}

func clone(files map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, files)
	return all
}

func (s *session) lookup(path string) (Current, error) {
	text, exists := s.now[path]
	return Current{Text: text, Exists: exists}, nil
}

func (s *session) file() *File { return &s.p.Files[0] }

func (s *session) path() string { return s.offer.Path }

func (s *session) ids(t *rapid.T, state State) string {
	var all []string
	for h := range s.p.hunks() {
		if h.State == state {
			all = append(all, h.ID)
		}
	}
	if len(all) == 0 {
		t.Skip("no hunk is " + string(state))
	}
	return rapid.SampledFrom(all).Draw(t, string(state))
}

func (s *session) proposed(t *rapid.T) (string, []Placement) {
	text, places, err := s.p.Proposed(s.path(), s.lookup)
	require.NoError(t, err)
	return text, places
}

// settle is what a front does when the files have changed.
func (s *session) settle() {
	now, _ := s.lookup(s.path())
	s.p.Settle(s.path(), now)
}

func (s *session) accept(t *rapid.T, ids []string) {
	plans, err := s.p.Plan(ids, s.lookup)
	require.NoError(t, err)
	was := clone(s.now)
	for _, plan := range plans {
		if len(plan.Conflicts) > 0 {
			require.True(t, s.inTheWay, "nothing is in the way of what is proposed")
			s.p.MarkConflict(plan.Conflicts)
		}
		if len(plan.Edits) == 0 {
			continue
		}
		delete(s.now, plan.From)
		s.now[plan.Path] = plan.Want
		s.p.Confirm(plan, Current{Text: plan.Want, Exists: true})
		for h := range s.p.hunks() {
			if plan.holds(h.ID) {
				require.Equal(t, Accepted, h.State, h.ID)
			}
		}
		s.done, s.undone = append(s.done, step{was, clone(s.now)}), nil
	}
}

func (s *session) acceptHunk(t *rapid.T) { s.accept(t, []string{s.ids(t, Pending)}) }

func (s *session) acceptLines(t *rapid.T) {
	text, _ := s.proposed(t)
	start := rapid.IntRange(0, strings.Count(text, "\n")).Draw(t, "start")
	l := Lines{Path: s.path(), Start: start, End: start + rapid.IntRange(1, 4).Draw(t, "lines")}
	ids, err := s.p.SelectLines(l, s.lookup)
	if err != nil {
		t.Skip("nothing there")
	}
	s.check(t)
	s.accept(t, ids)
}

func (s *session) reject(t *rapid.T) {
	s.p.Reject([]string{s.ids(t, Pending)}, "no")
	_, s.wanted = apart(s.text(t))
}

func (s *session) text(t *rapid.T) string {
	text, _ := s.proposed(t)
	return text
}

// amend changes, omits and adds lines of the proposed text.
func (s *session) amend(t *rapid.T) {
	text, _ := s.proposed(t)
	lines := patch.SplitLines(text)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		end := min(len(lines), at+rapid.IntRange(0, 2).Draw(t, "omitted"))
		var put []string
		for range rapid.IntRange(0, 2).Draw(t, "put") {
			put = append(put, s.line(t))
		}
		put = append(put, slices.DeleteFunc(slices.Clone(lines[at:end]), func(line string) bool { return !strings.HasPrefix(line, mine) })...)
		lines = slices.Replace(lines, at, end, put...)
	}
	version := strings.Join(lines, "")
	if s.offer.Kind == patch.Create && strings.TrimSpace(version) == "" {
		t.Skip("an empty file")
	}
	s.inTheWay = s.inTheWay || s.types && s.besideTyped()
	require.NoError(t, s.p.Amend(s.path(), version, s.lookup))
	_, s.wanted = apart(version)
	if s.types {
		s.undone = nil // beside typed lines, what comes back and is not proposed any more counts as typed
	}
}

// undo and redo take the last changes back, as the ledger does.
func (s *session) undo(t *rapid.T) { s.reverse(t, &s.done, &s.undone, true) }

func (s *session) redo(t *rapid.T) { s.reverse(t, &s.undone, &s.done, false) }

func (s *session) reverse(t *rapid.T, from, to *[]step, back bool) {
	if len(*from) == 0 {
		t.Skip("nothing to take back")
	}
	for range rapid.IntRange(1, len(*from)).Draw(t, "steps") {
		last := (*from)[len(*from)-1]
		was, becomes := last.after, last.before
		if !back {
			was, becomes = becomes, was
		}
		if !s.revert(was, becomes) {
			break // the user has typed there
		}
		*from, *to = (*from)[:len(*from)-1], append(*to, last)
	}
	rejected := s.file().clone()
	s.settle()
	for _, h := range rejected.Hunks {
		// What was rejected in place of accepted lines goes with them, and what comes back as a whole is accepted.
		if h.State == Rejected && (len(h.Grounds) > 0 || s.state(h.ID) != Rejected || rejected.origin.Kind != patch.Update) {
			_, s.wanted = apart(s.text(t))
		}
	}
}

// besideTyped reports whether a pending hunk is beside typed lines. In the user's own version these are one, so that what an undo brings back there
// counts as typed.
func (s *session) besideTyped() bool {
	f := s.file().clone()
	places := settler{&f}.placesIn(s.now[s.path()])
	for i, h := range f.Hunks {
		if h.State == Pending && len(touching(places.typed, places.here(i))) > 0 {
			return true
		}
	}
	return false
}

// revert takes a change of the files back; false if the user has typed there.
func (s *session) revert(was, becomes map[string]string) bool {
	next := clone(becomes)
	for path, text := range becomes {
		now, exists := s.now[path]
		if old, existed := was[path]; exists && existed {
			merged, conflicts := patch.Merge(old, now, text)
			if len(conflicts) > 0 {
				return false
			}
			next[path] = merged
		}
	}
	s.now = next
	return true
}

func (s *session) state(id string) State {
	for h := range s.p.hunks() {
		if h.ID == id {
			return h.State
		}
	}
	return ""
}

// restart stores the decisions, and reads them again.
func (s *session) restart(t *rapid.T) {
	raw, err := json.Marshal(s.p.Decisions())
	require.NoError(t, err)
	var d Decisions
	require.NoError(t, json.Unmarshal(raw, &d))
	again := propose(s.offer)
	again.Decide(d)
	for i, h := range again.Files[0].Hunks {
		require.Equal(t, s.file().Hunks[i], h)
	}
	s.p = again
	s.settle()
}

// check is the invariant.
func (s *session) check(t *rapid.T) {
	at, ids := 0, map[string]bool{}
	f := s.file()
	require.NotEmpty(t, f.Hunks)
	for _, h := range f.Hunks {
		require.False(t, ids[h.ID], "%s is there twice", h.ID)
		ids[h.ID] = true
		require.GreaterOrEqual(t, h.Edit.Start, at, "%s: hunks are in order", h.ID)
		require.LessOrEqual(t, h.Edit.End, len(f.Change.Before))
		require.Equal(t, lineAt(f.Change.Before, h.Edit.Start), h.Line)
		require.True(t, h.State != Conflict || s.inTheWay, h.ID)
		at = h.Edit.End
	}
	again := s.p.Clone()
	now, _ := s.lookup(s.path())
	again.Settle(s.path(), now)
	require.Equal(t, f.Hunks, again.Files[0].Hunks, "what is settled stays so")
	text, places := s.proposed(t)
	var pending, placed []string
	for h := range s.p.hunks() {
		if h.State == Pending {
			pending = append(pending, h.ID)
		}
	}
	for _, at := range places {
		placed = append(placed, at.HunkID)
	}
	s.inTheWay = s.inTheWay || s.types && s.untraceable()
	typed, rest := apart(text)
	inFile, file := apart(s.now[s.path()])
	require.Equal(t, inFile, typed, "what the user typed is kept, and proposed")
	if s.inTheWay = s.inTheWay || s.types && len(placed) < len(pending); s.inTheWay {
		return
	}
	require.ElementsMatch(t, pending, placed, "all that is pending is in the proposed text")
	require.Equal(t, s.wanted, rest, "what is proposed")
	if f.Change.Kind == patch.Update {
		_, accepted := apart(f.with(f.in(Accepted)))
		require.Equal(t, file, accepted, "the file is what was there with all that is accepted")
		_, wanted := apart(f.with(f.notRejected()))
		require.Equal(t, s.wanted, wanted, "the proposed text is what was there with all that is not rejected")
	}
}

// untraceable reports whether lines that were accepted belong to no hunk any more, beside typed lines: the user has rejected their own
// version of them, or changed accepted lines in which they had typed. An undo of those is like typing.
func (s *session) untraceable() bool {
	f, grounds := s.file(), 0
	for _, h := range f.Hunks {
		if len(h.Grounds) > 0 {
			grounds++
		}
		if len(h.Grounds) > 0 && h.State == Rejected {
			return true
		}
	}
	return len(s.done) > 0 && grounds == 0 && f.Change.Before == s.now[s.path()]
}

func begin(t *rapid.T, change patch.FileChange) *session {
	s := &session{p: propose(change), offer: change, now: map[string]string{}}
	if len(s.p.Files) == 0 {
		t.Skip("nothing changes")
	}
	switch change.Kind {
	case patch.Update:
		s.now[change.Path] = change.Before
	case patch.Move:
		s.now[change.From] = change.Before
	}
	s.wanted = change.After
	return s
}

// What is proposed, and what is in the file, follow from the states of the hunks, whatever the user decides in whatever order.
func TestProposal_AnySequenceOfDecisions(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(t *rapid.T) patch.FileChange{
		"update": func(t *rapid.T) patch.FileChange {
			return patch.FileChange{Kind: patch.Update, Path: "f", Before: text("before").Draw(t, "before"), After: text("after").Draw(t, "after")}
		},
		"distinct lines": func(t *rapid.T) patch.FileChange { return drawDistinct(t).Files[0].Change },
		"typing":         func(t *rapid.T) patch.FileChange { return drawDistinct(t).Files[0].Change },
		"create": func(t *rapid.T) patch.FileChange {
			return patch.FileChange{Kind: patch.Create, Path: "f", After: "begin\n" + text("after").Draw(t, "after")}
		},
		"move": func(t *rapid.T) patch.FileChange {
			before := "begin\nx\ny\nz\n" + text("before").Draw(t, "before")
			return patch.FileChange{Kind: patch.Move, Path: "f", From: "g", Before: before, After: strings.Replace(before, "x\n", "X\nX2\n", 1)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				s := begin(t, draw(t))
				s.check(t)
				s.types = name == "typing"
				t.Repeat(map[string]func(*rapid.T){
					"accept hunk": s.acceptHunk, "accept lines": s.acceptLines, "reject": s.reject, "amend": s.amend, "undo": s.undo, "redo": s.redo,
					"type": s.write, "restart": s.restart, "": s.check,
				})
			})
		})
	}
}
