//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

var _ = onThisSystem("small files", withSmallFiles)

// withSmallFiles is what a process does whose files may not grow: the nearest thing to a full disk on any system.
func withSmallFiles(ctx context.Context, file string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200 << 10, Max: 200 << 10}); err != nil {
		return err
	}
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: one, Full: true})
	if err != nil {
		return err
	}
	written := 0
	for ; err == nil && written < 1000; written++ {
		err = insert(ctx, db, strings.Repeat("x", 10_000), written)
	}
	if !errors.Is(err, sqlite.ErrDisk) {
		return fmt.Errorf("after %d rows: %w", written, err)
	}
	fmt.Println(written - 1)
	return db.Close()
}

func TestLimit_FilesThatMayNotGrow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.db")
	cmd := process(t, "small files", file)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var written int
	_, err = fmt.Sscan(string(out), &written)
	require.NoError(t, err)
	require.NotZero(t, written)
	require.Equal(t, written, count(t, opened(t, file), "true"))
}
