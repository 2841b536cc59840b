package state

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/permission"
	"forge/engine/secret"
)

// allowedOnce is the row of an answer that holds once.
func allowedOnce(digest string) permission.Row {
	return permission.Row{Time: time.Now(), Digest: digest, Layer: "answer", Verdict: permission.Allow.String(), Scope: permission.Once}
}

// Approvals counts what this process and others have recorded since it last looked, and nothing behind a row that does not fit.
func TestApprovals_FollowTheLog(t *testing.T) {
	t.Parallel()
	one := permissionsOf(t, secret.New())
	other := &Permissions{project: one.project}
	require.Zero(t, one.Approvals("a"))
	for i := range 3 {
		require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
		require.NoError(t, other.Record(t.Context(), allowedOnce("a")))
		require.NoError(t, other.Record(t.Context(), permission.Row{Digest: "a", Verdict: "deny"}))
		require.Equal(t, 2*(i+1), one.Approvals("a"))
	}
	require.Zero(t, one.Approvals("b"))

	log := one.file("audit.jsonl")
	require.NoError(t, os.Rename(log, log+".old"))
	require.Zero(t, one.Approvals("a"), "the log was moved away")
	require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
	require.Equal(t, 1, one.Approvals("a"))
	require.Equal(t, 1, other.Approvals("a"), "the new log, not the old one")
	rows, err := one.Audit()
	require.NoError(t, err)
	require.Len(t, rows, 1)

	forged, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = forged.Write(append(allowedOnce("a").After(permission.Row{Seq: 8}).Line(), '\n'))
	require.NoError(t, err)
	require.NoError(t, forged.Close())
	require.Equal(t, 1, one.Approvals("a"), "a row that does not fit allows nothing")
	require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
	require.Equal(t, 1, one.Approvals("a"), "nor does one behind it")
}

// A row that was being written when the disk was full, or the process died, was never recorded: the next one takes its place.
func TestRecord_ContinuesBehindARowThatWasNotFinished(t *testing.T) {
	t.Parallel()
	one := permissionsOf(t, secret.New())
	other := &Permissions{project: one.project}
	require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
	log := one.file("audit.jsonl")
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	for _, unfinished := range []string{`{"seq":2,"ti`, "\x00\x00\x00", string(data[:len(data)-1])} {
		now, err := os.ReadFile(log)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(log, append(now, unfinished...), 0o600))
		require.NoError(t, other.Record(t.Context(), allowedOnce("a")), unfinished)
	}
	rows, err := one.Audit()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, 4, one.Approvals("a"))
}

// What the disk has no room for leaves no part of a row behind.
func TestAuditLog_TakesAFailedRowBack(t *testing.T) {
	t.Parallel()
	one := permissionsOf(t, secret.New())
	require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
	whole, err := os.ReadFile(one.file("audit.jsonl"))
	require.NoError(t, err)
	full, err := os.OpenFile(one.file("audit.jsonl"), os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	defer full.Close() //nolint:errcheck // only tested
	require.Error(t, one.log.add(halfFull{full}, allowedOnce("b"), one.head()))
	now, err := os.ReadFile(one.file("audit.jsonl"))
	require.NoError(t, err)
	require.Equal(t, string(whole), string(now))
	require.NoError(t, one.Record(t.Context(), allowedOnce("a")))
}

// halfFull is a file on a disk that has room for the beginning of a row.
type halfFull struct{ *os.File }

func (f halfFull) Write(row []byte) (int, error) {
	n, _ := f.File.Write(row[:len(row)/2])
	return n, syscall.ENOSPC
}

// BenchmarkRecord measures a question behind a log of 20,000 rows: how often the call was allowed, and the row of the answer.
func BenchmarkRecord(b *testing.B) {
	p, err := New(Options{Dir: b.TempDir(), Now: time.Now, Secrets: secret.New()}).Project(b.TempDir())
	require.NoError(b, err)
	log := p.Permissions()
	for range 20_000 {
		require.NoError(b, log.Record(b.Context(), permission.Row{Verdict: "deny", Call: `{"argv":["go","generate","./..."]}`}))
	}
	for b.Loop() {
		_ = log.Approvals("a")
		_ = log.Record(b.Context(), allowedOnce("b"))
	}
}
