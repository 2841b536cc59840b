package memory

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/internal/failpoint"
	"forge/internal/testkit"
)

// openShared opens what processes have written.
func openShared(t *testing.T, folder string) *Project {
	t.Helper()
	c := &clock{noon}
	p, err := Open(t.Context(), folder, "shared", Options{Now: c.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.Empty(t, p.Notes())
	require.Empty(t, p.Global.Notes())
	return p
}

// written counts the rows of transact that are there, of one writer.
func written(t *testing.T, p *Project, by string) (rows int) {
	t.Helper()
	for store, queries := range map[*Store][]string{
		p.Store:        {`SELECT count(*) FROM memory WHERE agent = ?`, `SELECT count(*) FROM spec_versions WHERE prompt = ?`, `SELECT count(*) FROM evidence WHERE run = ?`},
		p.Global.Store: {`SELECT count(*) FROM memory WHERE agent = ?`},
	} {
		for _, query := range queries {
			var n int
			require.NoError(t, store.db.Read().QueryRow(query, by).Scan(&n))
			rows += n
		}
	}
	return rows
}

// requireWhole proves that counts are those of the evidence, versions have no gap, and each row has its words.
func requireWhole(t *testing.T, p *Project) {
	t.Helper()
	for query, want := range map[string]int{
		`SELECT (SELECT ifnull(sum(successes + failures), 0) FROM patterns) - (SELECT count(*) FROM evidence)`: 0,
		`SELECT ifnull(max(version), 0) - count(*) FROM spec_versions`:                                         0,
		`SELECT (SELECT count(*) FROM memory) - (SELECT count(*) FROM memory_words)`:                           0,
		`SELECT (SELECT count(*) FROM patterns) - (SELECT count(*) FROM pattern_words)`:                        0,
		`SELECT version FROM index_state`:                                                                      indexVersion,
	} {
		var got int
		require.NoError(t, p.db.Read().QueryRow(query).Scan(&got))
		require.Equal(t, want, got, query)
	}
}

// TestProcesses_ShareAMemory lets four processes open a memory that is not there yet, at once, and make 400
// transactions each: none finds the database locked, and nothing is lost.
func TestProcesses_ShareAMemory(t *testing.T) {
	t.Parallel()
	const processes = 4
	folder := t.TempDir()
	var running sync.WaitGroup
	begin := make([]io.Closer, processes)
	outputs, errs := make([]strings.Builder, processes), make([]error, processes)
	var pids []string
	for i := range processes {
		cmd := process(t, "transactions", folder)
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		begin[i], cmd.Stderr = stdin, &outputs[i]
		require.NoError(t, cmd.Start())
		pids = append(pids, fmt.Sprint(cmd.Process.Pid))
		running.Go(func() { errs[i] = cmd.Wait() })
	}
	for _, b := range begin {
		require.NoError(t, b.Close())
	}
	running.Wait()
	for i := range processes {
		require.NoError(t, errs[i], outputs[i].String())
	}
	p := openShared(t, folder)
	for _, pid := range pids {
		require.Equal(t, 400, written(t, p, pid))
	}
	shared, err := p.FindPattern(t.Context(), Convention, "shared by all")
	require.NoError(t, err)
	require.Equal(t, processes*100, shared.Successes)
	requireWhole(t, p)
}

// TestProcesses_KilledWritersLoseNothing kills a process 200 times while it writes: what it had acknowledged is there.
func TestProcesses_KilledWritersLoseNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(4, 2))
	acknowledged := map[string]int{}
	for i := range testkit.Cases(8, 200) {
		by := fmt.Sprint("writer", i)
		acknowledged[by] = killedAfter(t, folder, by, random.IntN(10), time.Duration(random.IntN(2000))*time.Microsecond)
	}
	p := openShared(t, folder)
	for by, rows := range acknowledged {
		require.GreaterOrEqual(t, written(t, p, by), rows)
		require.LessOrEqual(t, written(t, p, by), rows+1, "more than the one that was under way")
	}
	requireWhole(t, p)
}

// killedAfter kills a writer some time after it acknowledged so many rows, and gives how many it did.
func killedAfter(t *testing.T, folder, by string, rows int, then time.Duration) (acknowledged int) {
	t.Helper()
	cmd := process(t, "acknowledge", folder, "FORGE_MEMORY_BY="+by)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range rows {
		require.True(t, lines.Scan(), stderr.String())
		acknowledged++
	}
	killed := time.AfterFunc(then, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		acknowledged++
	}
	killed.Stop()
	require.Error(t, cmd.Wait())
	require.Empty(t, stderr.String())
	return acknowledged
}

// diedAt lets another process do something until a place where it dies.
func diedAt(t *testing.T, what, folder, place, in string) {
	t.Helper()
	cmd := process(t, what, folder, failpoint.Environment+"="+place)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "no process passed %s", place)
	require.Empty(t, string(out), "it died of something else")
}

// TestProcesses_KilledAtEachPlace kills a process at each place of this package: to do it again ends it.
func TestProcesses_KilledAtEachPlace(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 2 * importBatch {
		fmt.Fprintf(&file, `{"kind":"entry","tier":"episodic","key":"%d","value":"word%d","source":{"origin":"web"}}`+"\n", i, i)
	}
	ctx := t.Context()
	full := func(t *testing.T, folder string) {
		t.Helper()
		p := openShared(t, folder)
		_, err := p.Import(ctx, strings.NewReader(file.String()), "f")
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
	places := map[string]func(t *testing.T, folder string){
		failImported: func(t *testing.T, folder string) {
			diedAt(t, "import", folder, failImported, file.String())
			p := openShared(t, folder)
			got, err := p.Import(ctx, strings.NewReader(file.String()), "f")
			require.NoError(t, err)
			require.Equal(t, Imported{Added: importBatch, Known: importBatch}, got)
			requireWhole(t, p)
		},
		failCollected: func(t *testing.T, folder string) {
			full(t, folder)
			diedAt(t, "collect", folder, failCollected, "")
			p := openShared(t, folder)
			_, err := p.GC(ctx, noon.Add(100*day))
			require.NoError(t, err)
			left, err := p.List(ctx, EntryFilter{})
			require.NoError(t, err)
			require.Empty(t, left)
			requireWhole(t, p)
		},
		failIndexed: func(t *testing.T, folder string) {
			full(t, folder)
			for n := 1; n <= 3; n++ {
				diedAt(t, "reindex", folder, fmt.Sprint(failIndexed, ":", n), "")
			}
			p := openShared(t, folder)
			requireWhole(t, p)
			hits, err := p.Recall(ctx, Query{Text: "word399", Tiers: []Tier{Episodic}})
			require.NoError(t, err)
			require.Equal(t, []string{"399"}, texts(hits))
		},
	}
	require.Len(t, places, len(testkit.Failpoints("memory")), "a place without a test")
	for _, place := range testkit.Failpoints("memory") {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			places[place](t, t.TempDir())
		})
	}
}
