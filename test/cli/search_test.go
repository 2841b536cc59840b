package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// shop is a small workspace in several languages. Nothing in web/tax.ts says what its last commit was about.
var shop = map[string]string{
	"go.mod":           "module example.com/shop\n\ngo 1.24\n",
	"http/client.go":   "// Package http talks to the payment service.\npackage http\n\nimport \"example.com/shop/backoff\"\n\n// Send sends a request, again when the server answers 429.\nfunc Send() { backoff.Pause(429) }\n",
	"backoff/pause.go": "package backoff\n\n// Pause waits longer each time.\nfunc Pause(status int) {}\n",
	"web/cart.ts":      "import { vat } from './tax';\n\n/** A cart of a customer. */\nexport class Cart {\n  total(): number {\n    return vat(1);\n  }\n}\n",
	"web/tax.ts":       "export function vat(net: number): number {\n  return net;\n}\n",
	"tools/report.py":  "class QuarterlyReport:\n    def render(self):\n        return 'sales by region'\n",
	"docs/guide.md":    "# Opening hours\n\nWe are open.\n",
	".gitignore":       "build/\n",
	"build/bundle.js":  "function vat() { /* sales by region */ }\n",
	"logo.png":         "\x89PNG\x00\x00sales by region",
}

// openShop makes the workspace, with a history.
func openShop(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(t.TempDir(), "shop"), home: t.TempDir()}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home)
	w.git("init", "--quiet")
	w.put(shop)
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", "Begin")
	w.put(map[string]string{"web/tax.ts": shop["web/tax.ts"] + "\n"})
	w.git("commit", "--quiet", "--all", "--message", "Correct the rounding of pennies")
	return w
}

// searchFound is what forge search --json prints, as it stands in docs/search.md.
type searchFound struct {
	Complete bool
	Hits     []struct {
		Path                string
		Score               float64
		FirstLine, LastLine int
		Why                 string
		Signals             []struct {
			Name  string
			Value float64
		}
		Lines []struct {
			Line int
			Text string
		}
	}
	Symbols []struct {
		Path, Name, Kind, Detail string
		Line                     int
	}
}

// strictly decodes a line that holds nothing else.
func strictly(t *testing.T, line string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), line)
	_, err := d.Token()
	require.ErrorIs(t, err, io.EOF)
}

func TestSearchCommand_FindsByEachSignal(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	before := fingerprint(t, w.root)
	for name, test := range map[string]struct {
		args    []string
		first   string   // the best file
		signals []string // one of which is among those that spoke for it
	}{
		"by words":             {[]string{"again when the server answers 429"}, "http/client.go", []string{"content"}},
		"words unquoted":       {[]string{"sales", "by", "region"}, "tools/report.py", []string{"content"}},
		"by a symbol":          {[]string{"QuarterlyReport"}, "tools/report.py", []string{"symbols"}},
		"by a path":            {[]string{"guide"}, "docs/guide.md", []string{"path"}},
		"by history":           {[]string{"rounding of pennies"}, "web/tax.ts", []string{"similar", "said"}},
		"what belongs to open": {[]string{"--open", "web/cart.ts"}, "web/tax.ts", []string{"imports"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := w.run(append([]string{"search", "--json"}, test.args...)...)
			require.Zero(t, code, stderr)
			require.Empty(t, stderr, "there is no terminal")
			var found searchFound
			strictly(t, stdout, &found)
			require.True(t, found.Complete)
			require.NotEmpty(t, found.Hits)
			best := found.Hits[0]
			require.Equal(t, test.first, best.Path, stdout)
			var names []string
			for _, s := range best.Signals {
				names = append(names, s.Name)
			}
			require.True(t, slices.ContainsFunc(test.signals, func(s string) bool { return slices.Contains(names, s) }), names)
			require.NotEmpty(t, best.Why)
			require.Positive(t, best.Score)
			for _, h := range found.Hits {
				require.NotContains(t, []string{"build/bundle.js", "logo.png"}, h.Path, "ignored and binary files are no text of the folder")
			}
		})
	}
	require.Equal(t, before, fingerprint(t, w.root), "nothing is written into the folder")
}

func TestSearchCommand_ShowsLinesAndSymbols(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	var found searchFound
	_, stdout, _ := w.run("search", "--json", "answers 429")
	strictly(t, stdout, &found)
	best := found.Hits[0]
	require.LessOrEqual(t, best.FirstLine, 6)
	require.GreaterOrEqual(t, best.LastLine, 6)
	require.Equal(t, 6, best.Lines[0].Line)
	require.Equal(t, "// Send sends a request, again when the server answers 429.", best.Lines[0].Text)

	code, stdout, stderr := w.run("search", "the cart of a customer", "-k", "1")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "web/cart.ts:1-")
	require.Contains(t, stdout, "        3  /** A cart of a customer. */\n")
	require.Contains(t, stdout, "    web/cart.ts:4  class Cart\n")
	require.NotContains(t, stdout, "tools/report.py", "one file was asked for")
}

func TestSearchCommand_NoMatchExitsOne(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	code, stdout, stderr := w.run("search", "walrus", "zeppelin")
	require.Equal(t, 1, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `is about "walrus zeppelin"`)
	code, stdout, _ = w.run("search", "--json", "walrus")
	require.Equal(t, 1, code)
	require.JSONEq(t, `{"complete":true,"hits":[],"symbols":[]}`, stdout)
}

// A second search has the first one's index, and sees what has changed since.
func TestSearchCommand_UpdatesTheIndex(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	code, _, stderr := w.run("search", "QuarterlyReport")
	require.Zero(t, code, stderr)
	require.NoError(t, os.Remove(filepath.Join(w.root, "tools/report.py")))
	w.put(map[string]string{"docs/guide.md": "# Walrus feeding\n", "new.rs": "fn zeppelin() {}\n"})
	code, stdout, _ := w.run("search", "QuarterlyReport")
	require.Equal(t, 1, code, stdout)
	_, stdout, _ = w.run("search", "walrus")
	require.Contains(t, stdout, "docs/guide.md")
	_, stdout, _ = w.run("search", "zeppelin")
	require.Contains(t, stdout, "new.rs")
}

// A folder that is no repository, and a machine without git, can be searched all the same.
func TestSearchCommand_WorksWithoutGit(t *testing.T) {
	t.Parallel()
	w := &world{t: t, root: t.TempDir(), home: t.TempDir()}
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home)
	w.put(shop)
	for range 2 {
		code, stdout, stderr := w.run("search", "sales by region")
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, "tools/report.py", stdout)
		w.environ = append(w.environ, "PATH="+only("go"), "FORGE_HOME="+t.TempDir())
	}
}

func TestMapCommand_StaysWithinTheBudget(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	code, stdout, stderr := w.run("map", "the total of a cart")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "web/cart.ts")
	require.Contains(t, stdout, "total")
	require.Contains(t, stdout, "QuarterlyReport")
	require.NotContains(t, stdout, "bundle")

	code, stdout, stderr = w.run("map", "--json", "--budget", "40", "the total of a cart")
	require.Zero(t, code, stderr)
	var m struct {
		Folder, Text   string
		Complete       bool
		Tokens, Budget int
		Files          []string
	}
	strictly(t, stdout, &m)
	require.LessOrEqual(t, m.Tokens, 40)
	require.Equal(t, 40, m.Budget)
	require.LessOrEqual(t, len([]rune(m.Text)), 160)
	require.Contains(t, m.Text, "web/cart.ts", "what the request is about comes first")
	require.NotContains(t, m.Text, "docs/guide.md")
}

func TestSymbolsCommand_ListsSymbols(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	code, stdout, stderr := w.run("symbols", "quarterly")
	require.Zero(t, code, stderr)
	require.True(t, strings.HasPrefix(stdout, "tools/report.py:1  class QuarterlyReport"), stdout)
	require.NotContains(t, stdout, "Cart")

	code, stdout, stderr = w.run("symbols", "web/cart.ts")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "    4  class Cart")
	require.Contains(t, stdout, "    5    method total")

	code, stdout, _ = w.run("symbols", "--json", "tools/report.py")
	require.Zero(t, code)
	var outline []struct {
		Name, Kind, Receiver, Detail, Doc string
		Line                              int
		Children                          []struct {
			Name, Kind, Receiver, Detail, Doc string
			Line                              int
			Children                          []any
		}
	}
	strictly(t, stdout, &outline)
	require.Equal(t, "QuarterlyReport", outline[0].Name)
	require.Equal(t, "render", outline[0].Children[0].Name)
	require.Equal(t, 2, outline[0].Children[0].Line)

	code, _, stderr = w.run("symbols", "walrus")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `matches "walrus"`)
	code, _, stderr = w.run("symbols", "logo.png")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "has no outline")
}

func TestSearchCommand_RejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no text":                {[]string{"search"}, 2, "the text is missing"},
		"an empty text":          {[]string{"search", " "}, 2, "the text is missing"},
		"no files":               {[]string{"search", "-k", "0", "x"}, 2, "--limit 0"},
		"a folder that is not":   {[]string{"search", "--dir", "gone", "x"}, 2, "gone does not exist"},
		"a file for a folder":    {[]string{"search", "--dir", "go.mod", "x"}, 2, "go.mod is not a folder"},
		"an open file outside":   {[]string{"search", "--open", "../x", "x"}, 2, `"../x" is not a file in`},
		"a batch with a text":    {[]string{"search", "--batch", "x"}, 2, "leave the text out"},
		"a batch of no folder":   {[]string{"search", "--batch", "--root", "gone"}, 2, "gone does not exist"},
		"a map of nothing":       {[]string{"map", "--budget", "0"}, 2, "--budget 0"},
		"a map outside":          {[]string{"map", "--open", "/etc/passwd"}, 2, "is not a file in"},
		"no name":                {[]string{"symbols"}, 2, "the name is missing"},
		"two names":              {[]string{"symbols", "a", "b"}, 2, "2 names: give one name"},
		"no definitions at all":  {[]string{"symbols", "-k", "0", "a"}, 2, "--limit 0"},
		"an unknown flag":        {[]string{"map", "--fly"}, 2, "--fly"},
		"a state that cannot be": {[]string{"search", "x"}, 1, "set FORGE_HOME to a folder that can be written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := w.command(t.Context(), test.args...)
			if test.code == 1 {
				c.Env = append(c.Env, "FORGE_HOME=/dev/null/forge")
			}
			code, stdout, stderr := execute(t, c)
			require.Equal(t, test.code, code, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, test.says)
		})
	}
}

// The flags that graders and scripts use, and how the answers come: each at once, in order, whatever came before.
func TestSearchBatch_AnswersInOrder(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	before := fingerprint(t, w.root)
	c := w.command(t.Context(), "search", "--batch", "--root", w.root)
	c.Dir = t.TempDir()
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	answers := json.NewDecoder(out)
	answers.DisallowUnknownFields()
	ask := func(line string) (a struct {
		ID      any
		Files   []string
		Map     string
		Tokens  int
		Symbols [][2]string
		Error   *struct{ Kind, Message string }
	}) {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
		require.NoError(t, answers.Decode(&a), "every line is answered before the next is asked")
		return a
	}
	a := ask(`{"id":"é","query":"quarterly sales by region","open":[],"k":3,"budget":200}`)
	require.Equal(t, "é", a.ID)
	require.Nil(t, a.Error)
	require.Equal(t, "tools/report.py", a.Files[0], "the first answer waits for the whole index")
	require.LessOrEqual(t, len(a.Files), 3)
	require.Contains(t, a.Symbols, [2]string{"tools/report.py", "QuarterlyReport"})
	require.Contains(t, a.Map, "tools/report.py")
	require.Contains(t, a.Map, "render")
	require.Equal(t, (len([]rune(a.Map))+3)/4, a.Tokens)
	require.LessOrEqual(t, a.Tokens, 200)

	a = ask(`walrus`)
	require.Nil(t, a.ID)
	require.Equal(t, "request", a.Error.Kind)
	require.Empty(t, a.Files)
	a = ask(`{"id":7,"query":"rounding of pennies"}`)
	require.EqualValues(t, 7, a.ID)
	require.Equal(t, "web/tax.ts", a.Files[0], "by history")
	a = ask(`{"id":8,"query":"","open":["web/cart.ts"]}`)
	require.Equal(t, "web/tax.ts", a.Files[0], "by imports")
	require.NotContains(t, a.Files, "web/cart.ts")
	a = ask(`{"id":9,"query":"walrus"}`)
	require.Nil(t, a.Error)
	require.Empty(t, a.Files)

	require.NoError(t, in.Close())
	require.NoError(t, c.Wait())
	require.Empty(t, stderr.String())
	require.Equal(t, before, fingerprint(t, w.root))
}

func TestSearchBatch_EmptyInputSucceeds(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	c := w.command(t.Context(), "search", "--batch")
	c.Stdin = strings.NewReader("")
	code, stdout, stderr := execute(t, c)
	require.Zero(t, code, stderr)
	require.Empty(t, stdout)
}

func TestSearchBatch_InterruptEndsIt(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	c := exec.CommandContext(context.Background(), forge, "search", "--batch")
	c.Dir, c.Env = w.root, w.environ
	in, err := c.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.WriteString(in, `{"id":1,"query":"walrus"}`+"\n")
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(out).Decode(new(map[string]any)), "it is at work")
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	_ = c.Wait()
	require.Equal(t, 4, c.ProcessState.ExitCode())
}

// TestSymbols_NamesThatLookRandomAreFound: a long name with figures in it is no secret, costs no other name of its file, and is found in a file
// of more than 1 MiB too.
func TestSymbols_NamesThatLookRandomAreFound(t *testing.T) {
	t.Parallel()
	w := openShop(t)
	names := []string{"TestMaxInt64ForMultipartFormMaxMemoryOverflow", "checkX509V1CertP256R1A2"}
	w.put(map[string]string{
		"form/form_test.go": "package form\n\nfunc " + names[0] + "() {}\n\nfunc Neighbour() {}\n",
		"form/form.py":      "def " + names[1] + "():\n    pass\n\ndef python_neighbour():\n    pass\n",
		"form/form.ts":      "export function formZ9Y8X7W6V5U4T3S2() {}\n",
		"form/tables.go":    "package form\n" + strings.Repeat("// A line of a table that a program has written.\n", 23_000) + "func AtTheEndOfALongFile() {}\n",
	})
	for _, name := range append(names, "Neighbour", "python_neighbour", "formZ9Y8X7W6V5U4T3S2", "AtTheEndOfALongFile") {
		code, out, _ := w.run("symbols", "--json", name)
		require.Zero(t, code)
		var found []struct{ Name string }
		require.NoError(t, json.Unmarshal([]byte(out), &found), out)
		require.NotEmpty(t, found, name)
		require.Equal(t, name, found[0].Name)
	}
}
