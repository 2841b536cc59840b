package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/failpoint"
)

// Recovered is an entry of a dead process that its caller has to settle.
type Recovered struct {
	ID      string
	Payload []byte
	// Committed reports that the change has happened. It is false only for an entry of Begin: the process that wrote it
	// died before it knew, and the files have to be checked.
	Committed bool
}

// Settle records what became of an entry. It may be called again for the same ID, and must record it once.
// An error keeps the entry; ErrLater does so quietly.
type Settle func(ctx context.Context, r Recovered) error

// ErrLater means that an entry cannot be settled now, and need not be.
var ErrLater = errors.New("later")

// Notice reports to the user the result of an interrupted write.
type Notice struct {
	ID   string // of the entry
	Text string
}

// Recover ends every write below root that a dead process left, before any other work there: it rolls back uncommitted
// ones and settles committed ones. Writes of living processes, this one included, are left alone. What the user changed
// since is never overwritten; a notice reports it. It may be cut off anywhere, and be called again. Without such writes
// it costs the reading of one folder.
//
// The error is for what could not be brought to an end; all else was.
func (j Journal) Recover(ctx context.Context, root string, settle Settle) ([]Notice, error) {
	names, err := j.names()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	opened, err := openRoot(root)
	if err != nil {
		return nil, err
	}
	defer opened.Close() //nolint:errcheck // every file in it was synced and closed
	notes, err := j.open()
	if err != nil {
		return nil, err
	}
	defer notes.Close() //nolint:errcheck // every file in it was synced and closed
	in := newInside(opened)
	defer in.close()
	r := recovery{in: in, notes: osFolder{notes}, dir: j.Dir, root: root, settle: settle}
	err = r.all(ctx, j.names)
	return r.notices, err
}

// names lists the entries there are, whole and half-written ones.
func (j Journal) names() ([]string, error) {
	list, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Forge's journal %s: %w%s", j.Dir, err, advice(err))
	}
	var names []string
	for _, file := range list {
		if suffix := filepath.Ext(file.Name()); suffix == entrySuffix || suffix == newSuffix {
			names = append(names, file.Name())
		}
	}
	return names, nil
}

// recovery is one Recover under way.
type recovery struct {
	in, notes folder
	dir, root string
	settle    Settle
	notices   []Notice
}

// all settles the entries under the lock of the journal: no other process does it at the same time, and no
// write begins meanwhile.
func (r *recovery) all(ctx context.Context, list func() ([]string, error)) error {
	release, err := lockFolder(ctx, r.notes)
	if err != nil {
		return err
	}
	defer release()
	names, err := list() // again: others may have been here while we waited
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if err := r.one(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("settle an interrupted change (%s): %w%s", filepath.Join(r.dir, name), err, advice(err)))
		}
	}
	return errors.Join(errs...)
}

// one settles one entry, unless its process lives.
func (r *recovery) one(ctx context.Context, name string) error {
	if filepath.Ext(name) == newSuffix {
		return remove(r.notes, name) // nothing was done yet for an entry without its name
	}
	f, err := r.notes.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p := &Pending{ID: strings.TrimSuffix(name, entrySuffix), notes: r.notes, file: f}
	if err := TryLock(f); err != nil {
		_ = f.Close()
		if errors.Is(err, ErrLocked) {
			return nil
		}
		return err
	}
	defer p.Release()
	if there, err := exists(r.notes, name); err != nil || !there {
		return err // its process ended it before we had the lock
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	p.entry, p.state, err = parseEntry(data)
	if errors.Is(err, errDamaged) {
		return r.quarantine(p)
	}
	if err != nil {
		return err
	}
	return r.bring(ctx, p)
}

// bring brings an entry to its end.
func (r *recovery) bring(ctx context.Context, p *Pending) error {
	if p.state == committed || p.entry.Elsewhere {
		return r.forward(ctx, p)
	}
	b := rollback{in: r.in, notes: r.notes, dir: r.dir, entry: p.entry, state: p.state}
	err := b.run()
	r.notices = append(r.notices, b.notices...)
	if err != nil {
		return err
	}
	if len(b.notices) == 0 {
		r.notices = append(r.notices, Notice{ID: p.ID, Text: fmt.Sprintf(
			"a change of %s was interrupted and was rolled back: %s as before", files(len(p.entry.Files)), areIs(len(p.entry.Files)),
		)})
	}
	return p.forgetForGood()
}

// forward has a change recorded that has happened, or may have.
func (r *recovery) forward(ctx context.Context, p *Pending) error {
	failpoint.Hit(failSettleBefore)
	err := r.settle(ctx, Recovered{ID: p.ID, Payload: p.entry.Payload, Committed: p.state == committed})
	if errors.Is(err, ErrLater) {
		return nil
	}
	if err != nil {
		return err
	}
	failpoint.Hit(failSettleAfter)
	notices, err := clearBackups(rollback{in: r.in, notes: r.notes, dir: r.dir, entry: p.entry})
	r.notices = append(r.notices, notices...)
	if err != nil {
		return err
	}
	return p.forget()
}

// quarantine puts an unreadable entry aside. What its names prove to be temporary files of it is
// removed, and old texts are kept aside; the files themselves stay as they are.
func (r *recovery) quarantine(p *Pending) error {
	failpoint.Hit(failDamagedBefore)
	left, err := leftovers(r.root, p.ID)
	if err != nil {
		return err
	}
	for _, name := range left {
		if strings.HasSuffix(name, backupSuffix) {
			content, err := readRegular(r.in, name)
			if err != nil {
				return err
			}
			if err := saveAside(r.notes, filepath.ToSlash(filepath.Join(keptFolder, p.ID, name)), content); err != nil {
				return err
			}
			r.notices = append(r.notices, Notice{ID: p.ID, Text: fmt.Sprintf("an old text was found next to it and is kept as %s", filepath.Join(r.dir, keptFolder, p.ID, filepath.FromSlash(name)))})
		}
		if err := remove(r.in, name); err != nil {
			return err
		}
	}
	if err := r.notes.Rename(p.ID+entrySuffix, p.ID+damagedSuffix); err != nil {
		return err
	}
	failpoint.Hit(failDamagedAfter)
	r.notices = append(r.notices, Notice{ID: p.ID, Text: fmt.Sprintf(
		"the record of an interrupted change is damaged and was moved to %s: check your files", filepath.Join(r.dir, p.ID+damagedSuffix),
	)})
	return syncFolder(r.notes, ".")
}

// leftovers finds the temporary files of an entry below root, by their names. It reads the whole folder,
// once for each damaged entry.
func leftovers(root, id string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			return nil //nolint:nilerr // a folder that cannot be read was not written by us either
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case entry.Type().IsRegular() && isTemporary(entry.Name(), id):
			relative, err := filepath.Rel(root, name)
			found = append(found, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

// isTemporary reports whether a name is one of those that only a certain entry gives.
func isTemporary(name, id string) bool {
	rest, ours := strings.CutPrefix(name, tempPrefix+id+"-")
	return ours && id != "" && (strings.HasSuffix(rest, tempSuffix) || strings.HasSuffix(rest, backupSuffix))
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func areIs(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}
