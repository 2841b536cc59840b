package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

// errOverflow ends a command that fills the disk.
var errOverflow = errors.New("too much was written onto the disk")

// minFree is how many bytes must stay free on the disk.
const minFree = 256 << 20

// lookAtDisk fails with errOverflow if a folder has grown by limit bytes since the first check, or the disk is almost full.
func lookAtDisk(dir string, limit int64) look {
	first := int64(-1) // at the first check
	return func(ctx context.Context) error {
		size := sizeOf(ctx, dir)
		if first < 0 {
			first = size
		}
		if ctx.Err() == nil && (size-first >= limit || almostFull(dir)) {
			return errOverflow
		}
		return nil
	}
}

// sizeOf returns the disk usage of a folder in bytes, as far as it can be read while it changes.
func sizeOf(ctx context.Context, dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // deleted files take nothing
		}
		if info, err := entry.Info(); err == nil {
			sum += onDisk(info)
		}
		return nil
	})
	return sum
}
