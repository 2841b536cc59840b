package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"forge/engine/event"
	"forge/internal/failpoint"
)

// The places around the writing of an event where a process dies in tests.
const (
	FailpointEventTelling = "run.event.before" // an event happened, and its file does not have it
	FailpointEventTold    = "run.event.after"
)

// EventFile appends the events of a run to a file, one line each. Each line is one write, so that it does
// not mix with those of another process. It is not synced: after a power loss the run is replayed from its
// journal, and appends the missing events.
type EventFile struct{ file *os.File }

// OpenEvents opens the file of a run's events, and creates it if needed.
func OpenEvents(name string) (*EventFile, error) {
	file, err := OpenLines(name)
	if err != nil {
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	return &EventFile{file}, nil
}

// OpenLines opens a file of lines in Forge's own folder for appending, and creates it if needed. A process that dies may leave an incomplete line: it
// is ended, so that only this line is lost.
func OpenLines(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // a file of our own
	if err != nil {
		return nil, err
	}
	if err := endLine(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// endLine ends an incomplete last line.
func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte{'\n'})
	return err
}

// Append writes an event.
func (f *EventFile) Append(e event.Event) error {
	line, err := event.Marshal(e)
	if err != nil {
		return err
	}
	failpoint.Hit(FailpointEventTelling)
	_, err = f.file.Write(append(line, '\n'))
	failpoint.Hit(FailpointEventTold)
	return err
}

// Close closes the file.
func (f *EventFile) Close() error { return f.file.Close() }

// ReadEvents reads the events of a run, numbered in order. It skips incomplete and damaged lines. A missing file has no events.
func ReadEvents(name string) ([]event.Event, error) {
	r := EventReader{Name: name}
	return r.Read(true)
}

// EventReader reads the events of a run while its file grows: each call continues after the last one.
type EventReader struct {
	Name string

	offset int64 // of the first unread byte
	seq    int   // of the last event read
}

// Read returns the events since the last call. A last line without its end is still being written, unless rest is set.
func (r *EventReader) Read(rest bool) (events []event.Event, err error) {
	file, err := os.Open(r.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the events of a run: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(file, r.offset, math.MaxInt64-r.offset))
	if err != nil {
		return nil, fmt.Errorf("read the events of a run: %w", err)
	}
	if !rest {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	r.offset += int64(len(text))
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		e, err := event.Unmarshal(line)
		if err != nil {
			continue
		}
		r.seq++
		e.Seq = r.seq
		events = append(events, e)
	}
	return events, nil
}
