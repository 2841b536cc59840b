package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/lsp/lsptest"
)

// harness is an editor that outlives its servers: its buffers stay, and it records what it was asked.
type harness struct {
	*stage
	buffers map[string]string // of open files, as they are when a server begins and after it has ended

	mu        sync.Mutex // guards what follows
	questions []string   // titles of the questions of runs that the user has answered
}

// editor is the editor of a stage.
func (s *stage) editor() *harness {
	if s.harness == nil {
		s.harness = &harness{stage: s, buffers: map[string]string{"sum.go": before()["sum.go"], "notes.txt": before()["notes.txt"] + typed}}
	}
	return s.harness
}

// typed is what the user has typed into notes.txt and not saved: it must never be lost.
const typed = "not saved\r\n"

// mortal is a test for an editor whose server is expected to die: the editor's despair ends the goroutine it is in.
type mortal struct {
	testing.TB
	despair chan string
}

func (m mortal) Errorf(string, ...any) {}

func (m mortal) Fatalf(format string, args ...any) {
	select {
	case m.despair <- fmt.Sprintf(format, args...):
	default:
	}
	runtime.Goexit()
}

func (m mortal) Fatal(args ...any) { m.Fatalf("%s", fmt.Sprint(args...)) }

// session is one server with the editor in front.
type session struct {
	*lsptest.Editor
	harness *harness
	kill    func()
	life    func() life // after the end
}

// open starts a server with the program armed, or not, and opens the folder and the buffers in it. With a mortal test
// it may end the goroutine.
func (d *harness) open(t testing.TB, by death) *session {
	d.t.Helper()
	c := d.command(d.t.Context(), by, "lsp")
	in, err := c.StdinPipe()
	require.NoError(d.t, err)
	out, server, err := os.Pipe()
	require.NoError(d.t, err)
	c.Stdout = server
	log, err := os.CreateTemp(d.t.TempDir(), "stderr")
	require.NoError(d.t, err)
	c.Stderr = log
	require.NoError(d.t, c.Start())
	require.NoError(d.t, server.Close())
	if by.after > 0 {
		time.AfterFunc(by.after, func() { _ = c.Process.Kill() })
	}
	ended := make(chan struct{})
	s := &session{harness: d, Editor: lsptest.Connect(t, out, in, func() int {
		defer close(ended)
		_ = c.Wait() // the code says it
		return c.ProcessState.ExitCode()
	})}
	s.kill = func() {
		_ = c.Process.Kill()
		<-ended
	}
	s.life = func() life {
		<-ended
		said, _ := os.ReadFile(log.Name())
		return d.ended(c, "", string(said))
	}
	s.Handle(protocol.MethodWindowShowMessageRequest, s.answer)
	return s
}

func (s *session) begin() {
	s.Initialize(func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: s.harness.uri(""), Name: "sum"}})
		p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = []protocol.ResourceOperationKind{
			protocol.ResourceOperationKindCreate, protocol.ResourceOperationKindRename, protocol.ResourceOperationKindDelete,
		}
	})
	for name, text := range s.harness.buffers {
		s.Open(s.harness.uri(name), "go", text)
	}
}

func (d *harness) uri(name string) uri.URI { return uri.File(filepath.Join(d.root, name)) }

// answer takes the first choice of a run's question, and remembers it; the server's own offers are declined.
func (s *session) answer(params []byte) (any, error) {
	var q protocol.ShowMessageRequestParams
	if err := protocol.Unmarshal(params, &q); err != nil {
		return nil, err
	}
	for _, a := range q.Actions {
		if a.Title == "Not now" || a.Title == "Show" {
			return nil, nil //nolint:nilnil // the protocol's way to say that a message was dismissed
		}
	}
	s.harness.mu.Lock()
	defer s.harness.mu.Unlock()
	s.harness.questions = append(s.harness.questions, q.Message)
	return &q.Actions[0], nil
}

func (s *session) execute(name string, args, result any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return s.Request(protocol.MethodWorkspaceExecuteCommand, jsonrpc2.RawMessage(`{"command":"`+name+`","arguments":[`+string(data)+`]}`), result)
}

// work is a run from its start to its accepted proposal.
func (s *session) work() error {
	s.begin()
	var run api.RunResult
	if err := s.execute(api.Run, api.RunArgs{Task: request, Approve: "plan+edits", Wait: true}, &run); err != nil {
		return err
	}
	return s.accept(run)
}

func (s *session) accept(run api.RunResult) error {
	if run.ProposalID == "" {
		return fmt.Errorf("run %s is %s: %s", run.RunID, run.State, run.Reason)
	}
	return s.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID}, nil)
}

// rest takes the buffers back from a server that has ended or is about to. A buffer whose change this server did not
// receive is unchanged.
func (s *session) rest() {
	for name := range s.harness.buffers {
		if u := s.harness.uri(name); s.Version(u) > 0 {
			s.harness.buffers[name] = s.Text(u)
		}
	}
}

// killed does something in an editor until its server dies.
func (d *harness) killed(by death, do func(s *session) error) life {
	m := mortal{d.t, make(chan string, 1)}
	begin := time.Now()
	s := d.open(m, by)
	done := make(chan error, 1)
	go func() {
		defer close(done)
		done <- do(s)
	}()
	if err, ok := <-done; ok && err != nil {
		d.t.Logf("before the death: %v", err)
	}
	s.CloseInput()
	l := s.life()
	s.rest()
	l.lasted = time.Since(begin)
	return l
}

// seen are the files as the user sees them: buffers over the disk.
func (d *harness) seen() map[string]string {
	files := d.files()
	for name, text := range d.buffers {
		files[name] = text
	}
	return files
}

// withTyped are files that contain the user's own text.
func withTyped(files map[string]string) map[string]string {
	files["notes.txt"] += typed
	return files
}

// anEditor is a run in an editor, whose person applies the proposal.
var anEditor = scenario{
	"a run in an editor",
	func(s *stage, by death) life { return s.editor().killed(by, (*session).work) },
	func(s *stage, about string, _ life) string { return s.editor().resumed(about) },
}

// resumed opens the folder in the next server, takes the run up, accepts what it proposes, and takes it back.
func (d *harness) resumed(about string) string {
	d.t.Helper()
	s := d.open(d.t, never)
	s.begin()
	if len(d.known()) == 0 {
		require.Zero(d.t, s.Shutdown(), about)
		s.rest()
		require.Equal(d.t, withTyped(before()), d.seen(), about)
		d.requireNothingLeft(about)
		return absent
	}
	var run api.RunResult
	require.NoError(d.t, s.execute(api.Resume, api.ResumeArgs{RunID: d.known()[0], Wait: true}, &run), about)
	require.NoError(d.t, s.accept(run), about)
	s.rest()
	require.Equal(d.t, withTyped(after()), d.seen(), about)
	d.requireBoughtOnce(about)
	var undo api.Proposal
	require.NoError(d.t, s.execute(api.Undo, api.UndoArgs{RunID: run.RunID, DryRun: true}, &undo), about)
	require.NoError(d.t, s.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: undo.ProposalID}, nil), about)
	s.rest()
	require.Equal(d.t, withTyped(before()), d.seen(), about)
	require.Zero(d.t, s.Shutdown(), about)
	require.False(d.t, s.life().killed)
	d.requireNothingLeft(about)
	d.mu.Lock()
	defer d.mu.Unlock()
	asked := map[string]int{}
	for _, q := range d.questions {
		asked[q]++
		if asked[q] > 1 {
			require.True(d.t, strings.Contains(about, "flow.wait") || strings.Contains(about, "random"), "%s: asked twice: %s", about, q)
		}
	}
	return standing
}

// Without a death the editor has the new files, and undo gives back the old ones.
func TestEditor_UndisturbedRunAppliesAndUndoes(t *testing.T) {
	t.Parallel()
	d := newStage(t, t.TempDir()).quick().editor()
	s := d.open(t, never)
	require.NoError(t, s.work())
	s.rest()
	require.Equal(t, withTyped(after()), d.seen())
	require.Len(t, d.questions, 3, "trust, a clarification, and the specification")
	require.Zero(t, s.Shutdown())
	require.False(t, s.life().killed)
	require.Equal(t, standing, d.resumed("undisturbed"))
}
