// Package index holds what is known of all files of one folder: their words, their outlines, and where they
// are in an inverted index. It is kept on disk, is brought up to date file by file, and lets unsaved texts cover
// those on disk.
//
//	Cover, Changed, Refresh ──► inbox ──► keeper ──► View: segments, and which of their documents count
//	                                      │    ▲
//	               words: inverter ◄──────┤    └──── outlining: goroutines that find an outline on disk, or parse
//	                                      └────────► store: SQLite, written in the background
//
// A segment is an inverted index of some documents that never changes. A file that has changed is in a new segment,
// small as it may be; its document in the old one does not count any more. The files of small segments are read again into one
// when nothing else is to be done. So a view costs a list of documents, and not an index.
//
// On disk are the segments, the state of each file when it was read (size, time, hash), and outlines by the hash of the
// content. A start compares the states with the folder; only what differs is read. Everything on disk can be lost or
// damaged without harm: it is set aside and rebuilt.
//
// Invariants: a View never changes. Equal texts give equal views, regardless of what came before. Nothing outside of
// the root is read, and nothing that is no regular file is opened. No method of Index waits for the disk, except those
// that take a ctx, and Close.
//
// Absent on purpose: which files belong to the folder (a Source says it), watching the folder, ranking, history.
package index

import "forge/codeintel"

// ChunkLines is how many lines of a file make one part of it. The last part may be shorter.
const ChunkLines = 20

// The parts of a document that are no lines. Parts from 0 are the chunks of ChunkLines lines, in order.
const (
	PartPath    int32 = -1 // the words of its path
	PartSymbols int32 = -2 // the words of the names it defines
)

// Document is one file of a view.
type Document struct {
	Path     string // relative to the root, slash-separated
	Language codeintel.Language
	Hash     string // of the content, as workspace.Hash makes it
	Size     int    // bytes
	Lines    int
	Words    int                // of its content, repeated ones counted
	Outline  *codeintel.Outline // nil until it has been parsed, and for languages without outline
}

// Posting is the number of times that a word occurs in a part of a document.
type Posting struct {
	Document uint32 // index into View.Documents
	Part     int32
	Count    uint32
}

// View is the index at one moment. It never changes and may be read by several goroutines.
type View interface {
	// Documents returns all files, ordered by path. The slice belongs to the view.
	Documents() []Document
	// Postings returns where a word occurs, as codeintel.Words returns it, ordered by document and part. The slice
	// belongs to the view.
	Postings(word string) []Posting
	// Holders returns the documents whose lines have a word, and those that define a name with it: each once, in no
	// order, by their index into Documents. It takes less time than Postings.
	Holders(word string) (lines, symbols []uint32)
	// ReadFile returns the text of a file as it was indexed. The error matches fs.ErrNotExist if the file is not
	// in the view, or is no longer what was indexed.
	ReadFile(path string) ([]byte, error)
	// Complete reports whether every document that can have an outline has one; until then symbols stream in.
	Complete() bool
}
