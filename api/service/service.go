// Package service answers the commands of package api that are the same in an editor and on a terminal: each is one
// function, with the arguments and the result that api declares.
//
//	lsp, cmd/forge ─► decode ─► service.F(ctx, engine, folder, arguments) ─► result, or error ─► show
//
// The engine is passed as a small interface for each subject; *engine.Engine implements all of them. Errors are those of the
// engine and of memory, *api.ArgumentError for a wrong argument, *MissingError for a missing object, and *BusyError for a run
// that does not stop. Each front decides in one place how it shows an error to the user.
//
// Absent on purpose: what a command does to a client, such as applying edits, and what it prints.
package service

import (
	"errors"
	"time"

	"forge/api"
	"forge/engine/event"
	"forge/engine/workspace"
	"forge/memory"
)

// Folder is the workspace folder of a command.
type Folder struct {
	Path string // absolute
	URI  string // as the caller wrote it
	// Texts returns the current folder with unsaved buffers; nil means the files on disk.
	Texts func() workspace.Snapshot
}

// At returns a folder on disk.
func At(path string) Folder { return Folder{Path: path, URI: api.FileURI(path)} }

// Snapshot returns the current texts of the folder.
func (f Folder) Snapshot() workspace.Snapshot {
	if f.Texts == nil {
		return workspace.Snapshot{Root: f.Path}
	}
	return f.Texts()
}

// Subject is the kind of object that a command looked up.
type Subject string

// The subjects of a MissingError.
const (
	Tasks  Subject = "task"
	Memory Subject = "memory"
	Specs  Subject = "specification"
)

// MissingError reports that a named object does not exist or no longer exists. It matches memory.ErrNotFound or
// memory.ErrCollected, and has the message of the memory error.
type MissingError struct {
	Subject Subject
	Name    string // as the caller gave it; empty for a specification
	Folder  string // its path
	Err     error
}

// Error returns the message of the memory error.
func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap returns the memory error.
func (e *MissingError) Unwrap() error { return e.Err }

// Missing converts a not-found error of memory to a *MissingError, and returns any other error unchanged.
func Missing(subject Subject, name string, in Folder, err error) error {
	if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrCollected) {
		return &MissingError{Subject: subject, Name: name, Folder: in.Path, Err: err}
	}
	return err
}

// Ago formats a duration as an age: "just now", "12 minutes ago", "3 days ago".
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return event.Count(int(d/time.Minute), "minute") + " ago"
	case d < day:
		return event.Count(int(d/time.Hour), "hour") + " ago"
	}
	return event.Count(int(d/day), "day") + " ago"
}
