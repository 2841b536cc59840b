package shadow

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"forge/engine/gitdir"
	"forge/patch"
)

// entryRecord is an entry's commit message. Its names are a file format: old ledgers must stay readable.
type entryRecord struct {
	Version int            `json:"version"`
	ID      string         `json:"id"`
	Run     string         `json:"run"`
	Undoes  string         `json:"undoes,omitempty"`
	Title   string         `json:"title"`
	Time    time.Time      `json:"time"`
	Files   []changeRecord `json:"files"`
}

type changeRecord struct {
	Kind string `json:"kind"`
	Path string `json:"path"`
	From string `json:"from,omitempty"`
}

const recordVersion = 1

// entryStream returns the entry as input for git fast-import: the before commit, the after commit on
// top of it, and ref at the second. See git-fast-import(1).
func entryStream(ref string, e Entry) (string, error) {
	message, err := encodeEntry(e)
	if err != nil {
		return "", err
	}
	before, after := map[string]string{}, map[string]string{}
	for _, c := range e.Changes.Files {
		if c.Kind == patch.Move {
			before[c.From] = c.Before
		} else if c.Kind != patch.Create {
			before[c.Path] = c.Before
		}
		if c.Kind != patch.Delete {
			after[c.Path] = c.After
		}
	}
	var b strings.Builder
	commit := func(mark int, from, message string, files map[string]string) {
		fmt.Fprintf(&b, "commit %s\nmark :%d\ncommitter Forge <forge@localhost> %d +0000\n", ref, mark, max(0, e.Time.Unix()))
		data(&b, message)
		b.WriteString(from + "deleteall\n")
		for name, text := range files {
			fmt.Fprintf(&b, "M 100644 inline %s\n", gitdir.QuotePath(name))
			data(&b, text)
		}
		b.WriteString("\n")
	}
	commit(1, "", "before", before)
	commit(2, "from :1\n", message, after)
	b.WriteString("done\n")
	return b.String(), nil
}

func data(b *strings.Builder, text string) { fmt.Fprintf(b, "data %d\n%s\n", len(text), text) }

func encodeEntry(e Entry) (string, error) {
	record := entryRecord{Version: recordVersion, ID: e.ID, Run: e.RunID, Undoes: e.Undoes, Title: e.Title, Time: e.Time}
	for _, c := range e.Changes.Files {
		if _, known := patch.KindNamed(c.Kind.String()); !known {
			return "", fmt.Errorf("%s: a change of unknown kind %d", c.Path, c.Kind)
		}
		change := changeRecord{Kind: c.Kind.String(), Path: c.Path}
		if c.Kind == patch.Move {
			change.From = c.From
		}
		record.Files = append(record.Files, change)
	}
	text, err := json.MarshalIndent(record, "", "  ")
	return string(text), err
}

// parseEntry parses the message of an entry's commit.
func parseEntry(message []byte) (Entry, error) {
	var record entryRecord
	if err := json.Unmarshal(message, &record); err != nil {
		return Entry{}, fmt.Errorf("an entry is damaged: %w", err)
	}
	if record.Version != recordVersion {
		return Entry{}, fmt.Errorf("entry %s was written by another version of Forge: update Forge", record.ID)
	}
	e := Entry{ID: record.ID, RunID: record.Run, Undoes: record.Undoes, Title: record.Title, Time: record.Time}
	for _, c := range record.Files {
		kind, ok := patch.KindNamed(c.Kind)
		if !ok {
			return Entry{}, fmt.Errorf("entry %s has a change of unknown kind %q", e.ID, c.Kind)
		}
		e.Changes.Files = append(e.Changes.Files, patch.FileChange{Kind: kind, Path: c.Path, From: c.From})
	}
	return e, nil
}
