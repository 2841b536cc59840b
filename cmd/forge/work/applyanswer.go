package work

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"forge/lsp/editor"
	"forge/patch"
	"forge/patch/match"
)

// batchRequest is a line of forge apply --batch: texts, and an edit of them.
type batchRequest struct {
	ID     json.RawMessage `json:"id"`
	Format string          `json:"format"` // one of formats(); none is "auto"
	Files  texts           `json:"files"`
	Edit   json.RawMessage `json:"edit"` // a string, or a list of replacements or actions
}

// texts are files in memory, by path; nil is a file that is not there.
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
	ID    json.RawMessage `json:"id"` // as it was given; null when it could not be read
	OK    bool            `json:"ok"`
	Files texts           `json:"files"` // the new text of every file that changes; null for one that goes
	Hunks []hunkAnswer    `json:"hunks"`
	Edits []editAnswer    `json:"edits"`
	Error *refusal        `json:"error,omitempty"`
}

// hunkAnswer reports how a hunk was found.
type hunkAnswer struct {
	Path  string  `json:"path"`
	Level string  `json:"level"`
	Score float64 `json:"score"` // 1 for exact, less for each rung below; an order, not a probability
	Line  int     `json:"line"`  // from 1, in the text before the edit
}

// editAnswer is a part of the change of a file that stays or is created, or of a moved file under its new
// path.
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

// applied is the answer that carries changes.
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

// hunksOf lists how the hunks of all files were found.
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

// requestError says what is wrong with a line that holds no edit.
type requestError struct{ cause string }

func (e *requestError) Error() string { return "the request is refused: " + e.cause }

// readRequest reads a line. With a refusal, the request holds the id if that could be read.
func readRequest(line []byte) (batchRequest, *refusal) {
	r := batchRequest{}
	cause := decodeRequest(line, &r)
	if r.Format == "" {
		r.Format = formatAuto
	}
	if _, known := parsers[r.Format]; !known && cause == "" {
		cause = fmt.Sprintf("format %q is unknown; there is %s", r.Format, strings.Join(formats(), ", "))
	}
	if cause == "" {
		return r, nil
	}
	return r, refusalOf(&requestError{cause}, nil)
}
