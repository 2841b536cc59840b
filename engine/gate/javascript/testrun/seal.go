package testrun

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// Seal authenticates the output of a runner: tests print to the same streams and could imitate it. So a reporter of Forge's signs
// its report, with a key that it reads before the code under test is loaded. Code in the runner's process could still find the key:
// docs/adr/0040.
type Seal struct {
	Key string
	dir string // the reporter's folder, outside of the tree; to be removed
}

// Placeholders in arguments for the paths of the reporter, and of modules that are loaded before tests.
const (
	OurReporter = "forge-seal.cjs"
	OurKeeper   = "forge-keep.cjs"
)

// Placed returns the arguments with the reporter's path, and told those without it.
func (s Seal) Placed(argv []string) (started, told []string) {
	for _, arg := range argv {
		option, is := strings.CutSuffix(arg, OurReporter)
		loaded, keeps := strings.CutSuffix(arg, OurKeeper)
		switch {
		case is:
			started = append(started, option+s.reporter())
		case keeps:
			started = append(started, loaded+s.keeper())
		default:
			told, started = append(told, arg), append(started, arg)
		}
	}
	return started, told
}

var (
	//go:embed seal.cjs
	sealReporter []byte
	//go:embed keep.cjs
	sealKeeper []byte
)

// NewSeal creates a key, and a reporter in its own folder.
func NewSeal() (s Seal, err error) {
	s.Key = rand.Text()
	if s.dir, err = os.MkdirTemp("", "forge-seal-*"); err != nil {
		return s, fmt.Errorf("make a folder for a reporter: %w", err)
	}
	if err := os.WriteFile(s.reporter(), sealReporter, 0o600); err != nil {
		return s, fmt.Errorf("write a reporter: %w", err)
	}
	if err := os.WriteFile(s.keeper(), sealKeeper, 0o600); err != nil {
		return s, fmt.Errorf("write the modules loaded before tests: %w", err)
	}
	if err := os.WriteFile(s.witness(), witnessScript, 0o600); err != nil {
		return s, fmt.Errorf("write the modules loaded before tests: %w", err)
	}
	if err := os.Mkdir(s.coverage(), 0o700); err != nil {
		return s, fmt.Errorf("make a folder for coverage: %w", err)
	}
	return s, nil
}

// Dir returns the folder of the reporter, which tests read, and write their coverage into.
func (s Seal) Dir() string { return s.dir }

func (s Seal) reporter() string { return filepath.Join(s.dir, "seal.cjs") }

func (s Seal) keeper() string { return filepath.Join(s.dir, "keep.cjs") }

// Remove removes the reporter.
func (s Seal) Remove() { _ = os.RemoveAll(s.dir) } // in the folder for temporary files

// sign returns the authentication code of a text. https://www.rfc-editor.org/rfc/rfc2104
func (s Seal) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(s.Key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

var (
	// SealedLine matches a line that the reporter has signed: its kind, the signature, and the content.
	SealedLine = lazyregexp.New(`(?m)^forge-(seal|broken|open) ([0-9a-f]{64}) (.*)$`)
	sealedEnd  = lazyregexp.New(`^\{"t":"end","m":"([0-9a-f]{64})"\}`)
)

var (
	stopped = lazyregexp.New(`^(.+):(\d+)$`)
	// notParsed matches Vite's messages about invalid JavaScript.
	notParsed = lazyregexp.New(`^(?:\w*Error: )?(?:Failed to parse source|Parse failure)`)
)

// passes returns the tests that a reporter reports as passed: by their files and titles.
func (s Seal) passes(stdout string, r tool.Root) map[[2]string]bool {
	passed := map[[2]string]bool{}
	var tests [][2]string
	s.read("seal", stdout, &tests)
	for _, test := range tests {
		file, _ := Local(test[0], r)
		title := spoken(r.Bare(test[1]))
		if first, rest, is := strings.Cut(title, " "); is && isPathOf(first, file) {
			title = rest
		}
		passed[[2]string{file, title}] = true
	}
	return passed
}

// read decodes the last signed line of one kind.
func (s Seal) read(kind, stdout string, into any) {
	for _, m := range SealedLine.FindAllStringSubmatch(stdout, -1) {
		if m[1] == kind && m[2] == s.sign(m[3]) {
			_ = json.Unmarshal([]byte(m[3]), into) // the reporter's JSON is valid
		}
	}
}

// breaks adds the faults outside of tests that a reporter reports, with stack traces. They replace other findings for the same
// file.
func (s Seal) breaks(said *Results, stdout string, r tool.Root) {
	var broken [][4]string // a file, the titles of a suite, the message, and the place of a compiler's error
	s.read("broken", stdout, &broken)
	for _, b := range broken {
		title := spoken(b[1])
		if title == "" && withoutTests(b[2]) {
			continue
		}
		file, _ := Local(b[0], r)
		found := loadFailure(file, b[2], r)
		if title != "" {
			found.Rule, found.Test = RuleTest, strings.Join([]string{cmp.Or(file, "?"), title}, " > ")
		} else if file == "" {
			found.Rule = RuleTest
		}
		if m := stopped.FindStringSubmatch(b[3]); m != nil {
			if path, ok := Local(m[1], r); ok {
				found.Path, found.Line, found.Column = path, At(path, m[2], "").Line, 0 // the column is rarely that of the fault
				if notParsed.MatchString(b[2]) {
					found.Rule = RuleSyntax
				}
			}
		}
		said.Beside = slices.DeleteFunc(said.Beside, func(f gate.Finding) bool { return file != "" && f.Path == file && f.Rule == RuleLoad && f.Test == "" })
		if !slices.ContainsFunc(said.Beside, func(f gate.Finding) bool { return f.Rule == RuleSyntax && f.Path == found.Path && f.Line == found.Line }) {
			said.Beside = append(said.Beside, found)
		}
	}
}

// Doubt marks passed tests as unfinished if the signed report does not contain them.
func (s Seal) Doubt(said *Results, stdout string, r tool.Root) {
	s.breaks(said, stdout, r)
	passed := s.passes(stdout, r)
	said.doubt(func(o outcome) bool { return passed[[2]string{o.file, spoken(r.Bare(strings.Join(o.titles, " ")))}] })
	s.lingers(said, stdout)
}

// lingers finds that the process did not end by itself when all tests had passed. Tests that fail often leave something open, and are reason enough.
func (s Seal) lingers(said *Results, stdout string) {
	var seconds []int
	s.read("open", stdout, &seconds)
	if len(seconds) > 0 && len(said.Beside) == 0 && said.Count(failed, Unfinished) == 0 {
		said.Beside = append(said.Beside, Place{}.Finding(RuleTest, fmt.Sprintf(
			"all tests have ended, and %d seconds later their process had not: something keeps it open, such as a server, a socket or a timer", seconds[0])))
	}
}

// spoken normalizes the blanks of a title: for a suite without a name, as Vitest before 2.0 puts around each file, the parts of a
// runner differ in spaces.
func spoken(title string) string { return strings.Join(strings.Fields(title), " ") }

// DoubtNode is Doubt for node --test, whose reporter is Forge's: it signs its whole output at the end.
func (s Seal) DoubtNode(said *Results, stdout string, _ tool.Root) {
	var told strings.Builder
	whole := false
	for line := range strings.Lines(stdout) {
		if m := sealedEnd.FindStringSubmatch(line); m != nil {
			whole = whole || m[1] == s.sign(told.String())
		} else if strings.HasPrefix(line, `{"t":"`) {
			told.WriteString(line)
		}
	}
	said.doubt(func(outcome) bool { return whole })
}

// doubt marks passed tests as unfinished if they are not confirmed.
func (s *Results) doubt(believed func(outcome) bool) {
	doubted := 0
	for i, test := range s.Tests {
		if test.State == passed && !believed(test) {
			s.Tests[i].State = Unfinished
			doubted++
		}
	}
	if doubted > 0 {
		s.Beside = append(s.Beside, Place{}.Finding(RuleTest, fmt.Sprintf(
			"%s reported as passed, but not by the runner: something imitates its output, and may end the process", tool.Count(doubted, "test"))))
	}
}
