package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
	"forge/internal/testkit"
)

const (
	processes    = 4
	transactions = 400
)

// writeMany opens the file with others that do the same at this moment, as soon as in ends, and writes its share.
func writeMany(ctx context.Context, file string, in io.Reader) error {
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: one})
	if err != nil {
		return err
	}
	for i := range transactions {
		if err := insert(ctx, db, fmt.Sprint(os.Getpid()), i); err != nil {
			return fmt.Errorf("transaction %d: %w", i, err)
		}
	}
	return db.Close()
}

// TestProcesses_ShareANewFile lets four processes open a file that is not there yet, at once, and write 400
// transactions each: none finds the database locked.
func TestProcesses_ShareANewFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "a.db")
	var running sync.WaitGroup
	begin := make([]io.Closer, processes)
	outputs, errs := make([]strings.Builder, processes), make([]error, processes)
	for i := range processes {
		cmd := process(t, "transactions", file)
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		begin[i], cmd.Stderr = stdin, &outputs[i]
		require.NoError(t, cmd.Start())
		running.Go(func() { errs[i] = cmd.Wait() })
	}
	for _, b := range begin {
		require.NoError(t, b.Close())
	}
	running.Wait()
	for i := range processes {
		require.NoError(t, errs[i], outputs[i].String())
	}
	db := opened(t, file)
	require.Equal(t, processes*transactions, count(t, db, "true"))
}

// writeAlways writes rows, and says which of them were acknowledged.
func writeAlways(ctx context.Context, file, by string, out io.Writer) error {
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: one})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := insert(ctx, db, by, i); err != nil {
			return err
		}
		fmt.Fprintln(out, i)
	}
}

// TestProcesses_KilledWritersLoseNothing kills a process 200 times while it writes: what it had acknowledged is there.
func TestProcesses_KilledWritersLoseNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.db")
	random := rand.New(rand.NewPCG(4, 2))
	acknowledged := map[string]int{}
	for i := range testkit.Cases(20, 200) {
		by := fmt.Sprint(i)
		acknowledged[by] = killedAfter(t, file, by, random.IntN(12), time.Duration(random.IntN(2000))*time.Microsecond)
	}
	db := opened(t, file)
	for by, rows := range acknowledged {
		require.GreaterOrEqual(t, count(t, db, "writer = '"+by+"'"), rows)
	}
	require.NoError(t, db.Close())
	require.Equal(t, []string{"a.db"}, files(t, filepath.Dir(file)))
}

// killedAfter kills a writer some time after it acknowledged so many rows, and returns how many it did.
func killedAfter(t *testing.T, file, by string, rows int, then time.Duration) (acknowledged int) {
	t.Helper()
	cmd := process(t, "acknowledge", file, "FORGE_SQLITE_BY="+by)
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
