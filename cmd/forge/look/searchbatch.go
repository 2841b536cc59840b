package look

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
)

// The defaults of a request of forge search --batch.
const (
	batchFiles = 20
)

// searchRequest is a line of forge search --batch.
type searchRequest struct {
	ID     json.RawMessage `json:"id"`
	Query  string          `json:"query"` // in plain words; may be empty
	Open   []string        `json:"open"`  // paths of open files, the active one first
	K      *int            `json:"k"`     // files at most; batchFiles if missing
	Budget *int            `json:"budget"`
}

// searchAnswer is the answer to a line. With an error, all else is empty.
type searchAnswer struct {
	ID      json.RawMessage `json:"id"` // of the request; null if it could not be read
	Files   []string        `json:"files"`
	Map     string          `json:"map"`
	Tokens  int             `json:"tokens"`  // of the map
	Symbols [][2]string     `json:"symbols"` // path and name
	Error   *searchProblem  `json:"error,omitempty"`
}

// searchProblem is the error of a line.
type searchProblem struct {
	Kind    string `json:"kind"` // one of the kinds of errors
	Message string `json:"message"`
}

// searchBatch answers every line of the input with one line of the output, in order, until the input ends.
func searchBatch(ctx context.Context, t terminal.Terminal, dir string) error {
	return terminal.InFolder(t, dir, func(e *engine.Engine, root string) error {
		a, err := e.Atlas(ctx, root)
		if err != nil {
			return searchFailed(ctx, err)
		}
		if err := (&searcher{root: root, index: a, show: progressOf(t)}).serve(ctx, t.In, t.Out); err != nil {
			return searchFailed(ctx, err)
		}
		return nil
	})
}

// searcher answers requests about one folder.
type searcher struct {
	root   string
	index  folderIndex
	show   *progress
	waited bool // the index is complete
}

// serve answers line by line. The first search waits until the index is complete.
func (s *searcher) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return terminal.Lines[searchAnswer]{
		AtOnce: true,
		Answer: func(line []byte) searchAnswer { return s.answer(ctx, line) },
		Refuse: func(id json.RawMessage, kind, message string) searchAnswer {
			if kind == terminal.KindInternal {
				message = "this request " + message
			}
			return unanswered(id, kind, message)
		},
	}.Serve(ctx, in, out)
}

func unanswered(id json.RawMessage, kind, message string) searchAnswer {
	return searchAnswer{ID: id, Files: []string{}, Symbols: [][2]string{}, Error: &searchProblem{kind, message}}
}

func (s *searcher) answer(ctx context.Context, line []byte) searchAnswer {
	var r searchRequest
	query, problem := s.read(line, &r)
	if problem != "" {
		return unanswered(r.ID, terminal.KindRequest, problem)
	}
	a, err := s.find(ctx, r, query)
	if err != nil {
		return unanswered(r.ID, terminal.KindRead, err.Error())
	}
	return a
}

func (s *searcher) find(ctx context.Context, r searchRequest, query service.Query) (searchAnswer, error) {
	if !s.waited {
		if err := awaitComplete(ctx, s.index, s.show); err != nil {
			return searchAnswer{}, err
		}
		s.waited = true
	}
	var answer service.Found
	var shown api.MapResult
	var err error
	if query.Limit > 0 {
		if answer, err = service.Search(ctx, s.index, service.At(s.root), query); err != nil {
			return searchAnswer{}, err
		}
	}
	if budget := given(r.Budget, service.DefaultBudget); budget > 0 {
		if shown, err = service.Map(ctx, s.index, service.At(s.root), budgeted(query, budget)); err != nil {
			return searchAnswer{}, err
		}
	}
	a := searchAnswer{ID: r.ID, Files: []string{}, Map: shown.Text, Tokens: shown.Tokens, Symbols: [][2]string{}}
	for _, h := range answer.Hits {
		a.Files = append(a.Files, h.Path)
	}
	for _, h := range answer.Symbols {
		a.Symbols = append(a.Symbols, [2]string{h.Path, h.Name})
	}
	return a, nil
}

// searchShapes describes the fields of a request, for errors.
const searchShapes = "query is a string, open a list of paths, k and budget are whole numbers from 0"

// read decodes a line into r. It returns an error message, or "" for a valid request.
func (s *searcher) read(line []byte, r *searchRequest) (service.Query, string) {
	if problem := terminal.JSONProblem(line, r, searchShapes); problem != "" {
		return service.Query{}, problem
	}
	if string(bytes.TrimSpace(line)) == "null" { // null decodes into any type
		return service.Query{}, "the line must be an object, not null"
	}
	if given(r.K, 0) < 0 || given(r.Budget, 0) < 0 {
		return service.Query{}, "k and budget cannot be less than 0: " + searchShapes
	}
	open, err := openPaths(s.root, r.Open)
	if err != nil {
		return service.Query{}, err.Error()
	}
	return service.Query{Text: r.Query, Open: open, Limit: given(r.K, batchFiles), Fill: true, Bare: true}, ""
}

// budgeted returns a query with a budget.
func budgeted(q service.Query, tokens int) service.Query {
	q.Budget = tokens
	return q
}

func given(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}
