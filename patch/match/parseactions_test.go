package match_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
	"forge/patch/match"
)

// list is an action list of one entry with some fields, as JSON.
func list(fields ...string) string { return "[{" + strings.Join(fields, ", ") + "}]" }

// patches is an action list that patches f with lines.
func patches(lines ...string) string {
	content, _ := json.Marshal(strings.Join(lines, "\n"))
	return list(`"path": "f"`, `"action": "patch"`, `"content": `+string(content))
}

const createA = `{"path": "a", "action": "create", "content": "x\n"}`

func TestParseActions_Entries(t *testing.T) {
	t.Parallel()
	made := patch.FileOp{Kind: patch.Create, Path: "a", Content: "x\n"}
	b := patch.FileOp{Kind: patch.Delete, Path: "b"}
	const deleteB = `{"path": "b", "action": "delete"}`
	tests := []struct {
		name, text string
		want       []patch.FileOp
	}{
		{"an array", "[" + createA + ", " + deleteB + "]", []patch.FileOp{made, b}},
		{"an array over lines", "\n  [\n  " + createA + ",\n  " + deleteB + "\n  ]\n", []patch.FileOp{made, b}},
		{"carriage returns, a byte order mark", "\ufeff[\r\n" + createA + "\r\n]\r\n", []patch.FileOp{made}},
		{"a fence", "```json\n[" + createA + "]\n```\n", []patch.FileOp{made}},
		{"an indented fence, prose around", "Here it is:\n\n  ```json\n  [" + createA + "]\n  ```\n\nI made {a} [new].", []patch.FileOp{made}},
		{"prose without a fence", "I create [a] now.\n[" + createA + "]\nDone.\n{ok}\n", []patch.FileOp{made}},
		{"other JSON before", "```json\n{\"files\": [\"a\"], \"path\": \"a\"}\n```\nbecomes\n" + createA, []patch.FileOp{made}},
		{"other JSON behind", "[" + createA + "]\n{\"status\": \"ok\", \"path\": \"a\"}", []patch.FileOp{made}},
		{"one object", createA, []patch.FileOp{made}},
		{"actions", `{"explanation": "why", "actions": [` + createA + `], "files": []}`, []patch.FileOp{made}},
		{"files", `{"files": [` + createA + `], "patch": "", "edits": null}`, []patch.FileOp{made}},
		{"unknown fields", list(`"id": 1`, `"path": "b"`, `"why": {"path": "c", "path": "d"}`, `"action": "delete"`, `"content": null`), []patch.FileOp{b}},
		{"a habit", list(`"path": "./b"`, `"action": " Delete "`, `"content": ""`), []patch.FileOp{b}},
		{"write", list(`"path": "a"`, `"action": "write"`, `"content": "x\n"`), []patch.FileOp{{Kind: patch.Create, Path: "a", Content: "x\n", Write: true}}},
		{"update", list(`"path": "a"`, `"action": "update"`, `"content": ""`), []patch.FileOp{{Kind: patch.Create, Path: "a", Write: true}}},
		{"text is literal", list(`"path": "a"`, `"action": "create"`, `"content": "$& \\1 \ud83d\ude00 \\ud83d\r\n\t\ufffd"`),
			[]patch.FileOp{{Kind: patch.Create, Path: "a", Content: "$& \\1 😀 \\ud83d\r\n\t\ufffd"}}},
		{"move", list(`"path": "b"`, `"action": "move"`, `"to": "c/d"`, `"content": ""`), []patch.FileOp{{Kind: patch.Move, Path: "b", To: "c/d"}}},
		{"rename", list(`"path": "b"`, `"action": "rename"`, `"to": "./B"`), []patch.FileOp{{Kind: patch.Move, Path: "b", To: "B"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseActions(tt.text)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tt.want, got.Ops))
		})
	}
}

// However the hunks of an action are wrapped, they are what V4A says of the file.
func TestParseActions_Patch(t *testing.T) {
	t.Parallel()
	hunks := []string{"@@ func f", " a", "-b", "+c", "@@", "-d"}
	want, err := patch.Parse(block(append([]string{"*** Update File: f"}, hunks...)...))
	require.NoError(t, err)
	with := func(before, behind []string) string {
		return patches(append(append(before, hunks...), behind...)...)
	}
	for name, text := range map[string]string{
		"hunks":                        with(nil, nil),
		"hunks and a line end":         with(nil, []string{""}),
		"header of the file":           with([]string{"*** Update File: ./f"}, nil),
		"header and an end":            with([]string{"*** Update File: f"}, []string{"*** End Patch", ""}),
		"markers":                      with([]string{"*** Begin Patch"}, []string{"*** End Patch"}),
		"markers and header":           with([]string{"", "*** Begin Patch", "*** Update File: f"}, []string{"*** End Patch", ""}),
		"padded markers":               with([]string{" *** Begin Patch ", " *** Update File: f"}, []string{" *** End Patch"}),
		"a here-document":              with([]string{"apply_patch <<'EOF'", "*** Begin Patch"}, []string{"*** End Patch", "EOF"}),
		"a fence":                      with([]string{"```diff"}, []string{"```", ""}),
		"a fence and markers":          with([]string{"```", "*** Begin Patch", "*** Update File: f"}, []string{"*** End Patch", "```"}),
		"carriage returns":             strings.ReplaceAll(with(nil, nil), `\n`, `\r\n`),
		"two sections":                 patches("@@ func f", " a", "-b", "+c", "*** Update File: f", "@@", "-d"),
		"two entries":                  "[" + strings.Trim(patches(hunks[:4]...), "[]") + "," + strings.Trim(patches(hunks[4:]...), "[]") + "]",
		"two entries as JSON in lines": "[\n" + strings.Trim(patches(hunks[:4]...), "[]") + ",\n" + strings.Trim(patches(hunks[4:]...), "[]") + "\n]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseActions(text)
			require.NoError(t, err)
			if len(got.Ops) == 2 {
				got.Ops[0].Hunks, got.Ops = append(got.Ops[0].Hunks, got.Ops[1].Hunks...), got.Ops[:1]
			}
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

func TestParseActions_Resolved(t *testing.T) {
	t.Parallel()
	patchTo := func(to string, lines ...string) string {
		return strings.Replace(patches(lines...), `"action"`, `"to": "`+to+`", "action"`, 1)
	}
	tests := []struct {
		name, text string
		after      memory
		kind       string // of the error
	}{
		{"a unified diff", patches("--- a/f", "+++ b/f", "@@ -2,1 +2,1 @@", "-two", "+2", ""), memory{"f": "one\r\n2\r\nthree\r\n"}, ""},
		{"one without names", patches("```", "@@ -2,2 +2,2 @@ one", " two", "-three", "+3", `\ No newline at end of file`, "```"), memory{"f": "one\r\ntwo\r\n3"}, ""},
		{"a pair of markers that is text", patches("@@", " one", "+*** Begin Patch"), memory{"f": "one\r\n*** Begin Patch\r\ntwo\r\nthree\r\n"}, ""},
		{"a patch that moves", patches("*** Update File: f", "*** Move to: g", "@@", "-two", "+2"), memory{"g": "one\r\n2\r\nthree\r\n"}, ""},
		{"a patch without a header that moves", patches("*** Move to: g", "@@", "-two", "+2"), memory{"g": "one\r\n2\r\nthree\r\n"}, ""},
		{"to moves what is patched", patchTo("g", "@@", "-two", "+2"), memory{"g": "one\r\n2\r\nthree\r\n"}, ""},
		{"both say where", patchTo("g", "*** Move to: g", "@@", "-two", "+2"), memory{"g": "one\r\n2\r\nthree\r\n"}, ""},
		{"a whole text keeps how the file is stored", list(`"path":"f"`, `"action":"update"`, `"content":"1\n2"`), memory{"f": "1\r\n2\r\n"}, ""},
		{"a new text by write", list(`"path":"n"`, `"action":"write"`, `"content":"1\n2"`), memory{"f": "one\r\ntwo\r\nthree\r\n", "n": "1\n2"}, ""},
		{"a new text by update", list(`"path":"n"`, `"action":"update"`, `"content":""`), memory{"f": "one\r\ntwo\r\nthree\r\n", "n": ""}, ""},
		{"create over a file", list(`"path":"f"`, `"action":"create"`, `"content":"x"`), nil, "Exists"},
		{"another case", list(`"path":"f"`, `"action":"move"`, `"to":"F"`), memory{"F": "one\r\ntwo\r\nthree\r\n"}, ""},
		{"delete of nothing", list(`"path":"n"`, `"action":"delete"`), nil, "Missing"},
		{"patch of nothing", strings.Replace(patches("-a"), `"f"`, `"n"`, 1), nil, "Missing"},
		{"a stale patch", patches("@@", " one", "-zwei", "+2"), nil, "NoMatch"},
		{"a patch that is there already", patches("@@", " one", "-1.5", "+two", " three"), nil, "AlreadyApplied"},
		{"a file twice", "[" + strings.Trim(patches("-two"), "[]") + `,{"path":"F","action":"delete"}]`, nil, "Path"},
		{"written twice", `[{"path":"f","action":"write","content":"a"},{"path":"f","action":"write","content":"b"}]`, nil, "Path"},
		{"NUL", list(`"path":"f"`, `"action":"write"`, `"content":"\u0000"`), nil, "Text"},
		{"nothing new", list(`"path":"f"`, `"action":"write"`, `"content":"one\ntwo\nthree\n"`), nil, "NoChange"},
		{"whole or not at all", `[{"path":"n","action":"create","content":"x"},{"path":"gone","action":"delete"}]`, nil, "Missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fixture{patch: tt.text, parse: patch.ParseActions, before: memory{"f": "one\r\ntwo\r\nthree\r\n"}, after: tt.after, kind: tt.kind}.check(t)
		})
	}
}

// A list that is refused names the entry, or the line.
func TestParseActions_RefusesWithANumber(t *testing.T) {
	t.Parallel()
	second := func(fields ...string) string { return "[" + createA + ", {" + strings.Join(fields, ", ") + "}]" }
	tests := []struct {
		name, text string
		number     int // of the entry, or 0
		line       int // else
		says       string
	}{
		{"nothing", "", 0, 1, "no action list found"},
		{"prose", "Create a with [x].\nThen {go}.", 0, 1, "no action list found"},
		{"a V4A patch", block("*** Add File: a.json", "+"+createA), 0, 1, "no action list found"},
		{"an empty list", "\n[]", 0, 2, "the list is empty"},
		{"an empty wrapper", `{"actions": []}`, 0, 1, "the list is empty"},
		{"another object", `{"name": "x"}`, 0, 1, "the object is not an action list"},
		{"files by name", `{"files": {"a": "x"}}`, 0, 1, "files is not a list of actions"},
		{"edits", `{"actions": null, "edits": [1]}`, 0, 1, "edits is not a list of actions"},
		{"a second list in the object", `{"actions": [` + createA + `], "files": [` + createA + `]}`, 0, 1, "both as actions and as files"},
		{"a patch beside the files", `{"files": [` + createA + `], "patch": "*** Begin Patch"}`, 0, 1, "both as files and as patch"},
		{"two wrapped lists", `{"actions": [], "actions": [` + createA + `]}`, 0, 1, `it has "actions" twice`},
		{"a second list", "[" + createA + "]\n\nand\n```\n  [" + createA + "]\n```", 0, 5, "a second list begins"},
		{"a second list that is cut off", "[" + createA + "]\n\n" + `[{"path": "b", "action": "del`, 0, 3, "a second list begins"},
		{"objects in lines", createA + "\n" + createA, 0, 2, "put all entries into one array"},
		{"objects and a comma", createA + ",\n" + createA, 0, 1, "put all entries into one array"},
		{"objects in one line", createA + createA, 0, 1, "put all entries into one array"},
		{"a bracket too many", "[" + createA + "]]", 0, 1, "\"]\" follows the end of the list"},
		{"cut off", "[\n" + createA + ",\n" + `{"path": "b"`, 0, 3, "is incomplete"},
		{"cut off in a text", `[{"path": "a", "action": "create", "content": "x`, 0, 1, "is incomplete"},
		{"a comma too many", "[" + createA + ",\n]", 0, 2, "is not JSON"},
		{"single quotes", `[{"path": 'a', "action": "delete"}]`, 0, 1, "is not JSON"},
		{"a line end in a text", "[{\"path\": \"a\", \"action\": \"create\",\n \"content\": \"x\ny\"}]", 0, 2, `write \n there`},
		{"an entry that is no object", "[" + createA + ", 7]", 2, 0, "it is not an object"},
		{"no path", second(`"action": "delete"`), 2, 0, "it has no path"},
		{"no action", second(`"path": "b"`), 2, 0, "it has no action: want one of create, write,"},
		{"an empty action", second(`"path": "b"`, `"action": ""`), 2, 0, `action "" is unknown`},
		{"an unknown action", second(`"path": "b"`, `"action": "append"`, `"content": "x"`), 2, 0, `action "append" is unknown: want one of create`},
		{"a name of other case is another", second(`"Path": "b"`, `"action": "delete"`), 2, 0, "it has no path"},
		{"a path that is no string", second(`"path": ["b"]`, `"action": "delete"`), 2, 0, "its path must be a string"},
		{"a content that is no string", second(`"path": "b"`, `"action": "write"`, `"content": ["x"]`), 2, 0, "its content must be a string"},
		{"a path twice", second(`"path": "b"`, `"path": "b"`, `"action": "delete"`), 2, 0, `it has "path" twice`},
		{"a content twice", second(`"path": "b"`, `"action": "write"`, `"content": "x"`, `"c\u006fntent": "y"`), 2, 0, `it has "content" twice`},
		{"in one object", `{"path": "b", "action": "delete", "action": "write"}`, 1, 0, `it has "action" twice`},
		{"outside", second(`"path": "../b"`, `"action": "delete"`), 2, 0, "leaves the root"},
		{"a hook", second(`"path": ".git/hooks/x"`, `"action": "write"`, `"content": ""`), 2, 0, "git directory"},
		{"moved outside", second(`"path": "b"`, `"action": "move"`, `"to": "/b"`), 2, 0, "absolute"},
		{"create without content", second(`"path": "b"`, `"action": "create"`, `"text": "x"`), 2, 0, "it has no content"},
		{"write of null", second(`"path": "b"`, `"action": "write"`, `"content": null`), 2, 0, "it has no content"},
		{"write to another path", second(`"path": "b"`, `"action": "write"`, `"content": ""`, `"to": "c"`), 2, 0, "to goes with move and with patch"},
		{"delete of a text", second(`"path": "b"`, `"action": "delete"`, `"content": "x"`), 2, 0, "leave them out"},
		{"delete to somewhere", second(`"path": "b"`, `"action": "delete"`, `"to": "c"`), 2, 0, "leave them out"},
		{"move to nowhere", second(`"path": "b"`, `"action": "move"`), 2, 0, "it has no destination"},
		{"move onto itself", second(`"path": "b"`, `"action": "rename"`, `"to": "./b"`), 2, 0, "it is moved to its own path"},
		{"move and change", second(`"path": "b"`, `"action": "move"`, `"to": "c"`, `"content": "x"`), 2, 0, "use the action patch"},
		{"half of a pair", second(`"path": "b"`, `"action": "write"`, `"content": "\ud83d"`), 2, 0, "half of a surrogate pair"},
		{"the wrong half", second(`"path": "b"`, `"action": "write"`, `"content": "\ude00\ud83d\ude00"`), 2, 0, "half of a surrogate pair"},
		{"two halves apart", second(`"path": "b"`, `"action": "write"`, `"content": "\ud83dx\ude00"`), 2, 0, "half of a surrogate pair"},
		{"no UTF-8", second(`"path": "b"`, `"action": "write"`, "\"content\": \"\xff\""), 2, 0, "not valid UTF-8"},
		{"patch without content", list(`"path": "f"`, `"action": "patch"`), 1, 0, "it has no content: write hunks of V4A"},
		{"patch with nothing", patches("", ""), 1, 0, "line 1 of its content: it is empty"},
		{"patch with an empty patch", patches("*** Begin Patch", "*** End Patch"), 1, 0, "line 2 of its content: it is empty"},
		{"patch with prose", patches("", "replace a by b"), 1, 0, `line 2 of its content: "replace a by b" is not a hunk`},
		{"patch with a fence only", patches("```", "```"), 1, 0, "it is empty"},
		{"patch that is cut off", patches("*** Begin Patch", "@@", "-a"), 1, 0, "of its content: the patch is incomplete"},
		{"patch of a wrong line", patches("@@", "-a", "b"), 1, 0, "line 3 of its content: a line of a hunk must begin"},
		{"patch of a wrong line in a nameless diff", patches("```", "@@ -1 +1 @@", "-a", "b", "```"), 1, 0, "line 4 of its content: a line of a hunk must begin"},
		{"patch of another file", patches("*** Update File: g", "@@", "-a"), 1, 0, "changes another file, g:"},
		{"patch of another file as well", patches("@@", "-a", "*** Update File: g", "@@", "-a"), 1, 0, "changes another file, g:"},
		{"diff of another file", patches("--- a/g", "+++ b/g", "@@ -1 +1 @@", "-a", "+b"), 1, 0, "changes another file, g:"},
		{"nameless diff and another file", patches("@@ -1 +1 @@", "-a", "+b", "*** Delete File: g"), 1, 0, "is to delete g"},
		{"patch that adds", patches("*** Begin Patch", "*** Add File: f", "+a", "*** End Patch"), 1, 0, "is to create f"},
		{"patch that deletes", patches("*** Delete File: f"), 1, 0, "is to delete f"},
		{"patch of a path outside", patches("*** Update File: ../f", "@@", "-a"), 1, 0, "leaves the root"},
		{"patch to two places", strings.Replace(patches("*** Move to: g", "-a"), `"action"`, `"to": "h", "action"`, 1), 1, 0, "two places, h and g"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseActions(tt.text)
			require.Error(t, err)
			require.Empty(t, got.Ops)
			require.Contains(t, err.Error(), tt.says)
			var entry *patch.ActionError
			var failed *patch.ParseError
			if tt.number > 0 {
				require.ErrorAs(t, err, &entry)
				require.Equal(t, tt.number, entry.Number)
				return
			}
			require.ErrorAs(t, err, &failed)
			require.Equal(t, tt.line, failed.Line, "%v", err)
		})
	}
}

// A path that is refused is a path that is refused, whichever front-end met it.
func TestParseActions_HoldsThePathError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{list(`"path": "../f"`, `"action": "delete"`), patches("*** Update File: ../f", "-a")} {
		_, err := patch.ParseActions(text)
		var path *patch.PathError
		require.ErrorAs(t, err, &path)
		require.Equal(t, "../f", path.Path)
	}
}

// A tree becomes another by the list that says so, and the list can be taken back.
func TestParseActions_Properties(t *testing.T) {
	t.Parallel()
	tree := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "d/c", "d/ü", "e.json"}), texts())
	rapid.Check(t, func(t *rapid.T) {
		before, after := memory(tree.Draw(t, "before")), memory(tree.Draw(t, "after"))
		entries, want := actionsBetween(before, after, rapid.SampledFrom([]string{"write", "update"}).Draw(t, "whole"))
		if maps.Equal(before, want) {
			return
		}
		text, err := json.Marshal(entries)
		require.NoError(t, err)
		p, format, err := patch.ParseAny("Here:\n```json\n" + string(text) + "\n```\n")
		require.NoError(t, err)
		require.Equal(t, patch.Actions, format)
		changes, err := match.Resolve(p, before)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, before.apply(changes)))
		require.Empty(t, cmp.Diff(before, want.apply(changes.Inverse())))
	})
}

// actionsBetween lists what makes one tree of another, and says what comes of it: a file that is replaced
// keeps how it is stored.
func actionsBetween(before, after memory, whole string) (entries []map[string]string, want memory) {
	want = memory{}
	for path, text := range after {
		old, exists := before[path]
		want[path] = match.Replace(path, old, exists, text).After
		does := whole
		if !exists {
			does = "create"
		}
		entries = append(entries, map[string]string{"path": path, "action": does, "content": text})
	}
	for path := range before {
		if _, stays := after[path]; !stays {
			entries = append(entries, map[string]string{"path": path, "action": "delete"})
		}
	}
	return entries, want
}

func FuzzParseActions(f *testing.F) {
	const file = "x\na\n\tb(a)\r\n"
	for _, seed := range []string{
		"", "[]", "[" + createA + "]", "```json\n" + createA + "\n```\n[]", `{"files": [` + createA + `], "actions": null}`,
		patches("@@", "-a", "+b"), patches("*** Begin Patch", "*** Update File: f", "*** Move to: g", "@@ x", "-a", "*** End Patch"),
		patches("```", "@@ -1 +1 @@", "-x", "+\ufeff", `\ No newline at end of file`, "```"), patches("--- a/f", "+++ b/f", "@@ -1 +1 @@", "-x"),
		list(`"path":"f"`, `"action":"rename"`, `"to":"g"`), list(`"path":"f"`, `"action":"write"`, `"content":"\ud83d\ude00\r"`),
		"[{\"path\": \"f\", \"action\": \"write\", \"content\": \"x\n", `[{"path":"f","path":"g","action":"delete"},]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := patch.ParseActions(text)
		if err != nil {
			require.Empty(t, p.Ops)
			checkActionsError(t, err, text)
			return
		}
		require.NotEmpty(t, p.Ops)
		for _, op := range p.Ops {
			require.NoError(t, patch.CheckPath(op.Path))
			require.Equal(t, op.Kind == patch.Move, op.To != "")
			require.True(t, len(op.Hunks) > 0 || op.Kind != patch.Update)
			require.True(t, utf8.ValidString(op.Content))
		}
		checkResolved(t, p, file)
	})
}

// checkActionsError checks that an error of ParseActions says where: an entry, or a line of the text.
func checkActionsError(t *testing.T, err error, text string) {
	t.Helper()
	if entry := new(patch.ActionError); !errors.As(err, &entry) {
		var failed *patch.ParseError
		require.ErrorAs(t, err, &failed)
		require.Positive(t, failed.Line)
		require.LessOrEqual(t, failed.Line, strings.Count(text, "\n")+1)
	} else {
		require.Positive(t, entry.Number)
		require.NotEmpty(t, entry.Cause)
	}
}
