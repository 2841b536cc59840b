// Package workspace is the folder a person has open: its files on disk, overlaid by buffers that are
// not saved yet, as one immutable Snapshot; and the only writer of the user's files for fronts
// without an editor, confined to the folder by os.Root.
package workspace

// Document is a buffer as the editor last told it.
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
