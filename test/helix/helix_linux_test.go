// Package helix drives a real Helix on a pseudo-terminal, with nothing but its own client.
//
// Keys are typed, and what happens is read from the messages between Helix and the server, and from the files. Helix is the program in
// HELIX, or the one that scripts/install.sh puts into .cache.
package helix

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) {
	if os.Getenv(tapLog) != "" {
		if err := tap(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testkit.Main(m, &forge))
}

// session is a folder with a scripted model, in which one Helix after another runs.
type session struct {
	t         *testing.T
	workspace string
	environ   []string
}

func newSession(t *testing.T) *session {
	t.Helper()
	archive, err := txtar.ParseFile("../nvim/testdata/chain.txtar")
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, txtar.Write(archive, dir))
	greet := filepath.Join(dir, "greet.go")
	text, err := os.ReadFile(greet)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(greet, append([]byte("// forge: add a package that shouts\n\n"), text...), 0o600))
	config := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(config, "helix"), 0o700))
	self, err := os.Executable()
	require.NoError(t, err)
	settings := fmt.Sprintf("[language-server.forge]\ncommand = %q\n[[language]]\nname = \"go\"\nlanguage-servers = [\"forge\"]\n", self)
	require.NoError(t, os.WriteFile(filepath.Join(config, "helix", "languages.toml"), []byte(settings), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(config, "helix", "config.toml"), []byte("[editor.lsp]\ndisplay-messages = true\ndisplay-progress-messages = true\n"), 0o600))
	return &session{t: t, workspace: dir, environ: []string{
		"XDG_CONFIG_HOME=" + config, "XDG_CACHE_HOME=" + t.TempDir(), testkit.GoCache(t), "FORGE_HOME=" + testkit.Home(t),
		"FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
	}}
}

// chain is what the scripted model answers.
const chain = "../nvim/testdata/chain.yaml"

// answered has later Helixes get the answers of a script.
func (d *session) answered(script string) {
	d.environ = append(d.environ, "FORGE_BASE_URL="+startModel(d.t, script))
}

func (d *session) file(name string) string {
	text, err := os.ReadFile(filepath.Join(d.workspace, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// helix returns the program; without it the test is skipped.
func helix(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("HELIX"); given != "" {
		return given
	}
	installed, err := filepath.Abs("../../.cache/helix/hx")
	require.NoError(t, err)
	if _, err := os.Stat(installed); err != nil {
		t.Skip("not run: Helix: it is not installed; scripts/install.sh helix unpacks Debian's")
	}
	return installed
}

// TestHelix_Chain takes a change from the request to its undo, quits Helix, starts another one, and finds the run and its proposal there.
func TestHelix_Chain(t *testing.T) {
	d := newSession(t)
	d.answered(chain)
	before := d.file("greet.go")
	s := d.open("greet.go")
	s.until("the open file", 0, "", toServer("textDocument/didOpen"))
	s.run()
	s.hints(5)
	require.Equal(t, before, d.file("greet.go"))
	s.decide()
	s.change()
	s.undo(before)
	s.quit()

	s = d.open("greet.go")
	s.until("the open file", 0, "", toServer("textDocument/didOpen"))
	var runs struct {
		Runs []struct{ RunID, State, ProposalID string }
	}
	s.execute("forge.runs", `{"all":true}`, &runs)
	require.Len(t, runs.Runs, 1)
	require.Equal(t, "succeeded", runs.Runs[0].State)
	var p struct{ Files []any }
	s.execute("forge.proposal.get", `{"proposalId":"`+runs.Runs[0].ProposalID+`"}`, &p)
	require.Len(t, p.Files, 3)
	from := len(s.messages())
	s.command(`lsp-workspace-command forge.resume {"runId":"` + runs.Runs[0].RunID + `"}`)
	s.answers(from, "Apply all", "\x1b")
	s.hints(5)
	s.quit()
}

// TestHelix_ClosedDuringARun closes Helix while the model works, and resumes the run in another one.
func TestHelix_ClosedDuringARun(t *testing.T) {
	d := newSession(t)
	d.answered(testkit.HangingModel(t, chain))
	before := d.file("greet.go")
	s := d.open("greet.go")
	s.until("the open file", 0, "", toServer("textDocument/didOpen"))
	s.begin()
	s.until("the work on the change", 0, "", func(l line) bool {
		return l.Message.Method == "$/progress" && strings.Contains(string(l.Message.Params), `"message":"executor`)
	})
	s.quit()
	require.Equal(t, before, d.file("greet.go"))

	d.answered(chain)
	s = d.open("greet.go")
	s.answers(0, "Resume", "\r")
	s.answers(0, "Apply all", "\r")
	for _, l := range s.messages() {
		require.NotContains(t, string(l.Message.Params), "Implement this specification", "it was answered before")
	}
	s.until("the result", 0, "", func(l line) bool {
		return l.Message.Method == "window/showMessage" && strings.Contains(string(l.Message.Params), "3 of 3 files applied")
	})
	s.saved("loud/loud.go", "func Shout(")
	s.saved("greet.go", "func Bow(")
	s.quit()
}

// run starts a run and answers all its questions.
func (s *screen) run() {
	from := len(s.messages())
	s.begin()
	s.answers(from, "Apply all", "\x1b")
}

// begin starts a run by a code action on the whole file, which has the task as a comment, and answers its questions but the last.
func (s *screen) begin() {
	from := len(s.messages())
	s.types("% a")
	s.until("the code actions", from, "", func(l line) bool { return l.To == "client" && strings.Contains(string(l.Message.Result), "Forge: ") })
	s.until("the run", from, "\r", commanded("forge.run"))
	s.answers(from, "Trust and run", "\r")
	s.until("progress", from, "", toClient("$/progress"))
	s.answers(from, "Implement", "\r")
}

// decide accepts one of three files, a new one, then two of five hunks and three lines.
func (s *screen) decide() {
	s.apply(`{"files":["loud/loud.go"]}`)
	s.saved("loud/loud.go", "func Shout(")
	require.NotContains(s.t, s.file("greet.go"), "quietly")
	from := len(s.messages())
	s.command("open greet.go")
	s.types("gg]d a")
	s.until("the accepted hunk", from, "\r", commanded("forge.proposal.apply"))
	s.saved("greet.go", "quietly")
	s.apply(`{"hunks":["` + s.hunk("before noon") + `"]}`)
	s.saved("greet.go", "before noon")
	at := s.proposed("takes leave")
	s.apply(fmt.Sprintf(`{"lines":[{"path":"greet.go","start":%d,"end":%d}]}`, at-1, at+2))
	s.saved("greet.go", "func Bye(")
	text := s.file("greet.go")
	require.Contains(s.t, text, "takes leave")
	for _, open := range []string{"at any time", "before bed", "func Bow("} {
		require.NotContains(s.t, text, open)
	}
	s.checked("part")
}

// change makes a version of the user's own the proposal, has it checked, and accepts it.
func (s *screen) change() {
	text := strings.ReplaceAll(s.document("greet.go"), "before bed", "before midnight")
	args, err := json.Marshal(map[string]string{"path": "greet.go", "text": text})
	require.NoError(s.t, err)
	s.execute("forge.proposal.amend", string(args), nil)
	require.NotContains(s.t, s.file("greet.go"), "midnight")
	s.checked("amended")
	s.apply(`{"files":["greet.go"]}`)
	s.saved("greet.go", "midnight")
	require.Contains(s.t, s.file("greet.go"), "func Bow(")
}

// undo takes the run back.
func (s *screen) undo(before string) {
	from := len(s.messages())
	s.command("open greet.go")
	s.command("lsp-workspace-command forge.undo")
	s.answers(from, "Apply all", "\r")
	s.until("the result", from, "", func(l line) bool {
		return l.Message.Method == "window/showMessage" && strings.Contains(string(l.Message.Params), "files applied")
	})
	s.saved("greet.go", "// Package greet greets people.\n")
	s.until("the text as it was", 0, "h:write-all!\r", func(line) bool { return s.file("greet.go") == before })
	s.until("the end of loud.go", 0, "", func(line) bool { return s.file("loud/loud.go") == "" })
}

// apply accepts what is selected.
func (s *screen) apply(selected string) {
	s.t.Helper()
	var result struct {
		Files []struct{ State, Message string }
	}
	s.execute("forge.proposal.apply", `{"select":`+selected+`}`, &result)
	require.Len(s.t, result.Files, 1)
	require.Contains(s.t, []string{"applied", "sent"}, result.Files[0].State, result.Files[0].Message)
}

// checked has gates judge what the user takes.
func (s *screen) checked(of string) {
	s.t.Helper()
	var p struct {
		Checks struct {
			Of, State string
			Gates     []struct{ Name, Verdict, Summary string }
		}
	}
	s.execute("forge.proposal.check", "{}", &p)
	require.Equal(s.t, of, p.Checks.Of)
	require.Equal(s.t, "checked", p.Checks.State)
	require.NotEmpty(s.t, p.Checks.Gates)
	for _, g := range p.Checks.Gates {
		require.Equal(s.t, "pass", g.Verdict, "%s: %s", g.Name, g.Summary)
	}
}

// hunk returns the id of the hunk whose text contains a text.
func (s *screen) hunk(text string) string {
	var p struct {
		Files []struct {
			Hunks []struct{ ID, NewText string }
		}
	}
	raw := s.execute("forge.proposal.get", "{}", &p)
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if strings.Contains(h.NewText, text) {
				return h.ID
			}
		}
	}
	s.t.Fatalf("no hunk has %q: %s", text, raw)
	return ""
}

// document returns the proposed text of a file. Helix does not request the content of documents, so the server writes a file.
func (s *screen) document(path string) string {
	var result struct{ URI string }
	s.execute("forge.document.show", `{"uri":"`+s.address(path)+`"}`, &result)
	at, err := url.Parse(result.URI)
	require.NoError(s.t, err)
	require.Equal(s.t, "file", at.Scheme)
	text, err := os.ReadFile(at.Path)
	require.NoError(s.t, err)
	return string(text)
}

// proposed returns the number of the line of greet.go's proposed text with a text, from 0.
func (s *screen) proposed(text string) int {
	for i, l := range strings.Split(s.document("greet.go"), "\n") {
		if strings.Contains(l, text) {
			return i
		}
	}
	s.t.Fatalf("%q is not proposed", text)
	return 0
}

func (s *screen) address(path string) string {
	var p struct {
		Files []struct{ Path, Proposed string }
	}
	s.execute("forge.proposal.get", "{}", &p)
	for _, f := range p.Files {
		if f.Path == path {
			return f.Proposed
		}
	}
	s.t.Fatalf("%s is not proposed", path)
	return ""
}

// execute types a command of the server, and reads its answer. Helix sends commands to the servers of the document that is shown, which may
// be one of Forge's own.
func (s *screen) execute(name, args string, result any) json.RawMessage {
	s.t.Helper()
	from := len(s.messages())
	s.command("open greet.go")
	s.command("lsp-workspace-command " + name + " " + args)
	sent := s.until(name, from, "", commanded(name))
	answer := s.until("the answer to "+name, from, "", func(l line) bool {
		return l.To == "client" && l.Message.Method == "" && string(l.Message.ID) == string(sent.ID)
	})
	require.Empty(s.t, string(answer.Error), name)
	if result != nil {
		require.NoError(s.t, json.Unmarshal(answer.Result, result))
	}
	return answer.Result
}

// answers waits for a question with a choice, and presses a key until it is answered.
func (s *screen) answers(from int, choice, key string) {
	s.t.Helper()
	asked := s.until("a question with "+choice, from, "", func(l line) bool {
		return l.Message.Method == "window/showMessageRequest" && strings.Contains(string(l.Message.Params), `"`+choice+`"`)
	})
	s.until("the answer "+choice, from, key, func(l line) bool {
		return l.To == "server" && l.Message.Method == "" && string(l.Message.ID) == string(asked.ID)
	})
}

// hints waits until so many hints are published for greet.go.
func (s *screen) hints(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d hints", n), 0, "", func(l line) bool {
		return l.Message.Method == "textDocument/publishDiagnostics" && strings.Contains(string(l.Message.Params), "/greet.go") &&
			strings.Count(string(l.Message.Params), "proposed:") == n
	})
}

// saved saves all files until one of them has a text. Of two saves at a time, Helix takes the first for that of another program, unless forced.
func (s *screen) saved(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.workspace, filepath.Dir(name))
	require.NoError(s.t, os.MkdirAll(path, 0o755))
	s.until(text+" in "+name, 0, "h:write-all!\r", func(line) bool { return strings.Contains(s.file(name), text) })
}

// quit types the command until Helix has ended: keys are lost while it draws a menu, or saves.
func (s *screen) quit() {
	s.t.Helper()
	s.until("the end of Helix", 0, "h:quit-all!\r", func(line) bool { return s.ended() })
	s.reader.Wait()
}

func toServer(method string) func(line) bool {
	return func(l line) bool { return l.To == "server" && l.Message.Method == method }
}

func toClient(method string) func(line) bool {
	return func(l line) bool { return l.To == "client" && l.Message.Method == method }
}

func commanded(name string) func(line) bool {
	return func(l line) bool {
		return l.Message.Method == "workspace/executeCommand" && strings.Contains(string(l.Message.Params), `"`+name+`"`)
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+[\w/]*`)

// startModel serves a script on loopback until the test ends, and returns the URL it prints.
func startModel(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), forge, "dev", "model", "--script", script)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed: the error says only that
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			return url
		}
	}
	t.Fatal("`forge dev model` printed no URL")
	return ""
}
