package history

import (
	"encoding/json"
	"fmt"
	"time"

	"forge/engine/shadow"
	"forge/patch"
)

// acceptedNote is an entry of the ledger in a journal, until it is recorded: with whole texts, as bytes,
// because JSON would change invalid UTF-8. Its names are a file format.
type acceptedNote struct {
	Version int            `json:"version"`
	Run     string         `json:"run"`
	Undoes  string         `json:"undoes,omitempty"`
	Title   string         `json:"title"`
	Time    time.Time      `json:"time"`
	Files   []acceptedFile `json:"files"`
}

type acceptedFile struct {
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Before []byte `json:"before,omitempty"`
	After  []byte `json:"after,omitempty"`
}

const acceptedVersion = 1

// encodeAccepted encodes an entry as the payload of a journal.
func encodeAccepted(entry shadow.Entry) ([]byte, error) {
	note := acceptedNote{Version: acceptedVersion, Run: entry.RunID, Undoes: entry.Undoes, Title: entry.Title, Time: entry.Time}
	for _, f := range entry.Changes.Files {
		note.Files = append(note.Files, acceptedFile{
			Kind: f.Kind.String(), Path: f.Path, From: f.From, Before: []byte(f.Before), After: []byte(f.After),
		})
	}
	return json.Marshal(note)
}

// decodeAccepted reverses encodeAccepted.
func decodeAccepted(payload []byte) (shadow.Entry, error) {
	var note acceptedNote
	if err := json.Unmarshal(payload, &note); err != nil {
		return shadow.Entry{}, fmt.Errorf("read the accepted change: %w", err)
	}
	if note.Version != acceptedVersion {
		return shadow.Entry{}, fmt.Errorf("another version of Forge wrote the accepted change of %s: update Forge", note.Run)
	}
	entry := shadow.Entry{RunID: note.Run, Undoes: note.Undoes, Title: note.Title, Time: note.Time}
	for _, f := range note.Files {
		kind, ok := patch.KindNamed(f.Kind)
		if !ok {
			return shadow.Entry{}, fmt.Errorf("the accepted change of %s has the unknown kind %q", note.Run, f.Kind)
		}
		entry.Changes.Files = append(entry.Changes.Files, patch.FileChange{
			Kind: kind, Path: f.Path, From: f.From, Before: string(f.Before), After: string(f.After),
		})
	}
	return entry, nil
}
