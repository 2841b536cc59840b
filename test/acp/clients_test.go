// Package acp drives the built program with clients of the Agent Client Protocol that Forge did not write: the protocol's own TypeScript
// library, and acpx, a client on the command line; and with input that no client should send.
package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// The page names the clients that these tests drive, with their versions.
func TestPage_NamesTheClientsAndTheirVersions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	var installed struct{ Dependencies map[string]string }
	require.NoError(t, json.Unmarshal(text, &installed))
	page, err := os.ReadFile("../../docs/acp.md")
	require.NoError(t, err)
	for _, client := range []string{"@agentclientprotocol/sdk", "acpx"} {
		require.Regexp(t, client+"[^ ]* "+installed.Dependencies[client]+`\b`, string(page))
	}
}

// request is the task of the demo, whose script the model plays.
const request = "Add a Discount method to Cart"

// harness is the demo's folder, and the environment of a user with a scripted model.
type harness struct {
	t       *testing.T
	root    string
	environ map[string]string
	before  string // cart.go
	stable  bool   // the client knows the stable features of the protocol only
}

// start makes a harness. An empty script is the demo's.
func start(t *testing.T, script string) *harness {
	t.Helper()
	d := &harness{t: t, root: filepath.Join(t.TempDir(), "cart")}
	require.NoError(t, exec.Command(forge, "dev", "sample", d.root).Run())
	d.before = d.cart()
	args := []string{"dev", "model"}
	if script != "" {
		path := filepath.Join(t.TempDir(), "script.yaml")
		require.NoError(t, os.WriteFile(path, []byte("entries:\n"+script), 0o600))
		args = append(args, "--script", path)
	}
	model := exec.Command(forge, args...)
	out, err := model.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, model.Start())
	t.Cleanup(func() {
		_ = model.Process.Kill()
		_ = model.Wait() // it was killed
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	d.environ = map[string]string{
		"FORGE_HOME": testkit.Home(t), "FORGE_BASE_URL": strings.TrimSpace(url), "FORGE_MODEL": "scripted", "FORGE_API_KEY": "", "FORGE_TAG_REQUESTS": "1",
	}
	return d
}

func (d *harness) cart() string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.root, "cart.go"))
	require.NoError(d.t, err)
	return string(text)
}

func (d *harness) env() []string {
	all := os.Environ()
	for name, value := range d.environ {
		all = append(all, name+"="+value)
	}
	return all
}

// turn is a prompt, and how the client answers questions: by the beginning of their titles.
type turn struct {
	Prompt   string      `json:"prompt"`
	Links    []string    `json:"links,omitempty"`
	Answers  [][2]string `json:"answers"`
	CancelAt string      `json:"cancelAt,omitempty"` // cancelled when such an update comes
}

// driven is what the driver saw.
type driven struct {
	SessionID  string `json:"sessionId"`
	Initialize struct {
		ProtocolVersion int              `json:"protocolVersion"`
		AuthMethods     []map[string]any `json:"authMethods"`
	} `json:"initialize"`
	Session struct {
		Modes struct {
			CurrentModeID string `json:"currentModeId"`
		} `json:"modes"`
	} `json:"session"`
	Loaded seen     `json:"loaded"`
	Turns  []seen   `json:"turns"`
	Faults []string `json:"faults"`
	Code   int      `json:"code"`
}

// seen is what the client saw of a turn.
type seen struct {
	StopReason string
	Text       string
	Usage      struct{ TotalTokens int }
	Asked      []struct {
		Title   string
		Options []string
		OnDisk  string
	}
	Updates []struct {
		SessionUpdate, Title, Status, Kind, Path string
		Used, Size                               int
		AvailableCommands                        []struct{ Name string }
		Entries                                  []struct{ Content, Status string }
		Content                                  json.RawMessage
	}
}

func (s seen) count(kind string) (n int) {
	for _, u := range s.Updates {
		if u.SessionUpdate == kind {
			n++
		}
	}
	return n
}

// drive runs the driver, and demands that each message fits the schema and that the agent ends by itself.
func (d *harness) drive(load string, turns ...turn) driven {
	d.t.Helper()
	job, err := json.Marshal(map[string]any{
		"command": []string{forge, "acp"}, "env": d.environ, "cwd": d.root, "load": load, "stable": d.stable, "turns": turns, "watch": filepath.Join(d.root, "cart.go"),
	})
	require.NoError(d.t, err)
	c := exec.Command("node", "drive.mjs", string(job))
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	require.NoError(d.t, err, said.String())
	var result driven
	require.NoError(d.t, json.Unmarshal(out, &result), string(out))
	require.Empty(d.t, result.Faults, "each message fits the schema of the protocol")
	require.Zero(d.t, result.Code, said.String())
	return result
}

// agree answers all questions of the demo's run.
var agree = [][2]string{{"Do you trust", "trust"}, {"Apply", "apply-all"}, {"Edit", "apply-all"}, {"Create", "apply-all"}, {"Delete", "apply-all"}, {"", "approve"}}

// The main job, by the protocol's own library: trust, specification, a change that fails its test first, the consent, the files through the
// client, and the undo; then another process loads the session, for a client that knows no unstable feature.
func TestSDK_MainJob(t *testing.T) {
	t.Parallel()
	d := start(t, "")
	got := d.drive("", turn{Prompt: request, Links: []string{"file://" + d.root + "/cart.go"}, Answers: agree}, turn{Prompt: "/undo", Answers: agree})
	require.Equal(t, 1, got.Initialize.ProtocolVersion)
	require.Empty(t, got.Initialize.AuthMethods)
	require.Equal(t, "balanced", got.Session.Modes.CurrentModeID)

	run := got.Turns[0]
	require.Equal(t, "end_turn", run.StopReason, run.Text)
	require.Contains(t, run.Text, "Applied 2 files")
	require.Positive(t, run.Usage.TotalTokens)
	var titles []string
	for _, q := range run.Asked {
		titles = append(titles, q.Title)
		require.Equal(t, d.before, q.OnDisk, "nothing is written before the consent")
	}
	require.Len(t, titles, 3, titles)
	require.Contains(t, titles[0], "Do you trust")
	require.Equal(t, "Apply this change to 2 files", titles[2])
	require.Equal(t, []string{"apply-all", "file-by-file", "reject"}, run.Asked[2].Options)
	require.Equal(t, 2, run.count("written"), "both files went through the client")
	require.Positive(t, run.count("usage_update"))
	require.Positive(t, run.count("plan"))
	failed := map[string]bool{}
	for _, u := range append(got.Loaded.Updates, run.Updates...) {
		failed[u.Status] = true
		for _, e := range u.Entries {
			require.NotEmpty(t, e.Content)
		}
	}
	require.True(t, failed["failed"], "the gate that blocked the first attempt is shown as failed")
	require.Equal(t, d.before, d.cart(), "the undo gives back every byte")
	require.NoFileExists(t, filepath.Join(d.root, "discount_test.go"))
	require.Contains(t, got.Turns[1].Text, "Applied 2 files")

	d.stable = true
	again := d.drive(got.SessionID, turn{Prompt: "/redo", Answers: agree})
	require.Equal(t, 1, again.Loaded.count("user_message_chunk"))
	require.Equal(t, 1, again.Loaded.count("available_commands_update"))
	require.Contains(t, again.Loaded.Text, "The change was applied, and undone since.")
	require.Contains(t, d.cart(), "func (c Cart) Discount(percent int) (int, error)")
}

// A session that the client cancels ends as cancelled, and writes nothing; another process takes it up.
func TestSDK_CancelledRunIsResumedElsewhere(t *testing.T) {
	t.Parallel()
	d := start(t, "")
	d.stable = true
	got := d.drive("", turn{Prompt: request, Answers: agree, CancelAt: "plan"})
	require.Equal(t, "cancelled", got.Turns[0].StopReason)
	require.Equal(t, d.before, d.cart())
	again := d.drive(got.SessionID, turn{Prompt: "/resume " + d.lastRun(), Answers: agree})
	require.Contains(t, again.Turns[0].Text, "Applied 2 files")
	require.Contains(t, d.cart(), "func (c Cart) Discount")
}

// lastRun is the id of the newest run of the folder.
func (d *harness) lastRun() string {
	d.t.Helper()
	c := exec.Command(forge, "runs", "--dir", d.root, "--json")
	c.Env = d.env()
	out, err := c.Output()
	require.NoError(d.t, err)
	var listed struct {
		Runs []struct{ RunID, State string }
	}
	require.NoError(d.t, json.Unmarshal(out, &listed), string(out))
	require.NotEmpty(d.t, listed.Runs)
	return listed.Runs[0].RunID
}

// acpx is a client of its own on the command line: it runs the main job, rejects a change, and undoes one.
func TestAcpx_MainJob(t *testing.T) {
	t.Parallel()
	d := start(t, "")
	script, err := filepath.Abs("node_modules/acpx/dist/cli.js")
	require.NoError(t, err)
	acpx := func(consent, prompt string) string {
		t.Helper()
		c := exec.Command("node", script, "--agent", forge+" acp", "--cwd", d.root, consent, "--format", "text", "exec", prompt)
		c.Env = append(d.env(), "HOME="+t.TempDir(), testkit.GoCache(t))
		out, err := c.CombinedOutput()
		if consent == "--approve-all" {
			require.NoError(t, err, string(out))
		}
		return string(out)
	}
	said := acpx("--deny-all", request)
	require.Equal(t, d.before, d.cart(), said)
	require.NotContains(t, said, "Applied")

	said = acpx("--approve-all", request)
	require.Contains(t, said, "Applied 2 files", said)
	require.Contains(t, d.cart(), "func (c Cart) Discount(percent int) (int, error)")
	said = acpx("--approve-all", "/undo")
	require.Equal(t, d.before, d.cart(), said)
}

// raw is a client that writes lines as they are.
type raw struct {
	t    *testing.T
	c    *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	said bytes.Buffer
}

func (d *harness) raw() *raw {
	d.t.Helper()
	r := &raw{t: d.t, c: exec.Command(forge, "acp")}
	r.c.Env, r.c.Stderr = d.env(), &r.said
	var err error
	r.in, err = r.c.StdinPipe()
	require.NoError(d.t, err)
	out, err := r.c.StdoutPipe()
	require.NoError(d.t, err)
	r.out = bufio.NewScanner(out)
	r.out.Buffer(nil, 16<<20)
	require.NoError(d.t, r.c.Start())
	d.t.Cleanup(func() { _ = r.c.Process.Kill() })
	return r
}

func (r *raw) write(line string) {
	r.t.Helper()
	_, err := io.WriteString(r.in, line+"\n")
	require.NoError(r.t, err)
}

// message is one line of the agent.
type message struct {
	ID     json.RawMessage
	Method string
	Result struct {
		SessionID  string
		StopReason string
	}
	Error  *struct{ Code int }
	Params json.RawMessage
}

// until reads messages up to the first that fits. Every line is a message of JSON-RPC.
func (r *raw) until(fits func(m message) bool) message {
	r.t.Helper()
	for r.out.Scan() {
		var m message
		require.NoError(r.t, json.Unmarshal(r.out.Bytes(), &m), r.out.Text())
		if fits(m) {
			return m
		}
	}
	require.Fail(r.t, "the agent ended before it answered", r.said.String())
	return message{}
}

func (r *raw) answerTo(id string) message {
	r.t.Helper()
	return r.until(func(m message) bool { return string(m.ID) == id && m.Method == "" })
}

// open shakes hands and opens a session.
func (r *raw) open(root string) (session string) {
	r.t.Helper()
	r.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	r.answerTo("1")
	r.write(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"` + root + `","mcpServers":[]}}`)
	session = r.answerTo("2").Result.SessionID
	require.NotEmpty(r.t, session)
	return session
}

// Input that is no message, and messages that are no requests of the protocol, are answered or ignored; the session goes on.
func TestHostile_InputIsAnswered(t *testing.T) {
	t.Parallel()
	d := start(t, "")
	r := d.raw()
	for _, line := range []string{"garbage", "{", "[]", "null", `"x"`, "", "\x00\xff", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":"x"}`,
		`{"jsonrpc":"2.0","id":9,"result":{}}`, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`, strings.Repeat("[", 100_000)} {
		r.write(line)
	}
	for id, request := range map[string]string{
		"11": `"method":"no/such","params":{}`, "12": `"method":"session/prompt","params":{"sessionId":"none","prompt":[]}`, "13": `"method":"session/new"`,
		"14": `"method":"session/new","params":{"cwd":5}`, "15": `"method":"_private/extension","params":{}`, "16": `"method":"session/prompt","params":[1]`,
	} {
		r.write(`{"jsonrpc":"2.0","id":` + id + `,` + request + `}`)
		require.NotNil(t, r.answerTo(id).Error, request)
	}
	r.open(d.root)
	require.NoError(t, r.in.Close())
	require.NoError(t, r.c.Wait(), r.said.String())
	require.NotContains(t, r.said.String(), "garbage", "the log has no text of messages")
}

// A client that never answers a question and then disconnects: nothing is written, the process ends, and the run is resumed.
func TestHostile_DisconnectedRunIsResumed(t *testing.T) {
	t.Parallel()
	d := start(t, "")
	r := d.raw()
	session := r.open(d.root)
	r.write(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[{"type":"text","text":"` + request + `"}]}}`)
	asked := r.until(func(m message) bool { return m.Method == "session/request_permission" })
	require.NotEmpty(t, asked.ID)
	require.NoError(t, r.in.Close())
	for r.out.Scan() { // the rest, up to the end of the process
	}
	require.NoError(t, r.c.Wait(), r.said.String())
	require.Equal(t, d.before, d.cart())

	got := d.drive(session, turn{Prompt: "/resume", Answers: agree})
	require.Contains(t, got.Loaded.Text, "/resume continues it")
	require.Contains(t, got.Turns[0].Text, "Applied 2 files")
	require.Contains(t, d.cart(), "func (c Cart) Discount")
}
