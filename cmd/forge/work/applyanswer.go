package work

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/lsp/editor"
	"forge/patch"
	"forge/patch/match"
)

// batchRequest is a line of forge apply --batch: texts, and an edit of them.
type batchRequest struct {
	ID     json.RawMessage `json:"id"`
	Format string          `json:"format"` // one of formats(); empty means "auto"
	Files  texts           `json:"files"`
	Edit   json.RawMessage `json:"edit"` // a string, or a list of replacements or actions
}

// texts are files in memory by path; nil is a missing file.
type texts map[string]*string

// ReadFile implements patch.Files.
func (t texts) ReadFile(path string) ([]byte, error) {
	if text := t[path]; text != nil {
		return []byte(*text), nil
	}
	return nil, fs.ErrNotExist
}

// batchAnswer is the answer to a line. Unless OK, nothing is changed: Files, Hunks and Edits are empty.
type batchAnswer struct {
	ID    json.RawMessage `json:"id"` // of the request; null if it could not be read
	OK    bool            `json:"ok"`
	Files texts           `json:"files"` // the new text of every changed file; null for a deleted one
	Hunks []hunkAnswer    `json:"hunks"`
	Edits []editAnswer    `json:"edits"`
	Error *refusal        `json:"error,omitempty"`
}

// hunkAnswer reports how a hunk matched.
type hunkAnswer struct {
	Path  string  `json:"path"`
	Level string  `json:"level"`
	Score float64 `json:"score"` // 1 for exact, less for each rung below; an order, not a probability
	Line  int     `json:"line"`  // from 1, in the text before the edit
}

// editAnswer is an edit of an updated or created file, or of a moved file under its new path.
type editAnswer struct {
	Path string `json:"path"`
	editor.TextEdit
}

func refused(id json.RawMessage, r *refusal) batchAnswer {
	return batchAnswer{ID: id, Files: texts{}, Hunks: []hunkAnswer{}, Edits: []editAnswer{}, Error: r}
}

// answer answers a line.
func answer(line []byte) batchAnswer {
	request, problem := readRequest(line)
	if problem != nil {
		return refused(request.ID, problem)
	}
	p, err := parseEdit(request.Format, request.Edit)
	if err != nil {
		return refused(request.ID, refusalOf(err, request.Files))
	}
	changes, err := match.Resolve(p, request.Files)
	if err != nil {
		return refused(request.ID, refusalOf(err, request.Files))
	}
	return applied(request.ID, changes)
}

// applied is the answer of a successful request.
func applied(id json.RawMessage, changes patch.ChangeSet) batchAnswer {
	a := refused(id, nil)
	a.OK = true
	for _, f := range changes.Files {
		a.change(f)
	}
	a.Hunks = append(a.Hunks, hunksOf(changes)...)
	return a
}

func (a *batchAnswer) change(f patch.FileChange) {
	switch f.Kind {
	case patch.Delete:
		a.Files[f.Path] = nil
		return
	case patch.Move:
		a.Files[f.From] = nil
	case patch.Create, patch.Update:
	}
	a.Files[f.Path] = &f.After
	for _, e := range editor.TextEdits(f.Before, patch.Diff(f.Before, f.After)) {
		a.Edits = append(a.Edits, editAnswer{f.Path, e})
	}
}

// hunksOf lists how the hunks of all files matched.
func hunksOf(changes patch.ChangeSet) []hunkAnswer {
	hunks := []hunkAnswer{}
	for _, f := range changes.Files {
		for _, m := range f.Matches {
			hunks = append(hunks, hunkAnswer{f.Path, m.Level.String(), score(m.Level), m.Line})
		}
	}
	return hunks
}

// score makes the rungs of the match ladder comparable with what other tools print.
func score(l patch.Level) float64 { return 1 - float64(l)/10 }

// requestError reports a line without an edit.
type requestError struct{ cause string }

func (e *requestError) Error() string { return "the request is invalid: " + e.cause }

// readRequest reads a line. Even with a refusal, the request has the id if it could be read.
func readRequest(line []byte) (batchRequest, *refusal) {
	r := batchRequest{}
	cause := decodeRequest(line, &r)
	r.Format = cmp.Or(r.Format, formatAuto)
	if _, known := parsers[r.Format]; !known && cause == "" {
		cause = fmt.Sprintf("format %q is unknown; want one of %s", r.Format, strings.Join(formats(), ", "))
	}
	if cause == "" {
		return r, nil
	}
	return r, refusalOf(&requestError{cause}, nil)
}

// refusal reports why an edit changed nothing, so that the next attempt can succeed without reading the file again.
type refusal struct {
	Kind    string       `json:"kind"`
	Message string       `json:"message"`
	Path    string       `json:"path"`    // empty if it is not about a file
	Line    int          `json:"line"`    // from 1: of the edit, or an entry of its list, for parse and path; else of the file; 0 if about none
	Closest []numberLine `json:"closest"` // lines of the file where the edit nearly matches, or matches too often
}

// numberLine is a line of a file, without its end, and its number from 1.
type numberLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// The kinds of refusals.
const (
	kindParse     = "parse"           // the edit does not parse
	kindPath      = "path"            // a path is invalid
	kindText      = "text"            // a file is not text
	kindMissing   = "missing"         // a file to change is missing
	kindExists    = "exists"          // a file to create exists
	kindNoMatch   = "no-match"        // a hunk matches nowhere
	kindAmbiguous = "ambiguous"       // a hunk matches several places
	kindOverlap   = "overlap"         // two hunks change the same lines
	kindAlready   = "already-applied" // the result of a hunk is in the file already
	kindNoChange  = "no-change"       // no file would change
)

// refusalOf describes an error of package patch; files are the texts of the request.
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
	if errors.As(err, &path) { // before the others, which may wrap it
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

// maxPlaces bounds the listed places of an ambiguous hunk.
const maxPlaces = 10

// linesOf reads the numbered lines of a file. It omits lines that cannot be read.
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
