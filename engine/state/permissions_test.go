package state

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/permission"
	"forge/engine/secret"
)

func permissionsOf(t *testing.T, secrets *secret.Redactor) *Permissions {
	t.Helper()
	p, err := New(Options{Dir: t.TempDir(), Now: time.Now, Secrets: secrets}).Project(t.TempDir())
	require.NoError(t, err)
	return p.Permissions()
}

// Several processes write one chain, of which any altered row is found.
func TestPermissions_TheAuditLogIsAChain(t *testing.T) {
	t.Parallel()
	secrets := secret.New()
	secrets.Learn(secret.Value{Name: "K", Text: "hunter2-hunter2"})
	one := permissionsOf(t, secrets)
	other := &Permissions{project: one.project}
	var writing sync.WaitGroup
	for _, p := range []*Permissions{one, other} {
		writing.Go(func() {
			for range 20 {
				if err := p.Record(t.Context(), permission.Row{Time: time.Now(), Run: "r-1", Tool: "run_command", Call: `["echo","hunter2-hunter2"]`, Verdict: "deny"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	rows, err := one.Audit()
	require.NoError(t, err)
	require.Len(t, rows, 40)
	log := one.file("audit.jsonl")
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NotContains(t, string(data), "hunter2")
	info, err := os.Stat(log)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	lines := bytes.SplitAfter(data, []byte("\n"))
	require.NoError(t, os.WriteFile(log, bytes.Join(append(lines[:6:6], lines[7:]...), nil), 0o600))
	var broken *permission.BrokenError
	_, err = one.Audit()
	require.ErrorAs(t, err, &broken)
	require.Equal(t, 7, broken.Row)
	require.NoError(t, os.WriteFile(log, bytes.Join(lines[:30], nil), 0o600))
	_, err = one.Audit()
	require.ErrorAs(t, err, &broken)
	require.Equal(t, 31, broken.Row)
	require.ErrorContains(t, one.Record(t.Context(), permission.Row{}), "last rows were removed", "a log that has lost rows is not continued")
	require.NoError(t, os.WriteFile(log, data[:len(data)-3], 0o600))
	require.ErrorContains(t, one.Record(t.Context(), permission.Row{}), "forge audit verify", "a log that was cut off is not continued")
}

func TestPermissions_AnswersAreKeptUntilReset(t *testing.T) {
	t.Parallel()
	p := permissionsOf(t, secret.New())
	now := time.Now()
	give := func(tool, digest string, scope permission.Scope) {
		require.NoError(t, p.Keep(t.Context(), permission.Grant{Tool: tool, Digest: digest, Scope: scope, Run: "r-1", Given: now, Expires: now.Add(time.Hour)}))
	}
	give("run_command", "a", permission.Project)
	give("run_command", "a", permission.Project)
	give("web.fetch", "b", permission.Run)
	all, err := p.Grants()
	require.NoError(t, err)
	require.Len(t, all, 2, "the same answer is kept once")
	holds := func(digest, run string) bool {
		g, err := p.Standing(digest, run, now)
		require.NoError(t, err)
		return g != nil
	}
	require.True(t, holds("a", "r-2"))
	require.True(t, holds("b", "r-1"))
	require.False(t, holds("b", "r-2"))
	n, err := p.Reset(t.Context(), "web.fetch")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.False(t, holds("b", "r-1"))
	n, err = p.Reset(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, os.WriteFile(p.file("permissions.json"), []byte(strings.Repeat("x", 9)), 0o600))
	require.False(t, holds("a", "r-2"), "a file that was damaged allows nothing")
}
