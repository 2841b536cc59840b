// Package search finds the files and symbols that a request in plain words is about, without a model: words of
// contents, symbols and paths, the best lines of a file, the votes of old commits with a similar message,
// and what belongs to the files that are open. It is deterministic and returns the reasons of each hit.
package search

import "forge/codeintel"

// Query is a request.
type Query struct {
	Text  string   // in plain words, with identifiers and paths as they come; may be empty
	Open  []string // paths of the files the user has open, the one in front first; never among the hits
	Limit int      // hits at most; 0 means DefaultLimit
	Fill  bool     // whether files that only are changed often fill an answer up that has fewer hits
}

// DefaultLimit is how many hits a query gets that names no limit.
const DefaultLimit = 20

// Hit is a file that a request may be about.
type Hit struct {
	Path      string
	Score     float64  // comparable within one answer only; hits come highest first, equal ones by path
	Signals   []Signal // what spoke for it, the strongest first
	FirstLine int      // from 1, of the lines that fit best; 0 if none do
	LastLine  int
}

// Signal is one reason for a hit.
type Signal struct {
	Name  string  // one of Signals
	Value float64 // its part of the score
}

// SymbolHit is a definition that a request may be about.
type SymbolHit struct {
	Path   string
	Symbol codeintel.Symbol
	Score  float64
}
