package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

var (
	_ = onThisSystem("full disk", onSmallDisk(fullDisk))
	_ = onThisSystem("read-only disk", onSmallDisk(readOnlyDisk))
)

// onSmallDisk is what a process does that has a disk of its own: a megabyte, mounted over the file's folder, in a
// namespace that ends with it.
func onSmallDisk(do func(ctx context.Context, file string, db *sqlite.DB) error) func(ctx context.Context, file string) error {
	return func(ctx context.Context, file string) error {
		if err := syscall.Mount("small", filepath.Dir(file), "tmpfs", 0, "size=1m,mode=700"); err != nil {
			return fmt.Errorf("mount a small disk: %w", err)
		}
		db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: one, Full: true})
		if err != nil {
			return err
		}
		defer db.Close()
		if err := insert(ctx, db, "first", 1); err != nil {
			return err
		}
		return do(ctx, file, db)
	}
}

func readOnlyDisk(ctx context.Context, file string, db *sqlite.DB) error {
	folder := filepath.Dir(file)
	if err := db.Close(); err != nil {
		return err
	}
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("make the disk read-only: %w", err)
	}
	if _, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: one}); !errors.Is(err, sqlite.ErrReadOnly) {
		return fmt.Errorf("on a read-only disk: %w", err)
	}
	if _, err := sqlite.Open(ctx, filepath.Join(folder, "new", "b.db"), sqlite.Options{Migrations: one}); !errors.Is(err, sqlite.ErrReadOnly) {
		return fmt.Errorf("of a new file on a read-only disk: %w", err)
	}
	return nil
}

// fullDisk writes until the disk is full, and goes on when there is room again.
func fullDisk(ctx context.Context, file string, db *sqlite.DB) error {
	ballast := filepath.Join(filepath.Dir(file), "ballast")
	if err := os.WriteFile(ballast, make([]byte, 500<<10), 0o600); err != nil {
		return err
	}
	written, err := 0, error(nil)
	for ; err == nil && written < 1000; written++ {
		err = insert(ctx, db, strings.Repeat("x", 10_000), written)
	}
	if !errors.Is(err, sqlite.ErrFull) {
		return fmt.Errorf("after %d rows: %w", written, err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if err := insert(ctx, db, "later", 1); err != nil {
		return fmt.Errorf("when there is room again: %w", err)
	}
	var rows int
	if err := db.Read().QueryRow("SELECT count(*) FROM rows").Scan(&rows); err != nil || rows != written+1 {
		return fmt.Errorf("%d rows of %d: %w", rows, written+1, err)
	}
	return db.Write(ctx, func(tx *sql.Tx) error {
		var verdict string
		if err := tx.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			return fmt.Errorf("%s: %w", verdict, err)
		}
		return nil
	})
}

// TestFull_DiskIsFullOrReadOnly has clear errors, and nothing that was written is lost.
func TestFull_DiskIsFullOrReadOnly(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"full disk", "read-only disk"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			cmd := process(t, what, filepath.Join(t.TempDir(), "a.db"))
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Skipf("not run: no file system may be mounted here, not even in a namespace: %v", err)
			}
			require.NoError(t, err, string(out))
		})
	}
}
