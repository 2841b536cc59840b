package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/internal/failpoint"
)

// Journal records each write in progress outside of the user's folder, so that the next process can roll back or finish
// an interrupted one. One folder on disk has one journal.
type Journal struct {
	// Dir is the journal's own folder, below Forge's state. It is made when it is needed.
	Dir string
}

// The names of files in a journal.
const (
	entrySuffix   = ".json"
	newSuffix     = ".new"     // an entry that is being written: nothing was done for it yet
	damagedSuffix = ".damaged" // an unreadable entry, kept for the user
	keptFolder    = "kept"     // old texts that could not be put back
)

// Pending is an entry of the journal that this process has. No other process recovers it meanwhile. It ends with
// Finish or Release.
type Pending struct {
	// ID names the entry, and is never used again: what was written is recorded once for each.
	ID string
	// Notices are what the user should know of a write that succeeded.
	Notices []Notice

	entry   entry
	state   state
	cleared bool // no backup is left
	notes   folder
	dir     string // of notes, for users
	file    file   // open and locked
	size    int64  // of what is known to be on disk
	close   func() // closes notes
}

// Begin records what an editor is about to write. The payload is what Recover hands to its
// caller if this process dies before Finish. No file of root is touched.
func (j Journal) Begin(ctx context.Context, root string, payload []byte) (*Pending, error) {
	notes, err := j.open()
	if err != nil {
		return nil, err
	}
	p, err := begin(ctx, osFolder{notes}, entry{ID: newEntryID(), Root: root, Elsewhere: true, Payload: payload})
	if err != nil {
		_ = notes.Close()
		return nil, j.failed(err)
	}
	p.close = func() { _ = notes.Close() }
	return p, nil
}

// Finish has the change recorded and forgets the entry. When record fails, which may be nil, the entry stays,
// and the next Recover has it recorded.
func (p *Pending) Finish(record func() error) error {
	defer p.Release()
	failpoint.Hit(failRecordBefore)
	if record != nil {
		if err := record(); err != nil {
			return err
		}
	}
	failpoint.Hit(failRecordAfter)
	if p.entry.Elsewhere || p.cleared {
		_ = p.forget() // an entry that stays, or comes back after a power cut, is settled again: nothing is recorded twice
	}
	return nil
}

// Release gives the entry up as it is, for another process to recover. It may be called more than once.
func (p *Pending) Release() {
	if p.file == nil {
		return
	}
	Unlock(p.file)
	_ = p.file.Close() // what matters was synced
	p.file = nil
	if p.close != nil {
		p.close()
	}
}

// open makes and opens the folder of the journal.
func (j Journal) open() (*os.Root, error) {
	if err := makeDurable(j.Dir); err != nil {
		return nil, j.failed(err)
	}
	root, err := os.OpenRoot(j.Dir)
	if err != nil {
		return nil, j.failed(err)
	}
	return root, nil
}

// failed adds to an error what the journal is for, and that nothing was written without it.
func (j Journal) failed(err error) error {
	return fmt.Errorf("note the change in Forge's journal %s: %w%s; without it nothing is written", j.Dir, err, advice(err))
}

// makeDurable makes a folder of Forge's own, so that it is there after a power cut, too.
func makeDurable(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if err := makeDurable(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	above, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer above.Close() //nolint:errcheck // nothing is written through it
	return syncFolder(osFolder{above}, ".")
}

func newEntryID() string { return strings.ToLower(rand.Text()[:16]) }

// begin writes a new entry, complete and synced before it has its name. The journal is locked meanwhile:
// Recover takes a half-written entry that it finds for one whose writer is dead.
func begin(ctx context.Context, notes folder, e entry) (*Pending, error) {
	e.Version = entryVersion
	text, err := line(e)
	if err != nil {
		return nil, err
	}
	release, err := lockFolder(ctx, notes)
	if err != nil {
		return nil, err
	}
	defer release()
	failpoint.Hit(failIntentBefore)
	p := &Pending{ID: e.ID, entry: e, notes: notes}
	if err := p.create(text); err != nil {
		p.Release()
		for _, suffix := range []string{newSuffix, entrySuffix} {
			_ = notes.Remove(e.ID + suffix) // else Recover does, which finds nothing to roll back
		}
		return nil, err
	}
	failpoint.Hit(failIntentAfter)
	return p, nil
}

func (p *Pending) create(text []byte) error {
	f, err := p.notes.OpenFile(p.ID+newSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	p.file = f
	if err := TryLock(f); err != nil {
		return err
	}
	if err := p.append(text); err != nil {
		return err
	}
	failpoint.Hit(failIntentHalf)
	if err := p.notes.Rename(p.ID+newSuffix, p.ID+entrySuffix); err != nil {
		return err
	}
	return syncFolder(p.notes, ".")
}

// append adds a line and syncs it. What did not arrive whole is taken off again: the reader of the entry
// must not find a state that its writer gave up.
func (p *Pending) append(text []byte) error {
	_, err := p.file.Write(text)
	if err == nil {
		err = p.file.Sync()
	}
	if err == nil {
		p.size += int64(len(text))
		return nil
	}
	if cut := p.file.Truncate(p.size); cut != nil {
		return errors.Join(err, &unsettledError{cut})
	}
	_, seek := p.file.Seek(p.size, 0)
	return errors.Join(err, seek)
}

// unsettledError means that an entry may record more than its writer knows. Only Recover can continue.
type unsettledError struct{ cause error }

func (e *unsettledError) Error() string {
	return fmt.Sprintf("the journal cannot be repaired either (%v)", e.cause)
}

func (p *Pending) mark(m mark) error {
	if !p.state.leadsTo(m.State) {
		return fmt.Errorf("journal entry %s is %q and cannot become %q", p.ID, p.state, m.State)
	}
	text, err := line(m)
	if err != nil {
		return err
	}
	if err := p.append(text); err != nil {
		return err
	}
	p.state = m.State
	return nil
}

// forget removes the entry of a change that is settled.
func (p *Pending) forget() error {
	failpoint.Hit(failForgetBefore)
	defer failpoint.Hit(failForgetAfter)
	if err := p.notes.Remove(p.ID + entrySuffix); err != nil {
		return fmt.Errorf("remove the journal entry of a change that is settled: %w%s", err, advice(err))
	}
	return nil
}

// forgetForGood removes an entry that must not come back, not even after a power cut: it could roll back a later change
// that looks like its own.
func (p *Pending) forgetForGood() error {
	if err := p.forget(); err != nil {
		return err
	}
	return syncFolder(p.notes, ".")
}
