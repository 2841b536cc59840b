package history

import (
	"context"
	"time"

	"forge/patch"
)

// Checkpoint is an entry of the ledger: an accepted change of a folder, which can be undone.
type Checkpoint struct {
	ID     string
	RunID  string
	Undoes string // the RunID of the run that it undoes; empty for other changes
	Title  string
	Time   time.Time
	Files  []CheckpointFile
}

// CheckpointFile is a file that an accepted change created, changed, moved or deleted.
type CheckpointFile struct {
	Path string // relative to the root
	From string // of a move
	Kind patch.Kind
}

// Checkpoints lists the ledger of a folder, the newest first. In an untrusted folder it starts no process:
// such a folder has no accepted changes.
func (l *Ledger) Checkpoints(ctx context.Context, root string) ([]Checkpoint, error) {
	trusted, err := l.state.Trusted(root)
	if err != nil || !trusted {
		return nil, err
	}
	repo, err := l.Repo(ctx, root)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Ledger.Entries(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Checkpoint, len(entries))
	for i, entry := range entries {
		list[i] = Checkpoint{ID: entry.ID, RunID: entry.RunID, Undoes: entry.Undoes, Title: entry.Title, Time: entry.Time}
		for _, f := range entry.Changes.Files {
			list[i].Files = append(list[i].Files, CheckpointFile{Path: f.Path, From: f.From, Kind: f.Kind})
		}
	}
	return list, nil
}
