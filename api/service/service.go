// Package service answers the commands of package api that are the same for an editor and a terminal: each is one
// function, with the arguments and the result that api declares.
//
//	lsp, cmd/forge ─► decode ─► service.F(ctx, engine, folder, arguments) ─► result, or error ─► show
//
// The engine comes in as a small interface for each subject; *engine.Engine has all of them. Errors are those of the
// engine and of memory, *api.ArgumentError for a wrong argument, *MissingError for what is not there, and *BusyError for a run
// that does not stop. What a user reads of an error is decided by the fronts, each in one place.
//
// Absent on purpose: what a command does to a client, such as applying edits, and what it prints.
package service

import (
	"errors"
	"fmt"
	"time"

	"forge/api"
	"forge/engine/workspace"
	"forge/memory"
)

// Folder is the workspace folder that a command is about.
type Folder struct {
	Path string // absolute
	URI  string // as the caller writes it
	// Texts returns the folder as it is now, with texts that are not saved; nil is what is on disk.
	Texts func() workspace.Snapshot
}

// At is a folder on disk.
func At(path string) Folder { return Folder{Path: path, URI: api.FileURI(path)} }

// Snapshot returns the texts of the folder as they are now.
func (f Folder) Snapshot() workspace.Snapshot {
	if f.Texts == nil {
		return workspace.Snapshot{Root: f.Path}
	}
	return f.Texts()
}

// Subject is what a command looked for.
type Subject string

// The subjects of a MissingError.
const (
	Tasks  Subject = "task"
	Memory Subject = "memory"
	Specs  Subject = "specification"
)

// MissingError says that something which was named is not there, or no longer. It matches memory.ErrNotFound or
// memory.ErrCollected, and reads like the error of memory.
type MissingError struct {
	Subject Subject
	Name    string // as the caller gave it; empty for a specification
	Folder  string // its path
	Err     error
}

// Error is the message of memory.
func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap returns the error of memory.
func (e *MissingError) Unwrap() error { return e.Err }

// Missing makes a *MissingError of an error of memory that says so, and leaves any other as it is.
func Missing(subject Subject, name string, in Folder, err error) error {
	if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrCollected) {
		return &MissingError{Subject: subject, Name: name, Folder: in.Path, Err: err}
	}
	return err
}

// Ago says for people how long ago something was: "just now", "12 minutes ago", "3 days ago".
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute") + " ago"
	case d < day:
		return Count(int(d/time.Hour), "hour") + " ago"
	}
	return Count(int(d/day), "day") + " ago"
}

// Bytes says for people how much something takes on disk: "812 B", "1.2 MB".
func Bytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, prefixes := float64(n)/unit, "kMGTPE"
	for size >= unit && len(prefixes) > 1 {
		size, prefixes = size/unit, prefixes[1:]
	}
	return fmt.Sprintf("%.1f %cB", size, prefixes[0])
}

// Count returns how many there are of something, in words: "1 file", "3 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
