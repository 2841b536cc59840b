package permission

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestApproval_HoldsForTheCallThatWasShown(t *testing.T) {
	t.Parallel()
	shown := starts("make", "all")
	given := Approve(shown.Digest(), Once, "r-1", "q1", now)
	code := func(a Action, p Approval, at time.Time, used bool) string {
		if err := p.Covers(a, at, used); err != nil {
			require.NotEmpty(t, err.Error())
			return err.Code
		}
		return ""
	}
	require.Empty(t, code(shown, given, now, false), "the twin: it holds")
	require.Equal(t, "approval_replayed", code(shown, given, now, true))
	require.Equal(t, "approval_expired", code(shown, given, given.Expires, false))
	require.Equal(t, "approval_altered", code(starts("make", "alL"), given, now, false))
	require.Equal(t, "approval_altered", code(starts("make all"), given, now, false), "one argument is not two")
	elsewhere := shown
	elsewhere.Folder = "/g"
	require.Equal(t, "approval_altered", code(elsewhere, given, now, false))
	wider := given
	wider.Scope = Project
	require.Equal(t, "approval_altered", code(shown, wider, now, false))
	longer := given
	longer.Expires = longer.Expires.Add(time.Nanosecond)
	require.Equal(t, "approval_altered", code(shown, longer, now, false))
	other := given
	other.Question = "q2"
	require.Equal(t, "approval_altered", code(shown, other, now, false))
}

// Any byte of what is executed, altered after the user has seen it, is refused.
func TestApproval_AlteredByAByte(t *testing.T) {
	t.Parallel()
	shown := starts("make", "-C", "sub", "all")
	given := Approve(shown.Digest(), Run, "r-1", "q1", now)
	for i := range shown.Call {
		altered := shown
		changed := []byte(altered.Call)
		changed[i] ^= 1
		altered.Call = string(changed)
		require.NotNil(t, given.Covers(altered, now, false), fmt.Sprint(i))
	}
}

func TestGrant_Holds(t *testing.T) {
	t.Parallel()
	run := Grant{Digest: "d", Scope: Run, Run: "r-1", Expires: now.Add(time.Hour)}
	require.True(t, run.Holds("r-1", now))
	require.False(t, run.Holds("r-2", now))
	require.False(t, run.Holds("r-1", now.Add(time.Hour)))
	project := run
	project.Scope = Project
	require.True(t, project.Holds("r-2", now))
	require.Nil(t, project.Covers("d", now))
	require.NotNil(t, project.Covers("e", now))
	require.False(t, Grant{Digest: "d", Scope: Once, Run: "r-1", Expires: now.Add(1)}.Holds("r-1", now))
}

func TestVerify_FindsTheFirstRowThatDoesNotFit(t *testing.T) {
	t.Parallel()
	var lines [][]byte
	var last Row
	for i := range 5 {
		last = Row{Time: now.Add(time.Duration(i)), Run: "r-1", Tool: "run_command", Verdict: "deny"}.After(last)
		lines = append(lines, last.Line())
	}
	head := Head{Seq: last.Seq, Hash: last.Hash}
	rows, err := Verify(lines, head)
	require.NoError(t, err)
	require.Len(t, rows, 5)
	broken := func(change func(l [][]byte) [][]byte) int {
		copied := make([][]byte, len(lines))
		for i := range lines {
			copied[i] = append([]byte(nil), lines[i]...)
		}
		var found *BrokenError
		_, err := Verify(change(copied), head)
		require.ErrorAs(t, err, &found)
		return found.Row
	}
	require.Equal(t, 3, broken(func(l [][]byte) [][]byte { return append(l[:2], l[3:]...) }), "a row was removed")
	require.Equal(t, 2, broken(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }))
	require.Equal(t, 1, broken(func(l [][]byte) [][]byte { return l[1:] }))
	require.Equal(t, 4, broken(func(l [][]byte) [][]byte { l[3] = []byte("{}"); return l }))
	require.Equal(t, 5, broken(func(l [][]byte) [][]byte { return l[:4] }), "the last row was removed")
	require.Equal(t, 1, broken(func([][]byte) [][]byte { return nil }), "the log was emptied")
	require.Equal(t, 5, broken(func(l [][]byte) [][]byte {
		row, err := ReadRow(l[3])
		require.NoError(t, err)
		return append(l[:4], Row{Tool: "other"}.After(row).Line())
	}), "the last row was replaced")
	_, err = Verify(lines, Head{Seq: 3, Hash: rows[2].Hash})
	require.NoError(t, err, "the log goes on behind its head after a crash")
	require.Equal(t, 5, broken(func(l [][]byte) [][]byte {
		var r Row
		require.NoError(t, json.Unmarshal(l[3], &r))
		r.Verdict = "allow"
		r.Hash = r.sum()
		l[3] = r.Line()
		return l
	}), "a row that was sealed again does not fit the next")
	for at := range lines[2] { // any byte of any row
		require.Equal(t, 3, broken(func(l [][]byte) [][]byte { l[2][at] ^= 1; return l }), at)
	}
}
