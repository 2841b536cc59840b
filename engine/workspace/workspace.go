// Package workspace is the folder the user has open: its files on disk, overlaid by buffers that are
// not saved yet, as one immutable Snapshot; and the only writer of the user's files for fronts
// without an editor, confined to the folder by os.Root.
//
// A change is written all or not at all, whenever the process is killed. Journal.Write goes through these
// steps, each synced before the next begins:
//
//	intent      the journal, outside of the folder, has every path, hash, temporary name and new folder,
//	            and what the caller wants recorded afterwards: the payload
//	stage       each new content lies beside its target as .forge-<id>-<n>.tmp, and each old file, by a
//	            hard link, as .forge-<id>-<n>.old
//	staged      the journal says so: from here targets may be new
//	rename      each target is swapped, after a last look that it is the one the change was computed on
//	committed   the journal says so: from here there is no way back but undo
//	record      the caller records the payload, or what it found (Pending.Finish)
//	forget      the entry is removed
//
// Recover finds the entries of dead processes: one that is not committed is taken back, of one that is the
// payload is settled by the caller, once or again with the same id. An entry is locked for as long as its
// process lives, so that no process takes back what another one is writing.
//
// Where an editor writes instead, Begin notes the payload before it is asked, and Commit or Abort its answer:
//
//	p, err := journal.Begin(ctx, root, payload)  // before workspace/applyEdit
//	defer p.Release()
//	...                                          // the editor answers, hashes are compared
//	err = p.Commit(nil)                          // or p.Abort() when nothing was applied
//	err = p.Finish(record)                       // into the ledger
//
// An entry that was begun and never answered is passed to Settle with Committed false.
//
// # Files of others
//
// ReadPlainFile reads files that others made: a repository's, a shared folder's. It opens regular files only, never
// waits for one (a named pipe would block for ever, a device may do anything), and stops at a size that the caller
// gives. Every reader of a path that a repository decides goes through it, or through Snapshot, which uses it.
package workspace

// Document is a buffer as the editor last sent it.
type Document struct {
	Path    string // slash-separated, relative to the root
	Text    string
	Version int32 // the editor's version of it
}

// Snapshot is the workspace at one moment: what is on disk, except where an unsaved buffer says
// otherwise. It is immutable; runs keep it.
type Snapshot struct {
	Root    string              // absolute path of the folder
	Unsaved map[string]Document // by path; the caller must not change it afterwards
}
