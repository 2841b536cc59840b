package transcript

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/internal/failpoint"
)

const extension = ".jsonl"

// Log appends to one conversation. It is safe for concurrent use, and beside other processes.
type Log struct {
	random io.Reader

	mu   sync.Mutex // guards file: records of this process do not come between each other
	file *os.File
}

// Open opens a conversation in a folder, to append to it. Either is made where it is not there. Random names
// records that take several lines; nil is crypto/rand.
func Open(folder, id string, random io.Reader) (*Log, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("open conversation %s: %w", id, err)
	}
	// To see a torn line the file is read, too.
	file, err := os.OpenFile(filepath.Join(folder, id+extension), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open conversation %s: %w", id, err)
	}
	if random == nil {
		random = rand.Reader
	}
	return &Log{random: random, file: file}, nil
}

// Append adds a record. When it returns nil the record is with the system, and outlives this process.
func (l *Log) Append(r Record) error {
	var id [8]byte
	if _, err := io.ReadFull(l.random, id[:]); err != nil {
		return fmt.Errorf("append to a conversation: %w", err)
	}
	lines, err := encode(r, hex.EncodeToString(id[:]))
	if err != nil {
		return fmt.Errorf("append to a conversation: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.endTorn(); err != nil {
		return fmt.Errorf("append to a conversation: %w", err)
	}
	for _, text := range lines {
		failpoint.Hit(failAppend)
		if _, err := l.file.Write(text); err != nil {
			return fmt.Errorf("append to a conversation: %w", err)
		}
		failpoint.Hit(failAppended)
	}
	return nil
}

// endTorn ends a line that a killed writer has left. The empty line that two who do so at once can make is
// nothing to the reader.
func (l *Log) endTorn() error {
	info, err := l.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	var last [1]byte
	if _, err := l.file.ReadAt(last[:], info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = l.file.Write([]byte("\n"))
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// The places where a writer may die.
const (
	failAppend   = "transcript.append"   // a line is about to be written
	failAppended = "transcript.appended" // a line was written, others of its record may follow
)

// Failpoints are the names of those places.
func Failpoints() []string { return []string{failAppend, failAppended} }

// List gives the ids of the conversations in a folder, in the order of their names.
func List(folder string) ([]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	var found []string
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), extension)
		if ok && f.Type().IsRegular() && CheckID(id) == nil {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found, nil
}

// Remove deletes a conversation.
func Remove(folder, id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folder, id+extension)); err != nil {
		return fmt.Errorf("remove conversation %s: %w", id, err)
	}
	return nil
}
