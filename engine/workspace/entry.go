package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// entry is one write under way, as the journal has it: all that is needed to take it back, and what its
// caller wants to have recorded once it is done. Its names are a file format.
type entry struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Root    string `json:"root"`
	// Elsewhere reports that somebody else writes the files, an editor; then there are no Files.
	Elsewhere bool        `json:"elsewhere,omitempty"`
	Files     []entryFile `json:"files,omitempty"`
	Folders   []string    `json:"folders,omitempty"` // to be made, outermost first
	Payload   []byte      `json:"payload,omitempty"`
}

// entryFile is one file of it. Temp and Backup are beside Target, under names that no other write has.
type entryFile struct {
	Path   string `json:"path"`
	Target string `json:"target"`           // Path, or where its symbolic link leads
	Base   string `json:"base,omitempty"`   // Hash of the old content; empty: there is no file before
	After  string `json:"after,omitempty"`  // Hash of the new content; empty: there is no file after
	Temp   string `json:"temp,omitempty"`   // the new content until it is renamed to Target
	Backup string `json:"backup,omitempty"` // the old file; of one that is deleted, from then on
}

// entryVersion is the file format of entries.
const entryVersion = 1

// state says how far a write has come. It only ever goes on: see next.
type state string

const (
	intended  state = ""          // nothing but temporary files and folders may be there
	staged    state = "staged"    // the way back is complete; targets may have been renamed
	committed state = "committed" // every target is new: there is no way back but undo
)

// next are the legal transitions. A write of somebody else's hands is not staged.
var next = map[state][]state{intended: {staged, committed}, staged: {committed}}

// mark is a later line of an entry.
type mark struct {
	State   state  `json:"state"`
	Payload []byte `json:"payload,omitempty"` // instead of the entry's
}

// errDamaged says that a journal file is not what was written.
var errDamaged = errors.New("it is damaged")

// sumLength is how many characters of a line are the sum over the rest of it.
const sumLength = 16

// line returns a value as a line of an entry: a sum, a space, JSON.
func line(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s\n", lineSum(text), text), nil
}

func lineSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:sumLength]
}

// parseEntry reads a journal file. A last line without an end was being written when the process died, and
// does not count; anything else that is not as it was written is errDamaged.
func parseEntry(data []byte) (entry, state, error) {
	var e entry
	at := intended
	for i := 0; len(data) > 0; i++ {
		text, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if !whole && i > 0 {
			break
		}
		if i == 0 {
			if err := parseLine(text, &e); err != nil || !whole {
				return entry{}, intended, errDamaged
			}
			continue
		}
		var m mark
		if err := parseLine(text, &m); err != nil || !at.leadsTo(m.State) {
			return entry{}, intended, errDamaged
		}
		at = m.State
		if m.Payload != nil {
			e.Payload = m.Payload
		}
	}
	if e.ID == "" {
		return entry{}, intended, errDamaged
	}
	if e.Version != entryVersion {
		return entry{}, intended, fmt.Errorf("it was written by another version of Forge (format %d)", e.Version)
	}
	return e, at, nil
}

func (s state) leadsTo(to state) bool {
	return slices.Contains(next[s], to)
}

func parseLine(text []byte, into any) error {
	sum, rest, ok := bytes.Cut(text, []byte(" "))
	if !ok || string(sum) != lineSum(rest) {
		return errDamaged
	}
	return json.Unmarshal(rest, into)
}
