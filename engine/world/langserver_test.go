package world_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/engine/world"
)

// playedServer is the variable that makes the test's own program a language server; its value is what the server does.
const playedServer = "FORGE_PLAYED_SERVER"

func TestMain(m *testing.M) {
	if does := os.Getenv(playedServer); does != "" {
		(&played{does: does, in: bufio.NewReader(os.Stdin)}).serve()
		return
	}
	os.Exit(m.Run())
}

// played is a language server as a test needs it.
type played struct {
	does string
	in   *bufio.Reader
	root string
	lost bool // an edit was called outdated
}

type received struct {
	ID     json.RawMessage
	Method string
	Params struct {
		RootURI      string `json:"rootUri"`
		TextDocument struct{ URI string }
		Position     struct{ Line, Character int }
		NewName      string
	}
	Result json.RawMessage
}

func (p *played) serve() {
	if p.does == "ends" {
		fmt.Fprintln(os.Stderr, "error: no settings\nsecond line")
		os.Exit(3)
	}
	for {
		m, err := p.receive()
		if err != nil {
			return
		}
		switch m.Method {
		case "initialize":
			p.root = m.Params.RootURI
			p.answer(m, map[string]any{"capabilities": map[string]any{"renameProvider": true}})
		case "initialized":
			p.load()
		case "textDocument/rename":
			p.rename(m)
		case "textDocument/definition":
			p.define(m)
		}
	}
}

// load asks for settings, and says when the code is loaded.
func (p *played) load() {
	p.say(map[string]any{"id": "s", "method": "workspace/configuration", "params": map[string]any{"items": []map[string]string{{"section": "rust-analyzer"}, {"section": "x"}}}})
	for {
		m, err := p.receive()
		if err != nil {
			return
		}
		if m.Method == "" && string(m.ID) == `"s"` {
			if !strings.Contains(string(m.Result), `"buildScripts":{"enable":false}`) || !strings.HasSuffix(string(m.Result), ",null]") {
				os.Exit(4)
			}
			break
		}
	}
	health := map[bool]string{true: "error", false: "ok"}[p.does == "cannot load"]
	for _, quiescent := range []bool{false, true} {
		if p.does != "never loads" || !quiescent {
			p.say(map[string]any{"method": "experimental/serverStatus", "params": map[string]any{"health": health, "quiescent": quiescent, "message": "no metadata\nmore"}})
		}
	}
}

func (p *played) rename(m received) {
	edit := func(name string, line, from, to int) map[string]any {
		place := func(at int) map[string]int { return map[string]int{"line": line, "character": at} }
		return map[string]any{"textDocument": map[string]any{"uri": p.root + "/" + name, "version": nil}, "edits": []any{
			map[string]any{"range": map[string]any{"start": place(from), "end": place(to)}, "newText": m.Params.NewName},
		}}
	}
	changes := []any{edit("src/a.rs", 0, 12, 15), edit("src/b.rs", 1, 4, 7)}
	fault := ""
	switch p.does {
	case "refuses":
		fault = "Invalid name `go`: not here"
	case "fails":
		fault = "No references found at position"
	case "renames a file":
		changes = append(changes, map[string]any{"kind": "rename", "oldUri": p.root + "/src/a.rs", "newUri": p.root + "/src/b.rs"})
	case "leads out":
		changes = []any{edit("../../passwd", 0, 0, 1)}
	case "replaces all":
		whole := edit("src/b.rs", 0, 0, 0)
		whole["edits"].([]any)[0].(map[string]any)["range"].(map[string]any)["end"] = map[string]int{"line": 4, "character": 0}
		whole["edits"].([]any)[0].(map[string]any)["newText"] = "fn f(x: X) {\n    go();\n  x.run();\n}\n"
		changes[1] = whole
	case "finds nothing":
		p.answer(m, nil)
		return
	case "is not done":
		if !p.lost {
			p.lost = true
			p.say(map[string]any{"id": m.ID, "error": map[string]any{"code": -32801, "message": "content modified"}})
			return
		}
	}
	if fault != "" {
		p.say(map[string]any{"id": m.ID, "error": map[string]any{"code": -32602, "message": fault + "\nmore"}})
		return
	}
	p.answer(m, map[string]any{"documentChanges": changes})
}

// define knows what all means, except in line 2 of b.rs.
func (p *played) define(m received) {
	if p.does == "knows not all" && strings.HasSuffix(m.Params.TextDocument.URI, "b.rs") && m.Params.Position.Line == 2 {
		p.answer(m, []any{})
		return
	}
	p.answer(m, []any{map[string]any{"uri": p.root}})
}

func (p *played) answer(m received, result any) { p.say(map[string]any{"id": m.ID, "result": result}) }

func (p *played) say(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(body), body)
}

func (p *played) receive() (m received, err error) {
	length := 0
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if digits, is := strings.CutPrefix(line, "Content-Length: "); is {
			if length, err = strconv.Atoi(digits); err != nil {
				return m, err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return m, err
	}
	_ = json.Unmarshal(body, &m) // params of other forms are not read
	return m, nil
}

var rustFiles = map[string]string{
	"crate/Cargo.toml": "[package]\nname = \"c\"\n",
	"crate/src/a.rs":   "/* 😀 */ fn run() {}\n",
	"crate/src/b.rs":   "fn f(x: X) {\n    run();\n  x.run();\n}\n",
}

// renameRust asks for a rename by a played server.
func renameRust(t *testing.T, does string, single bool) tool.Renamed {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	texts, in := rustFiles, put(t, rustFiles)
	environ := programs(t, map[string]string{"rust-analyzer": playedServer + "='" + does + "' exec " + self + "\n"})
	r := tool.Renaming{
		Language: codeintel.LanguageRust, Path: "crate/src/a.rs", Name: "run", To: "go", Texts: texts, At: strings.Index(texts["crate/src/a.rs"], "run"), Single: single,
		Places: map[string][]codeintel.Span{},
	}
	for _, name := range []string{"crate/src/a.rs", "crate/src/b.rs"} {
		r.Places[name] = codeintel.WordSpans(texts[name], "run")
	}
	limit := 20 * time.Second
	if strings.HasPrefix(does, "never") {
		limit = 300 * time.Millisecond
	}
	done, err := world.Servers{Runner: sandbox.New(sandbox.Options{Environ: environ}), Tree: in, Limit: limit}.Rename(t.Context(), r)
	require.NoError(t, err)
	return done
}

// Whatever a language server does, it ends in a rename, a refusal or a reason to rename without it.
func TestLanguageServer_IsUnderstood(t *testing.T) {
	t.Parallel()
	renamed := map[string]string{"crate/src/a.rs": "/* 😀 */ fn go() {}\n", "crate/src/b.rs": "fn f(x: X) {\n    go();\n  x.run();\n}\n"}
	for does, want := range map[string]tool.Renamed{
		"renames":        {By: "rust-analyzer", After: renamed},
		"replaces all":   {By: "rust-analyzer", After: renamed},
		"is not done":    {By: "rust-analyzer", After: renamed},
		"refuses":        {By: "rust-analyzer", Refused: "Invalid name `go`: not here"},
		"fails":          {Why: "rust-analyzer failed: No references found at position"},
		"finds nothing":  {Why: "rust-analyzer failed: it found nothing to rename there"},
		"cannot load":    {Why: "rust-analyzer failed: no metadata"},
		"never loads":    {Why: "rust-analyzer did not answer within 300ms"},
		"ends":           {Why: "rust-analyzer did not answer: error: no settings"},
		"renames a file": {By: "rust-analyzer", Refused: "it would rename a.rs too, which Forge does not do"},
		"leads out":      {By: "rust-analyzer", Refused: "it would change passwd, which is not a file of the folder that contains the name"},
	} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			done := renameRust(t, does, false)
			require.Empty(t, done.Assumed)
			require.Empty(t, done.Left)
			if done.After != nil {
				require.Equal(t, map[string][]codeintel.Span{"crate/src/a.rs": {{Start: 14, End: 17}}, "crate/src/b.rs": {{Start: 17, End: 20}}}, done.Places)
			}
			done.Places, done.Assumed, done.Left = nil, nil, nil
			require.Equal(t, want, done)
		})
	}
}

// Places that the server does not know the meaning of are named; they are renamed if nothing else has the name.
func TestLanguageServer_PlacesItDoesNotKnow(t *testing.T) {
	t.Parallel()
	unknown := map[string][]codeintel.Span{"crate/src/b.rs": {{Start: 28, End: 31}}}
	done := renameRust(t, "knows not all", false)
	require.Equal(t, unknown, done.Left)
	require.Contains(t, done.After["crate/src/b.rs"], "    go();\n  x.run();")
	done = renameRust(t, "knows not all", true)
	require.Equal(t, unknown, done.Assumed)
	require.Contains(t, done.After["crate/src/b.rs"], "    go();\n  x.go();")
}

// Without a server the reason says how to install it, also where rustup has only its own program of that name.
func TestLanguageServer_SaysWhatInstallsIt(t *testing.T) {
	t.Parallel()
	asked := tool.Renaming{Language: codeintel.LanguageRust, Path: "a.rs", Name: "run", To: "go"}
	files := map[string]string{"a.rs": "fn run() {}\n", "a.py": "def run(): pass\n"}
	none := []string{"PATH=" + t.TempDir()}
	const missing = "rust-analyzer is not installed: rustup component add rust-analyzer"
	require.Equal(t, missing, rename(t, put(t, files), none, asked, files).Why)
	rustup := programs(t, map[string]string{"rust-analyzer": "echo \"error: Unknown binary 'rust-analyzer' in official toolchain 'stable'.\" >&2; exit 1"})
	require.Equal(t, missing, rename(t, put(t, files), rustup, asked, files).Why)
	asked.Language, asked.Path = codeintel.LanguagePython, "a.py"
	require.Equal(t, "no language server of Python is installed: npm install -g pyright", rename(t, put(t, files), none, asked, files).Why)
}

// A server of Python that cannot start leaves the work to the next one.
func TestPython_TheNextServerIsAsked(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.py": "def run(): pass\n"}
	broken := programs(t, map[string]string{"pyright-langserver": "echo 'no network' >&2; exit 1", "pylsp": "exit 2"})
	done := rename(t, put(t, files), broken, tool.Renaming{Language: codeintel.LanguagePython, Path: "a.py", Name: "run", To: "go"}, files)
	require.Equal(t, tool.Renamed{Why: "pyright did not answer: no network"}, done)
}
