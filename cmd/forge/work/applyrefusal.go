package work

import (
	"errors"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/patch"
	"forge/patch/match"
)

// refusal says why an edit changed nothing, so that the next attempt can succeed without reading the file
// again.
type refusal struct {
	Kind    string       `json:"kind"`
	Message string       `json:"message"`
	Path    string       `json:"path"`    // empty when it is about no file
	Line    int          `json:"line"`    // from 1: of the edit, or an entry of its list, for parse and path; else of the file; 0 if about none
	Closest []numberLine `json:"closest"` // what stands in the file where the edit nearly fits, or fits too often
}

// numberLine is a line of a file, without its end, and its number from 1.
type numberLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// The kinds of refusals.
const (
	kindParse     = "parse"           // the edit is not in its notation
	kindPath      = "path"            // a path is refused
	kindText      = "text"            // a text is no text
	kindMissing   = "missing"         // a file to be changed is not there
	kindExists    = "exists"          // a file to be created is there
	kindNoMatch   = "no-match"        // a hunk fits nowhere
	kindAmbiguous = "ambiguous"       // a hunk fits several places
	kindOverlap   = "overlap"         // two hunks change the same lines
	kindAlready   = "already-applied" // what a hunk makes stands there already
	kindNoChange  = "no-change"       // every file already is as the edit wants it
)

// refusalOf describes an error of the package patch; files are the texts the edit met.
func refusalOf(err error, files patch.Files) *refusal {
	r := &refusal{Kind: terminal.KindRead, Message: err.Error(), Closest: []numberLine{}}
	if errors.Is(err, match.ErrNoChange) {
		r.Kind = kindNoChange
	}
	r.aboutRequest(err)
	r.aboutFile(err)
	r.aboutPlace(err, files)
	return r
}

func (r *refusal) aboutRequest(err error) {
	var request *requestError
	var parse *patch.ParseError
	var block *patch.BlockError
	var action *patch.ActionError
	var path *patch.PathError
	if errors.As(err, &request) {
		r.Kind = terminal.KindRequest
	}
	if errors.As(err, &parse) {
		r.Kind, r.Line = kindParse, parse.Line
	}
	if errors.As(err, &block) {
		r.Kind, r.Path, r.Line = kindParse, block.Path, block.Number
	}
	if errors.As(err, &action) {
		r.Kind, r.Path, r.Line = kindParse, action.Path, action.Number
	}
	if errors.As(err, &path) { // which may be the reason behind the others
		r.Kind, r.Path = kindPath, path.Path
	}
}

func (r *refusal) aboutFile(err error) {
	var text *match.TextError
	var missing *match.MissingError
	var exists *match.ExistsError
	switch {
	case errors.As(err, &text):
		r.Kind, r.Path = kindText, text.Path
	case errors.As(err, &missing):
		r.Kind, r.Path = kindMissing, missing.Path
	case errors.As(err, &exists):
		r.Kind, r.Path = kindExists, exists.Path
	}
}

func (r *refusal) aboutPlace(err error, files patch.Files) {
	var none *match.NoMatchError
	var several *match.AmbiguousError
	var overlap *match.OverlapError
	var already *match.AlreadyAppliedError
	switch {
	case errors.As(err, &none):
		r.Kind, r.Path, r.Line = kindNoMatch, none.Path, none.Line
		for i, text := range none.Closest {
			r.Closest = append(r.Closest, numberLine{none.Start + i, text})
		}
	case errors.As(err, &several):
		r.Kind, r.Path, r.Line = kindAmbiguous, several.Path, several.Lines[0]
		r.Closest = linesOf(files, several.Path, several.Lines)
	case errors.As(err, &overlap):
		r.Kind, r.Path, r.Line = kindOverlap, overlap.Path, overlap.Line
		r.Closest = linesOf(files, overlap.Path, []int{overlap.Line})
	case errors.As(err, &already):
		r.Kind, r.Path, r.Line = kindAlready, already.Path, already.Line
		r.Closest = linesOf(files, already.Path, []int{already.Line})
	}
}

// maxPlaces bounds the places that are listed of an ambiguity.
const maxPlaces = 10

// linesOf reads the numbered lines of a file. What cannot be read again is left out.
func linesOf(files patch.Files, path string, numbers []int) []numberLine {
	found := []numberLine{}
	data, err := files.ReadFile(path)
	if err != nil {
		return found
	}
	all := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)), "\n")
	for _, n := range numbers[:min(len(numbers), maxPlaces)] {
		if n >= 1 && n <= len(all) {
			found = append(found, numberLine{n, all[n-1]})
		}
	}
	return found
}
