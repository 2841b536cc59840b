package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/patch"
)

// full is a world in which every provider has something to say.
func full() World {
	tree := treeOf(shop)
	tree.now = map[string]string{}
	maps.Copy(tree.now, shop)
	tree.now["cart/new.go"] = "package cart\n"
	tree.now["go.mod"] = "module market\n"
	w := worldOf(tree, known{
		imports: Imports{Direct: []string{"a.go"}, Transitive: []string{"b.go"}, Downstream: []string{"c.go"}},
		found:   []Found{{Path: "cart/cart.go", First: 3, Last: 4, Why: []string{"content", "path"}}, {Path: "go.mod"}},
		reports: []gate.Report{
			{Gate: "gofmt", Verdict: gate.Pass, Summary: "4 files"},
			{Gate: "go vet", Verdict: gate.Fail, Summary: "1 finding", Findings: []gate.Finding{{Path: "cart/cart.go", Line: 4, Message: "unreachable"}}},
			{Gate: "go test", Verdict: gate.Error, Summary: "it broke", Output: "first\nlast\n"},
		},
		commits: []codeintel.Commit{
			{ID: "0123456789abcdef", Time: day(2), Message: "add a cart\n\nIt was time.", Paths: []string{"cart/cart.go"}},
			{ID: "fedcba9876543210", Time: day(1), Message: "begin", Paths: strings.Split("a b c d e f g h i j", " ")},
		},
		dirty: patch.ChangeSet{Files: []patch.FileChange{
			{Kind: patch.Update, Path: "go.mod", Before: "module stall\n", After: "module shop\n"},
			{Kind: patch.Create, Path: "data/latin2", After: "x\n"},
		}},
		runs:  []PastRun{{ID: "r-1", Title: "add a cart", State: "succeeded", Started: day(3), Files: 2}, {ID: "r-0", Title: "begin", State: "failed", Reason: "gave up", Started: day(2)}},
		books: []Playbook{{Title: "Tests", Text: "Write tables.\n", Tags: []string{"go", "testing"}}},
	})
	return w
}

func TestTools_Answers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, args, want string
	}{
		"a file":                  {"read_file", `{"path":"go.mod"}`, "go.mod, lines 1 to 1 of 1:\nmodule market"},
		"lines of a file":         {"read_file", `{"path":"cart/cart.go","start":3,"end":4}`, "cart/cart.go, lines 3 to 4 of 6:\n// Add puts one more in.\nfunc Add(n int) int { return n + 1 }"},
		"an empty file":           {"read_file", `{"path":"empty"}`, "empty is empty"},
		"matches":                 {"search_code", `{"pattern":"func \\w+"}`, "cart/cart.go:4: func Add(n int) int { return n + 1 }"},
		"a text":                  {"search_code", `{"pattern":"int)","literal":true}`, "cart/cart.go:4: func Add(n int) int { return n + 1 }"},
		"an anchored expression":  {"search_code", `{"pattern":"^func","glob":"*.go"}`, "cart/cart.go:4: func Add(n int) int { return n + 1 }"},
		"no match":                {"search_code", `{"pattern":"func","glob":"*.ts"}`, "no line matches"},
		"below a folder":          {"grep", `{"pattern":"module","path":"cart"}`, "no line matches"},
		"in a file":               {"grep", `{"pattern":"module","path":"go.mod"}`, "go.mod:1: module market"},
		"symbols":                 {"symbol_list", `{"path":"cart/cart.go"}`, "4: function Add(n int) int  // Add puts one more in.\n6: struct Cart\n  6: field items []string"},
		"imports":                 {"import_graph", `{"path":"cart/cart.go"}`, "cart/cart.go imports:\n  a.go\nthose import:\n  b.go\ncart/cart.go is imported by:\n  c.go"},
		"tests":                   {"run_tests", `{}`, "gofmt: pass: 4 files\ngo vet: fail: 1 finding\n  cart/cart.go:4: unreachable\ngo test: error: it broke\nfirst\nlast"},
		"linters of other files":  {"lint_check", `{"paths":["go.mod"]}`, "gofmt: pass: 4 files\ngo vet: fail: 1 finding\ngo test: error: it broke\nfirst\nlast"},
		"commits":                 {"git_log", `{"limit":1}`, "0123456789 2026-01-02 add a cart\n    cart/cart.go"},
		"commits with many files": {"git_log", ``, "0123456789 2026-01-02 add a cart\n    cart/cart.go\nfedcba9876 2026-01-01 begin\n    a\n    b\n    c\n    d\n    e\n    f\n    g\n    h\n    … and 2 more"},
		"differences":             {"git_diff", `{"path":"go.mod"}`, "diff --git a/go.mod b/go.mod\n--- a/go.mod\n+++ b/go.mod\n@@ -1 +1 @@\n-module stall\n+module market"},
		"of this run":             {"git_diff", `{"path":"go.mod","base":"base"}`, "diff --git a/go.mod b/go.mod\n--- a/go.mod\n+++ b/go.mod\n@@ -1 +1 @@\n-module shop\n+module market"},
		"nothing differs":         {"git_diff", `{"path":"empty"}`, "nothing differs"},
		"status":                  {"git_status", ``, "A cart/new.go\nA data/latin2\nM go.mod"},
		"branch":                  {"git_branch", `{}`, "main"},
		"a map":                   {"repo_map", `{"query":"carts"}`, "map of carts in 1000"},
		"what is around":          {"discover_context", `{"query":"carts"}`, "cart/cart.go, lines 3 to 4: content, path\ngo.mod"},
		"runs":                    {"past_runs", `{}`, "2026-01-03 12:00:00 r-1 succeeded: add a cart, 2 files\n2026-01-02 12:00:00 r-0 failed: begin, 0 files: gave up"},
		"playbooks":               {"playbooks", `{"tags":["go"]}`, "# Tests (go, testing)\nWrite tables."},
		"a folder":                {"list_dir", `{}`, "cart/ (3 files)\ndata/ (2 files)\nempty\ngo.mod\nlong"},
		"a folder below":          {"list_dir", `{"path":"./cart/"}`, "big.go\ncart.go\nnew.go"},
		"paths":                   {"glob", `{"pattern":"**/c*.{go,mod}"}`, "cart/cart.go"},
		"names":                   {"glob", `{"pattern":"*.mod"}`, "go.mod"},
		"no path":                 {"glob", `{"pattern":"*.rs"}`, "no path matches"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, full(), c.tool, c.args)
			require.Equal(t, c.want, r.Text)
			require.False(t, r.Failed)
			require.Empty(t, r.Change.Files)
		})
	}
}

func TestTools_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, args, want string
	}{
		"no such file":           {"read_file", `{"path":"cart.go"}`, "there is no file cart.go; of that name there are: cart/cart.go"},
		"outside":                {"read_file", `{"path":"../../etc/passwd"}`, "leaves the root"},
		"absolute":               {"read_file", `{"path":"/etc/passwd"}`, "refused"},
		"git's own":              {"read_file", `{"path":".git/config"}`, "refused"},
		"a folder":               {"read_file", `{"path":"cart"}`, "there is no file cart"},
		"binary":                 {"read_file", `{"path":"data/blob.bin"}`, "data/blob.bin is no text (4 bytes)"},
		"not UTF-8":              {"symbol_list", `{"path":"data/latin"}`, "no text"},
		"lines that are none":    {"read_file", `{"path":"go.mod","start":7}`, "go.mod has 1 lines; lines 7 to 7 do not exist"},
		"no arguments":           {"read_file", ``, `the arguments of read_file cannot be used`},
		"null":                   {"read_file", `null`, `It takes (path, start?, end?)`},
		"wrong types":            {"read_file", `{"path":7}`, `It takes (path, start?, end?)`},
		"a list":                 {"read_file", `["go.mod"]`, `It takes (path, start?, end?)`},
		"garbage":                {"read_file", `{"path":`, `cannot be used`},
		"a wrong expression":     {"search_code", `{"pattern":"("}`, "no regular expression"},
		"a huge repetition":      {"search_code", `{"pattern":"(((a{1000}){1000}){1000})"}`, "no regular expression"},
		"a backreference":        {"grep", `{"pattern":"(a)\\1"}`, "no regular expression"},
		"an empty pattern":       {"grep", `{"pattern":""}`, "empty"},
		"a wrong glob":           {"search_code", `{"pattern":"x","glob":"{a"}`, "no pattern of paths"},
		"no outline":             {"symbol_list", `{"path":"empty"}`, "read_file shows it"},
		"a base that is none":    {"git_diff", `{"base":"main"}`, `base is "head" or "base"`},
		"nothing to discover":    {"discover_context", `{}`, "set query to"},
		"no folder":              {"list_dir", `{"path":"nowhere"}`, "there is no folder nowhere"},
		"commands":               {"run_command", `{"argv":["rm","-rf","/"]}`, "switched off"},
		"the user":               {"ask_user", `{"question":"may I?"}`, "no user can answer here"},
		"the web":                {"web.search", `{"query":"x"}`, "switched off"},
		"a page":                 {"web.fetch", `{"url":"https://example.com"}`, "switched off"},
		"a browser":              {"web.browse", `{"url":"https://example.com"}`, "switched off"},
		"a file that is there":   {"move_file", `{"path":"go.mod","to":"empty"}`, "empty already exists"},
		"an edit that fits not":  {"edit_file", `{"path":"go.mod","search":"module mall","replace":"x"}`, "nothing was changed"},
		"an edit in two places":  {"edit_file", `{"path":"cart/big.go","search":"var x = 12345678901234567890","replace":"x"}`, "nothing was changed"},
		"a file that is not":     {"delete_file", `{"path":"nowhere"}`, "nothing was changed"},
		"a write outside":        {"write_file", `{"path":"../x","content":"x"}`, "nothing was changed"},
		"a hook":                 {"write_file", `{"path":".git/hooks/pre-commit","content":"x"}`, "nothing was changed"},
		"a move outside":         {"move_file", `{"path":"go.mod","to":"../go.mod"}`, "nothing was changed"},
		"a patch that is none":   {"apply_patch", `{"patch":"hello"}`, "nothing was changed"},
		"a program without name": {"run_command", `{"argv":[]}`, "switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, full(), c.tool, c.args)
			require.Contains(t, r.Text, c.want)
			require.True(t, r.Failed)
			require.Empty(t, r.Change.Files)
		})
	}
}

// If a part of the world is missing, its tools report that and the others work.
func TestTools_WorldOfFilesOnly(t *testing.T) {
	t.Parallel()
	w := World{Tree: treeOf(shop)}
	for _, tool := range Providers() {
		args := map[string]string{"read_file": `{"path":"go.mod"}`, "search_code": `{"pattern":"module"}`,
			"symbol_list": `{"path":"cart/cart.go"}`, "import_graph": `{"path":"go.mod"}`, "discover_context": `{"query":"x"}`}[tool.Name]
		r := ask(t, w, tool.Name, args)
		require.Equal(t, tool.Name != "read_file" && tool.Name != "search_code", r.Failed, "%s: %s", tool.Name, r.Text)
		require.NotEmpty(t, r.Text)
	}
}

func TestTools_ReportMissingHistory(t *testing.T) {
	t.Parallel()
	w := worldOf(treeOf(shop), known{noHead: true})
	for _, name := range []string{"git_log", "git_diff", "git_status"} {
		require.Equal(t, "this folder has no history that can be read", ask(t, w, name, `{}`).Text)
	}
	require.Equal(t, "nothing differs", ask(t, w, "git_diff", `{"base":"base"}`).Text)
}

// A failure of the world is an error, and no answer: a model does not read that there is nothing.
func TestTools_BrokenWorldIsAnError(t *testing.T) {
	t.Parallel()
	w := worldOf(treeOf(shop), known{err: errBroken})
	for name, args := range map[string]string{
		"import_graph": `{"path":"go.mod"}`, "run_tests": `{}`, "lint_check": `{}`, "git_log": `{}`, "git_diff": `{}`, "repo_map": `{}`,
		"discover_context": `{"query":"x"}`, "past_runs": `{}`, "playbooks": `{}`,
	} {
		tool, _ := All().Named(name)
		_, err := tool.Run(t.Context(), w, json.RawMessage(args))
		require.ErrorIs(t, err, errBroken, name)
	}
}

func TestTools_FilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	tree := treeOf(shop)
	tree.broken = map[string]error{"cart/cart.go": errBroken}
	require.Equal(t, "cart/cart.go cannot be read here", ask(t, World{Tree: tree}, "read_file", `{"path":"cart/cart.go"}`).Text)
	require.Equal(t, "no line matches", ask(t, World{Tree: tree}, "search_code", `{"pattern":"func"}`).Text, "it vanished, perhaps")
}

func TestTools_LongAnswersAreCutWithAHint(t *testing.T) {
	t.Parallel()
	r := ask(t, full(), "read_file", `{"path":"cart/big.go"}`)
	require.True(t, r.Cut)
	require.Contains(t, r.Text, "cart/big.go, lines 1 to 403 of 1201:\npackage cart\n")
	require.True(t, strings.HasSuffix(r.Text, "\n[… cut here: continue with start 404]"), r.Text)
	r = ask(t, full(), "read_file", `{"path":"cart/big.go","start":404}`)
	require.Contains(t, r.Text, "cart/big.go, lines 404 to ")
	r = ask(t, full(), "read_file", `{"path":"long"}`)
	require.True(t, r.Cut)
	require.Contains(t, r.Text, "long, line 1 of 1, its beginning:\né")
	r = ask(t, full(), "search_code", `{"pattern":"var"}`)
	require.True(t, r.Cut)
	require.Contains(t, r.Text, "[… cut here: 100 of 1200 matches in 1 files are shown; the others are in cart/big.go (1100). Name a folder, or look for something rarer]")
}

// Changes happen in a file of the tree, and in no other place.
func TestTools_ChangeFiles(t *testing.T) {
	t.Parallel()
	cart := shop["cart/cart.go"]
	for name, c := range map[string]struct {
		tool, args string
		want       patch.FileChange // without matches
		text       string
	}{
		"create":     {"write_file", `{"path":"new/a.txt","content":"one\n"}`, patch.FileChange{Kind: patch.Create, Path: "new/a.txt", After: "one\n"}, "created new/a.txt"},
		"write over": {"write_file", `{"path":"go.mod","content":"module $1 $& $$\n"}`, patch.FileChange{Path: "go.mod", Before: "module shop\n", After: "module $1 $& $$\n"}, "changed go.mod"},
		"edit": {"edit_file", `{"path":"cart/cart.go","search":"func Add(n int) int { return n + 1 }","replace":"func Add(n int) int { return n + 2 }"}`,
			patch.FileChange{Path: "cart/cart.go", Before: cart, After: strings.Replace(cart, "n + 1", "n + 2", 1)}, "changed cart/cart.go"},
		"delete": {"delete_file", `{"path":"go.mod"}`, patch.FileChange{Kind: patch.Delete, Path: "go.mod", Before: "module shop\n"}, "deleted go.mod"},
		"move": {"move_file", `{"path":"go.mod","to":"old/go.mod"}`,
			patch.FileChange{Kind: patch.Move, Path: "old/go.mod", From: "go.mod", Before: "module shop\n", After: "module shop\n"}, "moved to old/go.mod"},
		"patch": {"apply_patch", `{"patch":"*** Begin Patch\n*** Update File: go.mod\n@@\n-module shop\n+module mall\n*** End Patch\n"}`,
			patch.FileChange{Path: "go.mod", Before: "module shop\n", After: "module mall\n"}, "changed go.mod"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, World{Tree: treeOf(shop)}, c.tool, c.args)
			require.False(t, r.Failed, r.Text)
			require.Equal(t, c.text, r.Text)
			require.Len(t, r.Change.Files, 1)
			r.Change.Files[0].Matches = nil
			require.Equal(t, c.want, r.Change.Files[0])
			tool, _ := All().Named(c.tool)
			require.True(t, tool.Mutates())
		})
	}
}

func TestTools_OnlyToolsThatWriteChangeAnything(t *testing.T) {
	t.Parallel()
	for _, tool := range All() {
		require.Equal(t, tool.Effect == permission.Write, tool.Mutates(), tool.Name)
		require.NotEmpty(t, tool.Doc)
		require.Positive(t, tool.Timeout)
		require.True(t, json.Valid(tool.Schema), tool.Name)
		require.NotEqual(t, mode.Critical, tool.Risk)
	}
}

// slow is a history that answers when ctx has ended.
type slow struct{ known }

func (slow) Log(ctx context.Context, _ int) ([]codeintel.Commit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTools_TimeoutIsAnAnswerAndAnEndIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, _ := All().Named("git_log")
		w := World{Tree: treeOf(shop), History: slow{}}
		r, err := tool.Run(t.Context(), w, nil)
		require.NoError(t, err)
		require.Equal(t, Result{Text: "git_log took longer than 30s: ask for less", Failed: true}, r)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = tool.Run(ctx, w, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// Whatever a folder holds and whatever is asked of it: no panic, no answer above its cap, nothing but text.
func TestTools_AnswersAreBounded(t *testing.T) {
	t.Parallel()
	names := Providers().Names()
	rapid.Check(t, func(rt *rapid.T) {
		tree := rapid.MapOf(rapid.SampledFrom([]string{"a.go", "b/c.py", "d", "e/f/g.md"}), rapid.StringN(0, 200, 8000)).Draw(rt, "tree")
		tool, _ := All().Named(rapid.SampledFrom(append(names, "list_dir", "glob", "grep", "git_status")).Draw(rt, "tool"))
		args, err := json.Marshal(Args{
			Path: rapid.SampledFrom([]string{"", "a.go", "b/c.py", "d", "../x", "e"}).Draw(rt, "path"), Pattern: rapid.SampledFrom([]string{"", ".", "(", "a|b", "*"}).Draw(rt, "pattern"),
			Start: rapid.IntRange(-5, 50).Draw(rt, "start"), End: rapid.IntRange(-5, 50).Draw(rt, "end"), Query: rapid.String().Draw(rt, "query"),
			Limit: rapid.IntRange(-1, 1000).Draw(rt, "limit"), Depth: rapid.IntRange(-1, 100).Draw(rt, "depth"),
		})
		require.NoError(rt, err)
		w := full()
		w.Tree = files{base: map[string]string{}, now: tree}
		r, err := tool.Run(t.Context(), w, args)
		require.NoError(rt, err)
		require.LessOrEqual(rt, len(r.Text), MaxOutput)
		require.NotEmpty(rt, r.Text)
		again, err := tool.Run(t.Context(), w, args)
		require.NoError(rt, err)
		require.Equal(rt, r, again)
	})
}

// A secret's placeholder is no text of a file: it is shown instead of it, and is never written.
func TestTools_SecretsAreNeitherShownNorLost(t *testing.T) {
	t.Parallel()
	const mark = "[redacted: STRIPE_KEY]"
	w := World{Tree: treeOf(map[string]string{"a.go": "package a\n\nconst key = \"sesame\"\n"}), Outliner: goOutliner{}}
	w.Show = func(path, text string) string {
		require.Equal(t, "a.go", path)
		return strings.ReplaceAll(text, "sesame", mark)
	}
	for name, args := range map[string]string{
		"read_file": `{"path":"a.go"}`, "search_code": `{"pattern":"key|sesame"}`, "grep": `{"pattern":"sesame"}`, "symbol_list": `{"path":"a.go"}`,
	} {
		require.NotContains(t, ask(t, w, name, args).Text, "sesame", name)
	}
	require.Contains(t, ask(t, w, "read_file", `{"path":"a.go"}`).Text, mark)
	require.Equal(t, "no line matches", ask(t, w, "grep", `{"pattern":"sesame"}`).Text, "no guess is confirmed")

	for name, args := range map[string]string{
		"write_file": `{"path":"a.go","content":"package a\n\nconst key = \"` + mark + `\"\n"}`,
		"edit_file":  `{"path":"a.go","search":"package a","replace":"package a // ` + mark + `"}`,
	} {
		r := ask(t, w, name, args)
		require.True(t, r.Failed, name)
		require.Contains(t, r.Text, "it replaces a secret", name)
		require.Empty(t, r.Change.Files, name)
	}
}

// commands say what they were asked, and what they changed.
type commands struct {
	failed string
	change patch.ChangeSet
}

func (c commands) Run(_ context.Context, argv []string) (Ran, error) {
	if argv[0] == "broken" {
		return Ran{}, errBroken
	}
	return Ran{Failed: c.failed, Exit: 3, Output: strings.Repeat("line\n", 6000) + strings.Join(argv, "|"), Change: c.change}, nil
}

func TestTools_RunCommands(t *testing.T) {
	t.Parallel()
	change := patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "gen.go", After: "package a\n"}, {Kind: patch.Delete, Path: "old.go", Before: "x"}}}
	w := World{Tree: treeOf(shop), Commands: commands{change: change}}
	r := ask(t, w, "run_command", `{"argv":["make","a b"]}`)
	require.True(t, strings.HasPrefix(r.Text, "exit code 3\ncreated gen.go\ndeleted old.go\nline\n"), r.Text)
	require.True(t, strings.HasSuffix(r.Text, "make|a b"), "the end is what counts")
	require.True(t, r.Cut)
	require.Equal(t, change, r.Change)
	require.Equal(t, "argv names no program", ask(t, w, "run_command", `{"argv":[" "]}`).Text)
	w.Commands = commands{failed: "rm was not started: it is not there"}
	r = ask(t, w, "run_command", `{"argv":["rm"]}`)
	require.Equal(t, Result{Text: "rm was not started: it is not there", Failed: true}, r)
	tool, _ := All().Named("run_command")
	_, err := tool.Run(t.Context(), w, json.RawMessage(`{"argv":["broken"]}`))
	require.ErrorIs(t, err, errBroken)
}

func TestTools_TwoChangesTogether(t *testing.T) {
	t.Parallel()
	create, update, remove := patch.Create, patch.Update, patch.Delete
	change := func(k patch.Kind, before, after string) patch.FileChange {
		return patch.FileChange{Kind: k, Path: "a", Before: before, After: after}
	}
	for name, c := range map[string]struct {
		first, second patch.FileChange
		want          []patch.FileChange
	}{
		"made and changed":      {change(create, "", "1"), change(update, "1", "2"), []patch.FileChange{change(create, "", "2")}},
		"made and removed":      {change(create, "", "1"), change(remove, "1", ""), nil},
		"changed twice":         {change(update, "0", "1"), change(update, "1", "2"), []patch.FileChange{change(update, "0", "2")}},
		"changed back":          {change(update, "0", "1"), change(update, "1", "0"), nil},
		"changed and removed":   {change(update, "0", "1"), change(remove, "1", ""), []patch.FileChange{change(remove, "0", "")}},
		"removed and made":      {change(remove, "0", ""), change(create, "", "2"), []patch.FileChange{change(update, "0", "2")}},
		"removed and as it was": {change(remove, "0", ""), change(create, "", "0"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := patch.ChangeSet{Files: []patch.FileChange{c.first}}, patch.ChangeSet{Files: []patch.FileChange{c.second}}
			set := second.Since(first.Inverse())
			require.Equal(t, c.want, set.Files)
		})
	}
}

// huge is a tree of many files, one of which has a needle.
type huge struct {
	files
	paths []string
}

const needle = "d077/f100.txt"

func (h huge) List(context.Context) ([]string, error) { return h.paths, nil }

func (h huge) ReadFile(path string) ([]byte, error) {
	if path == needle {
		return []byte("needle\n"), nil
	}
	return []byte("nothing\n"), nil
}

// In a tree of 100,000 files one is meant. The clock stands still meanwhile: a busy machine takes its time.
func TestTools_HugeTree(t *testing.T) {
	t.Parallel()
	paths := make([]string, 100_000)
	for i := range paths {
		paths[i] = fmt.Sprintf("d%03d/f%03d.txt", i/1000, i%1000)
	}
	synctest.Test(t, func(t *testing.T) {
		w := World{Tree: huge{paths: paths}}
		for name, c := range map[string][2]string{
			"search_code": {`{"pattern":"needle"}`, needle + ":1: needle"},
			"glob":        {`{"pattern":"d*7/f100.*"}`, needle},
			"list_dir":    {`{"path":"d077"}`, "f100.txt\n"},
		} {
			require.Contains(t, ask(t, w, name, c[0]).Text, c[1], name)
		}
		require.True(t, ask(t, w, "glob", `{"pattern":"**"}`).Cut)
	})
}
