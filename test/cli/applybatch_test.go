package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The lines of forge apply --batch, as they stand in docs/apply.md.
type (
	batchRequest struct {
		ID     any            `json:"id"`
		Format string         `json:"format,omitempty"`
		Files  map[string]any `json:"files"`
		Edit   any            `json:"edit"`
	}
	batchAnswer struct {
		ID    any
		OK    bool
		Files map[string]*string
		Hunks []batchHunk
		Edits []batchEdit
		Error *batchError
	}
	batchHunk struct {
		Path, Level string
		Score       float64
		Line        int
	}
	batchEdit struct {
		Path    string
		Range   struct{ Start, End struct{ Line, Character int } }
		NewText string
	}
	batchError struct {
		Kind, Message, Path string
		Line                int
		Closest             []closest
	}
	closest struct {
		Line int
		Text string
	}
)

// v4a is a patch in V4A notation.
func v4a(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// asks are the requests as lines.
func asks(t *testing.T, requests ...batchRequest) string {
	t.Helper()
	var b strings.Builder
	for _, r := range requests {
		line, err := json.Marshal(r)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// batch runs the program on an input and returns its lines, each as it is and decoded.
func batch(t *testing.T, input string) (raw []string, answers []batchAnswer) {
	t.Helper()
	c := exec.CommandContext(t.Context(), forge, "apply", "--batch")
	c.Stdin = strings.NewReader(input)
	code, stdout, stderr := execute(t, c)
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	raw = strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for _, line := range raw {
		var a batchAnswer
		require.NoError(t, json.Unmarshal([]byte(line), &a), line)
		answers = append(answers, a)
	}
	return raw, answers
}

// The whole of an answer, to the byte: other programs read it.
func TestApplyBatch_WritesExactAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request batchRequest
		want    string
	}{
		"a change, counted in UTF-16": {
			batchRequest{"😀", "v4a", map[string]any{"a.txt": "one\n😀 two <&>\nthree\n"}, v4a("*** Update File: a.txt", "@@", " one", "-😀 two <&>", "+😀 2 <&>")},
			`{"id":"😀","ok":true,"files":{"a.txt":"one\n😀 2 <&>\nthree\n"},"hunks":[{"path":"a.txt","level":"exact","score":1,"line":1}],` +
				`"edits":[{"path":"a.txt","range":{"start":{"line":1,"character":3},"end":{"line":1,"character":6}},"newText":"2"}]}`,
		},
		"an inexact place": {
			batchRequest{7, "", map[string]any{"a.txt": "one  \ntwo\n"}, v4a("*** Update File: a.txt", "@@", " one", "-two", "+2")},
			`{"id":7,"ok":true,"files":{"a.txt":"one  \n2\n"},"hunks":[{"path":"a.txt","level":"trailing space","score":0.9,"line":1}],` +
				`"edits":[{"path":"a.txt","range":{"start":{"line":1,"character":0},"end":{"line":1,"character":3}},"newText":"2"}]}`,
		},
		"create, delete and move": {
			batchRequest{
				[]int{1}, "auto", map[string]any{"b.txt": "b\n", "c.txt": "c\nd\n", "left.txt": "alone\n", "a.txt": nil},
				v4a("*** Add File: a.txt", "+a", "*** Delete File: b.txt", "*** Update File: c.txt", "*** Move to: e.txt", "@@", "-c", "+C", " d"),
			},
			`{"id":[1],"ok":true,"files":{"a.txt":"a\n","b.txt":null,"c.txt":null,"e.txt":"C\nd\n"},"hunks":[{"path":"e.txt","level":"exact","score":1,"line":1}],` +
				`"edits":[{"path":"a.txt","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"a\n"},` +
				`{"path":"e.txt","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"C"}]}`,
		},
		"a refusal": {
			batchRequest{nil, "v4a", map[string]any{"a.txt": "one\n"}, v4a("*** Update File: b.txt", "@@", "-one", "+1")},
			`{"id":null,"ok":false,"files":{},"hunks":[],"edits":[],"error":{"kind":"missing",` +
				`"message":"b.txt does not exist, so there is nothing to update: check the path, or create the file","path":"b.txt","line":0,"closest":[]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, _ := batch(t, asks(t, c.request))
			require.Equal(t, []string{c.want}, raw)
		})
	}
}

func TestApplyBatch_ReportsEachKindOfError(t *testing.T) {
	t.Parallel()
	numbered := "a\nb\nc\nd\ne\nf\ng\nh\n"
	for name, c := range map[string]struct {
		files map[string]any
		edit  any
		want  batchError // Message is a part of it
	}{
		"parse":                     {nil, "*** Begin Patch\n*** Update File: a.txt\nnonsense\n*** End Patch\n", batchError{"parse", "nonsense", "", 3, nil}},
		"no patch at all":           {nil, "do it yourself", batchError{"parse", "no patch found", "", 1, nil}},
		"a list with a bad path":    {nil, []map[string]string{{"path": "a", "search": "a", "replace": "b"}, {"path": "/a", "search": "a", "replace": "b"}}, batchError{"path", "absolute", "/a", 2, nil}},
		"an empty list":             {nil, []map[string]string{}, batchError{"parse", "the list is empty", "", 0, nil}},
		"path outside":              {nil, v4a("*** Add File: ../a.txt", "+a"), batchError{"path", "leaves the root", "../a.txt", 2, nil}},
		"path into git":             {nil, v4a("*** Add File: x/.git/hooks/pre-commit", "+a"), batchError{"path", "git directory", "x/.git/hooks/pre-commit", 2, nil}},
		"text with NUL":             {map[string]any{"a.txt": "a\x00\n"}, v4a("*** Update File: a.txt", "@@", "-a", "+b"), batchError{"text", "NUL", "a.txt", 0, nil}},
		"missing":                   {nil, v4a("*** Delete File: a.txt"), batchError{"missing", "a.txt does not exist", "a.txt", 0, nil}},
		"missing, as null":          {map[string]any{"a.txt": nil}, v4a("*** Delete File: a.txt"), batchError{"missing", "a.txt does not exist", "a.txt", 0, nil}},
		"exists":                    {map[string]any{"a.txt": "a\n"}, v4a("*** Add File: a.txt", "+b"), batchError{"exists", "a.txt already exists", "a.txt", 0, nil}},
		"a move onto what is there": {map[string]any{"a.txt": "a\n", "b.txt": "b\n"}, v4a("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-a", "+c"), batchError{"exists", "nothing is moved onto it", "b.txt", 0, nil}},
		"no match": {
			map[string]any{"a.txt": numbered}, v4a("*** Update File: a.txt", "@@", " d", "-E", "+x", " f"),
			batchError{"no-match", "Line 5 is the first that differs", "a.txt", 5, []closest{{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}, {5, "e"}, {6, "f"}, {7, "g"}, {8, "h"}}},
		},
		"ambiguous": {
			map[string]any{"a.txt": "x\nsame\ny\nsame\n"}, v4a("*** Update File: a.txt", "@@", "-same", "+other"),
			batchError{"ambiguous", "fits 2 places (lines 2, 4)", "a.txt", 2, []closest{{2, "same"}, {4, "same"}}},
		},
		"overlap": {
			map[string]any{"a.txt": numbered}, v4a("*** Update File: a.txt", "@@", " b", "-c", "+1", "@@", "-c", "+2", " d"),
			batchError{"overlap", "both change line 3", "a.txt", 3, []closest{{3, "c"}}},
		},
		"already applied": {
			map[string]any{"a.txt": numbered}, v4a("*** Update File: a.txt", "@@", " b", "-C", "+c", " d"),
			batchError{"already-applied", "already applied at line 2", "a.txt", 2, []closest{{2, "b"}}},
		},
		"no change": {map[string]any{"a.txt": numbered}, v4a("*** Update File: a.txt", "@@", " b", "-c", "+c", " d"), batchError{"no-change", "changes nothing", "", 0, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, answers := batch(t, asks(t, batchRequest{name, "auto", c.files, c.edit}))
			require.Len(t, answers, 1)
			got := answers[0]
			require.NotNil(t, got.Error)
			require.Contains(t, got.Error.Message, c.want.Message)
			got.Error.Message = c.want.Message
			if c.want.Closest == nil {
				c.want.Closest = []closest{}
			}
			want := batchAnswer{ID: name, Files: map[string]*string{}, Hunks: []batchHunk{}, Edits: []batchEdit{}, Error: &c.want}
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

// A line that is no request is answered too, and does not disturb the ones around it.
func TestApplyBatch_AnswersEveryLineInOrder(t *testing.T) {
	t.Parallel()
	good := func(n int) string {
		return asks(t, batchRequest{n, "v4a", map[string]any{"a.txt": "a\n"}, v4a("*** Update File: a.txt", "@@", "-a", fmt.Sprint("+", n))})
	}
	bad := []struct {
		line string
		id   any
		says string
	}{
		{`nonsense`, nil, "the line is not JSON; the error is at byte 2"},
		{``, nil, "the line is not JSON"},
		{`{"id":"cut","files":{`, nil, "the line is not JSON"},
		{`null`, nil, "the edit is missing"},
		{`[1]`, nil, "the line must be an object, not an array"},
		{`"x"`, nil, "the line must be an object, not a string"},
		{`{"id":"x","files":{}}`, "x", "the edit is missing"},
		{`{"id":"x","files":[],"edit":"e"}`, "x", "files cannot be an array"},
		{`{"id":"x","files":{"a":1},"edit":"e"}`, "x", "files cannot be a number"},
		{`{"id":"x","format":3,"files":{},"edit":"e"}`, "x", "format cannot be a number"},
		{`{"id":"x","format":"fly","files":{},"edit":"e"}`, "x", `format "fly" is unknown; want one of actions, auto, `},
		{`{"id":"x","files":{},"edit":7}`, "x", "edit is neither a string nor a list"},
		{`{"id":"x","files":{},"edit":[{"path":1}]}`, "x", "edit is neither a string nor a list"},
		{`{"id":"x","files":{},"edit":[{"path":"a","search":"b","replace":"c"},{"path":"a","replace":"c"}]}`, "x", "no search or no replace in its entry 2"},
		{`{"id":"x","format":"v4a","files":{},"edit":[{"path":"a","search":"b","replace":"c"}]}`, "x", "format v4a is written as a string"},
		{`{"id":"x","format":"v4a","files":{},"edit":[{"path":"a","action":"delete"}]}`, "x", "format v4a is written as a string"},
		{`{"id":"x","files":{},"edit":[{"path":"a","action":"delete","search":"b"}]}`, "x", "no search or no replace in its entry 1"},
		{`{"id":"x","files":{},"edit":{"path":"a"}}`, "x", "edit is neither a string nor a list"},
		{`{"id":"x","files":{"a":"\ud83d"},"edit":"e"}`, "x", "half of a surrogate pair"},
		{`{"id":"x","files":{"a":"\ud83d\u0041"},"edit":"e"}`, "x", "half of a surrogate pair"},
		{`{"id":"x","files":{"a":"\ude00\ud83d"},"edit":"e"}`, "x", "half of a surrogate pair"},
		{"{\"id\":\"x\",\"files\":{\"a\":\"\xff\"},\"edit\":\"e\"}", "x", "not valid UTF-8"},
	}
	var input strings.Builder
	for i, b := range bad {
		input.WriteString(good(i) + b.line + "\n")
	}
	input.WriteString(strings.TrimSuffix(good(len(bad)), "\n")) // the last line has no end
	_, answers := batch(t, input.String())
	require.Len(t, answers, 2*len(bad)+1)
	for i, b := range bad {
		require.True(t, answers[2*i].OK)
		require.EqualValues(t, i, answers[2*i].ID)
		require.Equal(t, fmt.Sprintln(i), *answers[2*i].Files["a.txt"])
		got := answers[2*i+1]
		require.False(t, got.OK, b.line)
		require.Equal(t, b.id, got.ID, b.line)
		require.Equal(t, "request", got.Error.Kind, b.line)
		require.Contains(t, got.Error.Message, b.says, b.line)
		readsWell(t, got.Error.Message)
		require.NotContains(t, got.Error.Message, "Go ")
	}
	require.True(t, answers[2*len(bad)].OK)
}

// The twin of the halves of pairs that are refused: whole ones, and a backslash that begins no escape.
func TestApplyBatch_AcceptsEveryJSONEscape(t *testing.T) {
	t.Parallel()
	_, answers := batch(t, `{"id":1,"files":{"a":"\ud83d\ude00 \\ud83d \u00e9\u2028\ufeff\r\nx\r\n"},"edit":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"}`+"\n")
	require.True(t, answers[0].OK)
	require.Equal(t, "😀 \\ud83d é\u2028\ufeff\r\ny\r\n", *answers[0].Files["a"])
}

func TestApplyBatch_IsAtomic(t *testing.T) {
	t.Parallel()
	files := map[string]any{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}
	change := []string{"*** Update File: a.txt", "@@", "-a", "+A", "*** Delete File: c.txt", "*** Add File: d.txt", "+d", "*** Update File: b.txt", "@@"}
	_, answers := batch(t, asks(t,
		batchRequest{"stale", "v4a", files, v4a(append(change, "-x", "+B")...)},
		batchRequest{"fresh", "v4a", files, v4a(append(change, "-b", "+B")...)},
	))
	require.False(t, answers[0].OK)
	require.Empty(t, answers[0].Files)
	require.Empty(t, answers[0].Edits)
	require.True(t, answers[1].OK)
	require.Len(t, answers[1].Files, 4)
}

func TestApplyBatch_RejectsOverlongLines(t *testing.T) {
	t.Parallel()
	good := asks(t, batchRequest{1, "v4a", map[string]any{"a": "a\n"}, v4a("*** Update File: a", "@@", "-a", "+b")})
	_, answers := batch(t, good+strings.Repeat("x", 64<<20+1)+"\n"+good)
	require.Len(t, answers, 3)
	require.True(t, answers[0].OK)
	require.Nil(t, answers[1].ID)
	require.Contains(t, answers[1].Error.Message, "longer than 64 MiB")
	require.True(t, answers[2].OK)
}

// An answer comes before the next question is asked, also while a part of that is on its way.
func TestApplyBatch_AnswersBeforeTheNextRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	c := exec.CommandContext(ctx, forge, "apply", "--batch")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	answers := bufio.NewReader(out)
	line := asks(t, batchRequest{"x", "v4a", map[string]any{"a": "a\n"}, v4a("*** Update File: a", "@@", "-a", "+b")})
	_, err = io.WriteString(in, line+line[:9])
	require.NoError(t, err)
	for _, rest := range []string{line[9:] + line[:20], line[20:], line} {
		got, err := answers.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, got, `"ok":true`)
		_, err = io.WriteString(in, rest)
		require.NoError(t, err)
	}
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(answers)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(rest), "\n"))
	require.NoError(t, c.Wait())
}

// The same edit in every notation, named and found out.
func TestApplyBatch_DetectsEveryNotation(t *testing.T) {
	t.Parallel()
	block := "Here it is:\n\na.txt\n```\n<<<<<<< SEARCH\ntwo\n=======\n2 $& \\0\n>>>>>>> REPLACE\n```\n"
	patchAction := `[{"path": "a.txt", "action": "patch", "content": "@@\n one\n-two\n+2 $& \\0\n"}]`
	edits := map[string][]any{
		"v4a":            {v4a("*** Update File: a.txt", "@@", " one", "-two", "+2 $& \\0")},
		"search-replace": {block, []map[string]string{{"path": "a.txt", "search": "two\n", "replace": "2 $& \\0\n"}}},
		"actions": {
			"```json\n" + patchAction + "\n```\n", json.RawMessage(patchAction), json.RawMessage(`{"explanation": "", "actions": ` + patchAction + `}`),
		},
		"unified": {"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2 $& \\0\n"},
	}
	for format, list := range edits {
		for _, edit := range list {
			files := map[string]any{"a.txt": "one\ntwo\n"}
			_, answers := batch(t, asks(t, batchRequest{1, format, files, edit}, batchRequest{2, "auto", files, edit}))
			for _, a := range answers {
				require.True(t, a.OK, "%s: %+v", format, a.Error)
				require.Equal(t, "one\n2 $& \\0\n", *a.Files["a.txt"])
				require.Len(t, a.Hunks, 1)
				require.Equal(t, "exact", a.Hunks[0].Level)
			}
			for other := range edits { // the twin: a named notation is taken at its word
				if _, isText := edit.(string); other == format || !isText {
					continue
				}
				_, answers := batch(t, asks(t, batchRequest{3, other, files, edit}))
				require.False(t, answers[0].OK, "%s read as %s", format, other)
				require.Equal(t, "parse", answers[0].Error.Kind)
			}
		}
	}
}

// An error in an action list names the entry's number, in every form of the list.
func TestApplyBatch_NamesTheInvalidAction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list       string
		kind, path string
		line       int
		says       string
	}{
		"an unknown action": {`[{"path":"b","action":"create","content":"x"},{"path":"a","action":"append"}]`, "parse", "a", 2, `"append" is unknown`},
		"a field twice":     {`[{"path":"a","action":"delete","action":"delete"}]`, "parse", "a", 1, "it has \"action\" twice"},
		"a path outside":    {`[{"path":"../a","action":"delete"}]`, "path", "../a", 1, "leaves the root"},
		"another file":      {`{"path":"a","action":"patch","content":"*** Update File: b\n@@\n-a\n+b\n"}`, "parse", "a", 1, "another file, b"},
		"an empty list":     {`{"actions":[]}`, "parse", "", 1, "the list is empty"},
		"a file in the way": {`[{"path":"a","action":"create","content":"x"}]`, "exists", "a", 0, "already exists"},
		"a stale patch":     {`[{"path":"b","action":"write","content":"x"},{"path":"a","action":"patch","content":"-x\n+y"}]`, "no-match", "a", 0, "does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]any{"a": "a\n"}
			_, answers := batch(t, asks(t, batchRequest{1, "actions", files, c.list}, batchRequest{2, "actions", files, json.RawMessage(c.list)}))
			for _, a := range answers {
				require.False(t, a.OK)
				require.Empty(t, a.Files)
				require.Equal(t, c.kind, a.Error.Kind, a.Error.Message)
				require.Equal(t, c.path, a.Error.Path)
				require.Equal(t, c.line, a.Error.Line)
				require.Contains(t, a.Error.Message, c.says)
				readsWell(t, a.Error.Message)
			}
		})
	}
}

// An interrupt ends the program while it waits for a question.
func TestApplyBatch_InterruptEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	c := exec.CommandContext(ctx, forge, "apply", "--batch")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.WriteString(in, "{}\n")
	require.NoError(t, err)
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.Error(t, c.Wait())
	require.Equal(t, 4, c.ProcessState.ExitCode())
}

// The answer names the rung of the ladder that matched, and a lower rung has a lower score.
func TestApplyBatch_ReportsHowHunksMatched(t *testing.T) {
	t.Parallel()
	last := 1.1
	for _, c := range []struct{ level, text string }{
		{"exact", "one\ntwo\nthree\nfour\nfive\n"},
		{"trailing space", "one\ntwo  \nthree\nfour\nfive\n"},
		{"unicode", "one\ntwo\u00a0\nthree\nfour\nfive\n"},
		{"indentation", "\tone\n\ttwo\n\tthree\n\tfour\n\tfive\n"},
		{"context subset", "one\ntwo\nthree\nfour\nFIVE!\n"},
	} {
		_, answers := batch(t, asks(t, batchRequest{c.level, "v4a", map[string]any{"a.txt": c.text}, v4a("*** Update File: a.txt", "@@", " one", " two", "-three", "+3", " four", " five")}))
		require.True(t, answers[0].OK, "%s: %+v", c.level, answers[0].Error)
		require.Equal(t, strings.Replace(c.text, "three", "3", 1), *answers[0].Files["a.txt"], "context stays as it is in the file")
		require.Equal(t, c.level, answers[0].Hunks[0].Level)
		require.Less(t, answers[0].Hunks[0].Score, last)
		require.Positive(t, answers[0].Hunks[0].Score)
		last = answers[0].Hunks[0].Score
	}
}
