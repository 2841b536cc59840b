package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"forge/engine/event"
	"forge/internal/failpoint"
)

// eventFile appends the events of a run to a file, a line each. Each line is written at once, so that what
// another process appends stands before or after it. It is not synced: after a power cut the run is played
// again from its journal, and tells what is missing.
type eventFile struct{ file *os.File }

// openEvents opens the file of a run's events, which need not be there.
func openEvents(name string) (*eventFile, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) //nolint:gosec // a file of our own
	if err != nil {
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	if err := endLine(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the events of a run: %w", err)
	}
	return &eventFile{file}, nil
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

func (f *eventFile) append(e event.Event) error {
	line, err := event.Marshal(e)
	if err != nil {
		return err
	}
	failpoint.Hit(FailpointEventTelling)
	_, err = f.file.Write(append(line, '\n'))
	failpoint.Hit(FailpointEventTold)
	return err
}

func (f *eventFile) close() error { return f.file.Close() }

// readEvents reads the events of a run, numbered as they stand. Lines that are torn or damaged are left out. A
// file that is not there has none.
func readEvents(name string) ([]event.Event, error) {
	text, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the events of a run: %w", err)
	}
	var events []event.Event
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		e, err := event.Unmarshal(line)
		if err != nil {
			continue
		}
		e.Seq = len(events) + 1
		events = append(events, e)
	}
	return events, nil
}
