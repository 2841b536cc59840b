package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// errOverflow ends a command that fills the disk.
var errOverflow = errors.New("too much was written onto the disk")

// How often the disk is looked at; a look at the folder may take a twentieth of the time.
const (
	lookEvery = 100 * time.Millisecond
	lookShare = 20
)

// minFree is how many bytes stay free on the disk, whoever fills it.
const minFree = 256 << 20

// watchDisk gives a context that ends with errOverflow when the command's folder has grown by limit bytes since the first
// look, or when the disk is all but full. What ends before the first look costs nothing. stop ends the watch, and waits for it.
func watchDisk(ctx context.Context, dir string, limit int64) (watched context.Context, stop func()) {
	if limit <= 0 {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if growsPast(watched, dir, limit) {
			cancel(errOverflow)
		}
	}()
	return watched, func() {
		cancel(nil)
		<-done
	}
}

// growsPast blocks until the folder has grown past the limit, or ctx ends.
func growsPast(ctx context.Context, dir string, limit int64) bool {
	first := int64(-1) // of the first look
	for pause := lookEvery; ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		began := time.Now()
		size := sizeOf(ctx, dir)
		if first < 0 {
			first = size
		}
		if size-first >= limit || almostFull(dir) {
			return ctx.Err() == nil
		}
		pause = max(lookEvery, lookShare*time.Since(began))
	}
}

// sizeOf is how many bytes of the disk a folder takes, as far as it can be read while it changes.
func sizeOf(ctx context.Context, dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err == nil && !entry.IsDir() {
			sum += bytesOf(entry)
		}
		return nil //nolint:nilerr // what is gone meanwhile takes nothing
	})
	return sum
}

// bytesOf is what a file takes on the disk.
func bytesOf(entry fs.DirEntry) int64 {
	info, err := entry.Info()
	if err != nil {
		return 0
	}
	return onDisk(info)
}
