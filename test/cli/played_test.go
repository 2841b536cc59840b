package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// fixture is a request that was played by hand, made small: a folder, what was answered to each prompt, and how it ends. docs/played.md has the
// form of its file.
type fixture struct {
	files    map[string]string // of the folder
	answers  map[string]string // by their names, such as 001.answer.md
	after    map[string]string // files as they must be afterwards
	commands [][]string
	typed    [][2]string // what is seen on a terminal, and what is typed then
	wants    []want
	tool     string // the program without which the languages of the folder cannot be checked
	killed   string // the answer for which the first command waits when it is killed; empty if it ends by itself
}

// want is something that must hold at the end: "exit 0 3" of the commands in turn, "calls 5" of the model, "says TEXT" and "hides TEXT" of the
// program, "asks 2 TEXT" and "spares 2 TEXT" of a prompt.
type want struct{ verb, text string }

func readFixture(t *testing.T, file string) fixture {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	f := fixture{files: map[string]string{}, answers: map[string]string{}, after: map[string]string{}}
	for _, part := range archive.Files {
		text := string(part.Data)
		kind, name, _ := strings.Cut(part.Name, "/")
		switch kind {
		case "folder":
			f.files[name] = text
		case "after":
			f.after[name] = text
		case "answer":
			f.answers[name+".answer.md"] = text
		case "run":
			f.commands = append(f.commands, strings.Split(strings.TrimSpace(text), "\n"))
		case "typed":
			for _, line := range lines(text) {
				seen, typed, is := strings.Cut(line, " => ")
				require.True(t, is, line)
				f.typed = append(f.typed, [2]string{seen, typed})
			}
		case "want":
			for _, line := range lines(text) {
				verb, rest, _ := strings.Cut(line, " ")
				f.wants = append(f.wants, want{verb, rest})
			}
		case "killed":
			n, err := strconv.Atoi(strings.TrimSpace(text))
			require.NoError(t, err)
			f.killed = fmt.Sprintf("%03d.answer.md", n)
		case "tool":
			f.tool = strings.TrimSpace(text)
		default:
			t.Fatalf("%s: no part is called %s", file, part.Name)
		}
	}
	return f
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// What was played ends as it did.
func TestPlayed_EndsAsItDid(t *testing.T) {
	t.Parallel()
	replay(t, "played", "python-without-tests")
}

// A recorded session, with the answers as they were given, ends as it did.
func TestRecorded_EndsAsItDid(t *testing.T) {
	t.Parallel()
	replay(t, "recorded", "javascript-two-tests-state-the-old")
}

// replay plays the fixtures of a folder; when tests are short, only the named ones.
func replay(t *testing.T, folder string, short ...string) {
	t.Helper()
	found, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	require.NoError(t, err)
	fixtures := map[string]fixture{}
	for _, file := range found {
		if f := readFixture(t, file); len(f.typed) == 0 && f.killed == "" { // the others need a terminal, or a pipe
			fixtures[strings.TrimSuffix(filepath.Base(file), ".txtar")] = f
		}
	}
	require.NotEmpty(t, fixtures)
	for name, f := range testkit.SampleMap(0, fixtures, short...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := f.play(t)
			p.carryOut(f.commands)
			f.judge(t, p)
		})
	}
}

// carryOut runs commands, the later ones with the id of the run.
func (p *playing) carryOut(commands [][]string) {
	for _, args := range commands {
		code, stdout, stderr := p.run(named(args, idOfRun.FindString(p.said))...)
		p.codes, p.said = append(p.codes, code), p.said+stderr+stdout
	}
}

var idOfRun = regexp.MustCompile(`r-[a-z0-9]{8}`)

// named puts the id of the run in the place of RUN.
func named(args []string, id string) (all []string) {
	for _, arg := range args {
		all = append(all, strings.ReplaceAll(strings.ReplaceAll(arg, "RUN", id), `\n`, "\n"))
	}
	return all
}

// mostAsked is more than is asked of a model while a fixture is played.
const mostAsked = 60

// playing is a world whose model gives the answers of a fixture.
type playing struct {
	*world
	dir   string // of requests and answers
	codes []int
	said  string
}

// play sets the folder up, and the model.
func (f fixture) play(t *testing.T) *playing {
	t.Helper()
	if f.tool != "" {
		testkit.Tool(t, f.tool, "the language of the same name")
	}
	p := &playing{world: &world{t: t, root: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), journal: newJournal()}, dir: t.TempDir()}
	p.put(f.files)
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "begin")
	for n := range mostAsked { // what was not answered is no answer of use, so that nothing waits for it
		name := fmt.Sprintf("%03d.answer.md", n+1)
		text, played := f.answers[name]
		if !played {
			text = "this was not asked when it was played"
		}
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
	}
	p.environ = append(environ(), "FORGE_HOME="+p.home, "FORGE_MODEL=played", withoutLanguageServers(t))
	play := p.command(t.Context(), "dev", "play", p.dir)
	out, err := play.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, play.Start())
	t.Cleanup(func() { _ = play.Process.Kill(); _ = play.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	p.environ = append(p.environ, "FORGE_BASE_URL="+strings.TrimSpace(url))
	return p
}

// withoutLanguageServers is a PATH on which none works: whether one is installed must not decide how a rename ends.
func withoutLanguageServers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"gopls", "rust-analyzer", "tsserver", "pyright-langserver", "basedpyright-langserver", "pylsp"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	}
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

// judge demands what a fixture wants.
func (f fixture) judge(t *testing.T, p *playing) {
	t.Helper()
	t.Log(p.said)
	for name, text := range f.after {
		data, err := os.ReadFile(filepath.Join(p.root, name))
		require.NoError(t, err)
		require.Equal(t, text, string(data), name)
	}
	require.NotEmpty(t, f.wants)
	for _, w := range f.wants {
		number, rest, _ := strings.Cut(w.text, " ")
		switch w.verb {
		case "exit":
			require.Equal(t, w.text, strings.Trim(fmt.Sprint(p.codes), "[]"))
		case "calls":
			asked, err := filepath.Glob(filepath.Join(p.dir, "*.request.md"))
			require.NoError(t, err)
			require.Equal(t, w.text, fmt.Sprint(len(asked)))
		case "says":
			require.Contains(t, p.said, w.text)
		case "hides":
			require.NotContains(t, p.said, w.text)
		case "asks":
			require.Contains(t, p.request(t, number), rest, number)
		case "spares":
			require.NotContains(t, p.request(t, number), rest, number)
		default:
			t.Fatalf("nothing is wanted by %q", w.verb)
		}
	}
}

// request is a prompt, by its number.
func (p *playing) request(t *testing.T, number string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, fmt.Sprintf("%03s.request.md", number)))
	require.NoError(t, err)
	return string(data)
}
