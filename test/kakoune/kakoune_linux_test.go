// Package kakoune drives a real Kakoune in a terminal of tmux, with the kakrc that docs/kakoune.md has.
//
// Keys are typed, and what happens is read from the screen and from the files. Kakoune and kakoune-lsp are those that scripts/install.sh puts
// into .cache.
package kakoune

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// patience is how long one wait may take. No test depends on it: without it a Kakoune that hangs would hang the test.
const patience = 5 * time.Minute

// TestKakoune_MainJob takes a change from the request to its undo: a hunk is accepted at its hint, then the rest.
func TestKakoune_MainJob(t *testing.T) {
	s := open(t)
	before := s.file("greet.go")
	s.until("the code actions", "Forge: implement the selection:", "%:lsp-code-actions\n")
	s.types("\n\n")
	s.answers("Do you trust the code in", "Trust and run")
	s.answers("Implement this specification?", "Implement")
	s.answers("7 hunks in 3 files", "Show")
	require.Equal(t, before, s.file("greet.go"), "nothing is applied before consent")

	s.until("the actions of a hint", "Forge: accept hunk", "3g:lsp-code-actions\n")
	s.types("\n\n")
	s.saved("greet.go", "greets people quietly.")
	require.NotContains(t, s.file("greet.go"), "before bed", "only that hunk")
	s.types(":lsp-execute-command forge.proposal.apply '[]'\n")
	s.saved("greet.go", "before bed")
	s.saved("loud/loud.go", "func Shout(")

	s.types(":lsp-execute-command forge.undo '[]'\n")
	s.answers("Undo", "Apply all")
	s.saved("greet.go", "// Package greet greets people.\n")
	require.Equal(t, before, s.file("greet.go"))
}

// screen is a Kakoune in a terminal.
type screen struct {
	t                 *testing.T
	socket, workspace string
}

// open starts Kakoune with a file whose first line is a task.
func open(t *testing.T) *screen {
	t.Helper()
	cache, err := filepath.Abs("../../.cache/kakoune")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(cache, "kak-lsp")); err != nil {
		t.Skip("not run: Kakoune: it is not installed; scripts/install.sh kakoune unpacks Debian's and builds kakoune-lsp")
	}
	archive, err := txtar.ParseFile("../nvim/testdata/chain.txtar")
	require.NoError(t, err)
	home, err := filepath.EvalSymlinks(testkit.Home(t))
	require.NoError(t, err)
	s := &screen{t: t, socket: filepath.Join(home, "tmux"), workspace: filepath.Join(home, "greet")}
	require.NoError(t, os.MkdirAll(filepath.Join(home, "kak"), 0o700))
	require.NoError(t, os.Mkdir(s.workspace, 0o700))
	require.NoError(t, txtar.Write(archive, s.workspace))
	greet := filepath.Join(s.workspace, "greet.go")
	require.NoError(t, os.WriteFile(greet, []byte("// forge: add a package that shouts\n\n"+s.file("greet.go")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "kak", "kakrc"), []byte(documented(t)), 0o600))
	require.NoError(t, os.Symlink(forge, filepath.Join(home, "forge")))
	require.NoError(t, os.WriteFile(filepath.Join(home, "start.sh"), []byte(`PATH=`+cache+`:`+home+`:$PATH; export PATH; exec kak greet.go`), 0o600))
	args := []string{"-f", os.DevNull, "new-session", "-d", "-x", "120", "-y", "40", "-c", s.workspace}
	for _, variable := range []string{
		"XDG_CONFIG_HOME=" + home, "XDG_RUNTIME_DIR=" + home, testkit.GoCache(t), "FORGE_HOME=" + filepath.Join(home, "state"), "LC_ALL=C.UTF-8",
		"FORGE_BASE_URL=" + startModel(t, "../nvim/testdata/chain.yaml"), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
	} {
		args = append(args, "-e", variable)
	}
	s.tmux(append(args, "sh "+filepath.Join(home, "start.sh"))...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() }) // it may have ended
	s.until("the file", "// forge: add a package", "")
	return s
}

// documented is the kakrc of docs/kakoune.md.
func documented(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/kakoune.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```kak\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, found)
	return string(found[1])
}

func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	require.NoError(s.t, err, string(out))
	return string(out)
}

// types types keys; a new line is Enter.
func (s *screen) types(keys string) {
	s.t.Helper()
	for i, part := range strings.Split(keys, "\n") {
		if i > 0 {
			s.tmux("send-keys", "Enter")
		}
		if part != "" {
			s.tmux("send-keys", "-l", part)
		}
	}
}

// until waits for a text on the screen. Until it comes it types keys while no prompt is open, ever more seldom. An Escape before them would make the
// first one Alt.
func (s *screen) until(what, text, keys string) {
	s.t.Helper()
	s.wait(what, keys, func() bool { return strings.Contains(s.tmux("capture-pane", "-p"), text) })
}

func (s *screen) wait(what, keys string, is func() bool) {
	s.t.Helper()
	press, pause := time.Now(), time.Second
	if strings.Contains(keys, "lsp-code-actions") {
		pause = 15 * time.Second // each press that is answered late opens a menu of its own
	}
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		if is() {
			return
		}
		if keys != "" && !time.Now().Before(press) && !strings.Contains(s.tmux("capture-pane", "-p"), "prompt - client") {
			s.types(keys)
			pause *= 2
			press = time.Now().Add(pause)
		}
	}
	s.t.Fatalf("%s did not come:\n%s", what, s.tmux("capture-pane", "-p"))
}

// answers opens the next question until it is the one with a text, and gives an answer.
func (s *screen) answers(text, answer string) {
	s.t.Helper()
	s.until("the question "+text, text, ":lsp-show-message-request-next\n")
	s.types(answer + "\n")
	s.wait("the end of the question", "", func() bool { return !strings.Contains(s.tmux("capture-pane", "-p"), "From language server") })
}

// saved saves all files until one of them has a text.
func (s *screen) saved(name, text string) {
	s.t.Helper()
	s.wait(text+" in "+name, ":write-all\n", func() bool { return strings.Contains(s.file(name), text) })
}

func (s *screen) file(name string) string {
	text, err := os.ReadFile(filepath.Join(s.workspace, name))
	if err != nil {
		return ""
	}
	return string(text)
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
