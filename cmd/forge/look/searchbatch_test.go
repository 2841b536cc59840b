package look

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/cmd/forge/terminal"
	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
)

// shelf is an index that finds a.go, and fails for a few texts.
type shelf struct {
	waits *int
	asked *[]search.Query
}

func newShelf() shelf { return shelf{new(int), new([]search.Query)} }

func (s shelf) Search(_ context.Context, q search.Query) (atlas.Answer, error) {
	*s.asked = append(*s.asked, q)
	switch q.Text {
	case "fault":
		panic("out of range")
	case "error":
		return atlas.Answer{}, errors.New("the index is gone")
	}
	hits := []search.Hit{{Path: "a.go"}, {Path: "b <&>.go"}}
	return atlas.Answer{
		Hits: hits[:min(len(hits), q.Limit)], Symbols: []search.SymbolHit{{Path: "a.go", Symbol: codeintel.Symbol{Name: "A"}}}, Complete: true,
	}, nil
}

func (s shelf) Map(_ context.Context, _ search.Query, budget int) (repomap.Map, error) {
	return repomap.Map{Text: "a.go\n  A\n", Tokens: min(budget, 3)}, nil
}

func (s shelf) Symbols(context.Context, string, int) ([]search.SymbolHit, error) { return nil, nil }

func (s shelf) Wait(context.Context) error { *s.waits++; return nil }

func (s shelf) Status() atlas.Status { return atlas.Status{Complete: true} }

// answers are the lines that come of an input.
func searched(t *testing.T, index shelf, input string) []string {
	t.Helper()
	var out strings.Builder
	s := &searcher{root: "/w", index: index, show: progressOf(terminal.Terminal{})}
	require.NoError(t, s.serve(t.Context(), strings.NewReader(input), &out))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// The whole of the answers, to the byte: other programs read them.
func TestSearchBatch_AnswersEachLine(t *testing.T) {
	t.Parallel()
	const nothing = `"files":[],"map":"","tokens":0,"symbols":[],"error":`
	for name, test := range map[string]struct{ line, want string }{
		"everything":         {`{"id":1,"query":"x","open":["./c.go","/w/d/e.go"],"k":1,"budget":2}`, `{"id":1,"files":["a.go"],"map":"a.go\n  A\n","tokens":2,"symbols":[["a.go","A"]]}`},
		"only a query":       {`{"id":"x","query":"x"}`, `{"id":"x","files":["a.go","b <&>.go"],"map":"a.go\n  A\n","tokens":3,"symbols":[["a.go","A"]]}`},
		"nothing at all":     {`{}`, `{"id":null,"files":["a.go","b <&>.go"],"map":"a.go\n  A\n","tokens":3,"symbols":[["a.go","A"]]}`},
		"no files":           {`{"id":[2],"query":"x","k":0}`, `{"id":[2],"files":[],"map":"a.go\n  A\n","tokens":3,"symbols":[]}`},
		"no map":             {`{"id":1,"query":"x","k":1,"budget":0}`, `{"id":1,"files":["a.go"],"map":"","tokens":0,"symbols":[["a.go","A"]]}`},
		"an empty line":      {``, `{"id":null,` + nothing + `{"kind":"request","message":"the line is not JSON; the error is at byte 0"}}`},
		"half an object":     {`{"id":1,`, `{"id":null,` + nothing + `{"kind":"request","message":"the line is not JSON; the error is at byte 8"}}`},
		"null":               {`null`, `{"id":null,` + nothing + `{"kind":"request","message":"the line must be an object, not null"}}`},
		"a list":             {`[1]`, `{"id":null,` + nothing + `{"kind":"request","message":"the line must be an object, not an array"}}`},
		"a query that is 7":  {`{"id":1,"query":7}`, `{"id":1,` + nothing + `{"kind":"request","message":"query cannot be a number: query is a string, open a list of paths, k and budget are whole numbers from 0"}}`},
		"half a file":        {`{"id":1,"k":1.5}`, `{"id":1,` + nothing + `{"kind":"request","message":"k cannot be a number 1.5: query is a string, open a list of paths, k and budget are whole numbers from 0"}}`},
		"less than no files": {`{"id":1,"k":-1}`, `{"id":1,` + nothing + `{"kind":"request","message":"k and budget cannot be less than 0: query is a string, open a list of paths, k and budget are whole numbers from 0"}}`},
		"a file outside":     {`{"id":1,"open":["../x.go"]}`, `{"id":1,` + nothing + `{"kind":"request","message":"open: \"../x.go\" is not a file in /w"}}`},
		"not UTF-8":          {"{\"id\":1,\"query\":\"\xff\"}", `{"id":1,` + nothing + `{"kind":"request","message":"the line is not valid UTF-8"}}`},
		"what cannot be":     {`{"id":1,"query":"error"}`, `{"id":1,` + nothing + `{"kind":"read","message":"the index is gone"}}`},
		"a fault of forge":   {`{"id":"f","query":"fault"}`, `{"id":"f",` + nothing + `{"kind":"internal","message":"this request caused an internal error, please report it: out of range"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The next line is answered, whatever the first one holds.
			got := searched(t, newShelf(), test.line+"\n"+`{"id":"next","k":1,"budget":0}`+"\n")
			require.Len(t, got, 2)
			require.Equal(t, test.want, got[0])
			require.JSONEq(t, `{"id":"next","files":["a.go"],"map":"","tokens":0,"symbols":[["a.go","A"]]}`, got[1])
		})
	}
}

func TestSearchBatch_ParsesRequests(t *testing.T) {
	t.Parallel()
	s := newShelf()
	searched(t, s, "nonsense\n"+`{"query":"x","open":["./c.go","/w/d/e.go"],"k":7}`+"\n"+`{"query":"y"}`)
	require.Equal(t, []search.Query{{Text: "x", Open: []string{"c.go", "d/e.go"}, Limit: 7, Fill: true}, {Text: "y", Limit: 20, Fill: true}}, *s.asked)
	require.Equal(t, 1, *s.waits, "the first search waits for the index, the others need not")
}

// Whatever a line holds, its answer is one line with an id.
func FuzzSearchBatch(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"query":"x","open":["a"],"k":1,"budget":1}`, `{"id":{"a":[1]},"query":"\ud83d"}`, `{"open":[null]}`, `{"open":["/"]}`,
		`{"open":"a"}`, `{"query":"fault"}`, `[`, `"`, `{"id":1}{"id":2}`, `{"k":9223372036854775808}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\r\n") {
			return
		}
		got := searched(t, newShelf(), string(line)+"\n")
		require.Len(t, got, 1)
		var a searchAnswer
		require.NoError(t, json.Unmarshal([]byte(got[0]), &a))
		require.NotNil(t, a.Files)
		require.NotNil(t, a.Symbols)
		if a.Error != nil {
			require.NotEmpty(t, a.Error.Message)
			require.Empty(t, a.Files)
		}
	})
}
