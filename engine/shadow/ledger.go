package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/gitdir"
	"forge/internal/failpoint"
	"forge/patch"
)

// Entry is an accepted change of a run: an operation of the ledger, which can be undone.
type Entry struct {
	ID    string // set by Record
	RunID string
	// Undoes is the RunID of the run that this entry undoes; empty for other entries.
	Undoes string
	Title  string // the task, one line
	Time   time.Time
	// Changes are the files before and after, as whole texts, without the matching of hunks.
	Changes patch.ChangeSet
}

// ErrNoEntry means that the ledger has no such entry, or none at all.
var ErrNoEntry = errors.New("the ledger has no such entry")

// ledger is the prefix of the entries' refs: ledger/<sequence, zero-padded>-<id>. Names sort by age.
const ledger = "refs/forge/ledger/"

// Ledger is the accepted changes, as entries that never change.
type Ledger struct{ dir *gitdir.Dir }

// Record appends an entry and returns its id; e.ID is ignored. It is atomic even if the process is
// killed: an entry is two commits (before, after), and the ref that makes them an entry is written
// last.
func (l *Ledger) Record(ctx context.Context, e Entry) (id string, err error) {
	if err := checkEntry(e); err != nil {
		return "", fmt.Errorf("record in the ledger: %w", err)
	}
	unlock, err := l.dir.Lock(ctx)
	if err != nil {
		return "", fmt.Errorf("record in the ledger: %w", err)
	}
	defer unlock()
	sequence, err := l.nextSequence(ctx)
	if err != nil {
		return "", fmt.Errorf("record in the ledger: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", sequence, e.RunID, e.Time.UnixNano()))
	e.ID = hex.EncodeToString(sum[:6])
	ref := fmt.Sprintf("%s%010d-%s", ledger, sequence, e.ID)
	stream, err := entryStream(ref, e)
	if err != nil {
		return "", fmt.Errorf("record in the ledger: %w", err)
	}
	failpoint.Hit(failRecord)
	// Synced to the disk: the user may need the undo after a power loss, too. Many files go into one pack:
	// single objects would be synced one by one.
	settings := []string{"core.fsync=all", "fastimport.unpackLimit=10"}
	if _, err := l.dir.Import(ctx, strings.NewReader(stream), settings, nil, []string{ref}); err != nil {
		return "", fmt.Errorf("record in the ledger: %w", err)
	}
	failpoint.Hit(failRecorded)
	return e.ID, nil
}

// checkEntry rejects an entry that could not be read back unchanged.
func checkEntry(e Entry) error {
	before, after := map[string]bool{}, map[string]bool{}
	for _, change := range e.Changes.Files {
		if change.Kind == patch.Move {
			if err := checkName(change.From, before); err != nil {
				return err
			}
		} else if change.Kind != patch.Create {
			if err := checkName(change.Path, before); err != nil {
				return err
			}
		}
		if change.Kind != patch.Delete {
			if err := checkName(change.Path, after); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkName(name string, seen map[string]bool) error {
	if err := gitdir.CheckKept(name); err != nil {
		return err
	}
	if seen[name] {
		return &patch.PathError{Path: name, Cause: "it is changed twice"}
	}
	seen[name] = true
	return nil
}

func (l *Ledger) nextSequence(ctx context.Context) (int, error) {
	refs, err := l.dir.Refs(ctx, ledger)
	if err != nil || len(refs) == 0 {
		return 1, err
	}
	number, _, _ := strings.Cut(path.Base(refs[len(refs)-1]), "-")
	n, err := strconv.Atoi(number)
	return n + 1, err
}

// Entries returns the entries of the ledger, newest first. The changes have only files and kinds; Entry adds their texts.
func (l *Ledger) Entries(ctx context.Context) ([]Entry, error) {
	entries, _, err := l.entries(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return entries, nil
}

// Entry returns one entry with its whole texts; an empty id is the newest. The error matches ErrNoEntry if there is none.
func (l *Ledger) Entry(ctx context.Context, id string) (Entry, error) {
	entries, refs, err := l.entries(ctx, id)
	if err == nil && len(entries) == 0 {
		err = ErrNoEntry
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read the ledger: %w", err)
	}
	e := entries[0]
	if err := l.fill(ctx, &e, refs[0]); err != nil {
		return Entry{}, fmt.Errorf("read entry %s of the ledger: %w", e.ID, err)
	}
	return e, nil
}

// entries reads the entries with an id (empty: all), newest first, with their refs.
func (l *Ledger) entries(ctx context.Context, id string) ([]Entry, []string, error) {
	out, err := l.dir.Run(ctx, gitdir.Command{
		Args: []string{"for-each-ref", "--sort=-refname", "--format=%(refname)%00%(contents)%00", ledger + onlyID(id)}, Dir: l.dir.Git,
	})
	if err != nil || len(out) == 0 {
		return nil, nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00\n"), "\x00") // no entry has a NUL: JSON escapes it
	var entries []Entry
	var refs []string
	for pair := range slices.Chunk(fields, 2) {
		if len(pair) != 2 {
			return nil, nil, errors.New("git's list of entries could not be understood")
		}
		entry, err := parseEntry([]byte(pair[1]))
		if err != nil {
			return nil, nil, err
		}
		if id == "" || entry.ID == id {
			entries, refs = append(entries, entry), append(refs, strings.TrimPrefix(pair[0], "\n"))
		}
	}
	return entries, refs, nil
}

// onlyID restricts a pattern of refs to those of an entry, if the id is valid.
func onlyID(id string) string {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) == 0 {
		return ""
	}
	return "*-" + id
}

// fill reads the texts of an entry from its two trees.
func (l *Ledger) fill(ctx context.Context, e *Entry, ref string) error {
	before, err := l.dir.Listing(ctx, ref+"^", "", nil)
	if err != nil {
		return err
	}
	after, err := l.dir.Listing(ctx, ref, "", nil)
	if err != nil {
		return err
	}
	var ids []string
	for _, tree := range []gitdir.Listing{before, after} {
		ids = append(ids, tree.IDs()...)
	}
	texts, err := l.dir.Objects(ctx, ids)
	if err != nil {
		return err
	}
	for i := range e.Changes.Files {
		change := &e.Changes.Files[i]
		old := change.Path
		if change.Kind == patch.Move {
			old = change.From
		}
		change.Before, change.After = string(texts[before[old].ID]), string(texts[after[change.Path].ID])
	}
	return nil
}

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
	Kind string      `json:"kind"`
	Path string      `json:"path"`
	From string      `json:"from,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
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
		change := changeRecord{Kind: c.Kind.String(), Path: c.Path, Mode: c.Mode}
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
		e.Changes.Files = append(e.Changes.Files, patch.FileChange{Kind: kind, Path: c.Path, From: c.From, Mode: c.Mode})
	}
	return e, nil
}
