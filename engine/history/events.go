package history

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

// The places where a process dies in tests, around the writing of an event.
const (
	FailpointEventTelling = "run.event.before" // an event happened, and its file does not have it
	FailpointEventTold    = "run.event.after"
)

// EventFile appends the events of a run to a file, a line each. Each line is written at once, so that what
// another process appends stands before or after it. It is not synced: after a power cut the run is
// replayed from its journal, and appends what is missing.
type EventFile struct{ file *os.File }

// OpenEvents opens the file of a run's events, which need not be there.
func OpenEvents(name string) (*EventFile, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // a file of our own
	if err != nil {
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	if err := endLine(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	return &EventFile{file}, nil
}

// endLine ends a line that a killed process left torn: it is lost, and what follows is not.
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

// ReadEvents reads the events of a run, numbered as they stand. Lines that are torn or damaged are left out. A
// file that is not there has none.
func ReadEvents(name string) ([]event.Event, error) {
	r := eventReader{name: name}
	return r.read(true)
}

// eventReader reads the events of a run as its file grows: each call continues where the last one ended.
type eventReader struct {
	name   string
	offset int64 // of the first byte that was not read
	seq    int   // of the last event that was read
}

// read returns the events since the last call. A last line without its end is still being written, unless it is the rest of the file.
func (r *eventReader) read(rest bool) (events []event.Event, err error) {
	file, err := os.Open(r.name)
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
