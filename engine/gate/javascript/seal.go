package javascript

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

// seal is what the word of a runner is known by: what tests print stands where runners report, and can be what they would. So a reporter
// of Forge's signs what it was told, with a key that it reads before the code under test is loaded. What stands in the process of
// a runner could still reach for the key: docs/adr/0040.
type seal struct {
	key string
	dir string // of the reporter, outside of the tree; to be removed
}

// What stands in arguments for the reporter, and for what is loaded before tests, until they have a place.
const (
	ourReporter = "forge-seal.cjs"
	ourKeeper   = "forge-keep.cjs"
)

// placed are arguments with the reporter's place in them, told those without it.
func (s seal) placed(argv []string) (started, told []string) {
	for _, arg := range argv {
		option, is := strings.CutSuffix(arg, ourReporter)
		loaded, keeps := strings.CutSuffix(arg, ourKeeper)
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

// newSeal makes a key, and a reporter in a folder of its own.
func newSeal() (s seal, err error) {
	s.key = rand.Text()
	if s.dir, err = os.MkdirTemp("", "forge-seal-*"); err != nil {
		return s, fmt.Errorf("make a folder for a reporter: %w", err)
	}
	if err := os.WriteFile(s.reporter(), sealReporter, 0o600); err != nil {
		return s, fmt.Errorf("write a reporter: %w", err)
	}
	if err := os.WriteFile(s.keeper(), sealKeeper, 0o600); err != nil {
		return s, fmt.Errorf("write what is loaded before tests: %w", err)
	}
	if err := os.WriteFile(s.witness(), witnessScript, 0o600); err != nil {
		return s, fmt.Errorf("write what is loaded before tests: %w", err)
	}
	if err := os.Mkdir(s.coverage(), 0o700); err != nil {
		return s, fmt.Errorf("make a folder for what was executed: %w", err)
	}
	return s, nil
}

func (s seal) reporter() string { return filepath.Join(s.dir, "seal.cjs") }

func (s seal) keeper() string { return filepath.Join(s.dir, "keep.cjs") }

func (s seal) remove() { _ = os.RemoveAll(s.dir) } // in the folder for what is temporary

// sign is the code of a text. https://www.rfc-editor.org/rfc/rfc2104
func (s seal) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(s.key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

var (
	sealedLine = lazyregexp.New(`(?m)^forge-(seal|broken) ([0-9a-f]{64}) (.*)$`)
	sealedEnd  = lazyregexp.New(`^\{"t":"end","m":"([0-9a-f]{64})"\}`)
)

var (
	stopped = lazyregexp.New(`^(.+):(\d+)$`)
	// notParsed is what Vite says of a file that is no JavaScript.
	notParsed = lazyregexp.New(`^(?:\w*Error: )?(?:Failed to parse source|Parse failure)`)
)

// passes are the tests of which a reporter says that they passed: by their files and titles.
func (s seal) passes(stdout string, r tool.Root) map[[2]string]bool {
	passed := map[[2]string]bool{}
	var tests [][2]string
	s.read("seal", stdout, &tests)
	for _, test := range tests {
		file, _ := local(test[0], r)
		passed[[2]string{file, spoken(test[1])}] = true
	}
	return passed
}

// read takes in the last of the lines of one kind that the reporter has signed.
func (s seal) read(kind, stdout string, into any) {
	for _, m := range sealedLine.FindAllStringSubmatch(stdout, -1) {
		if m[1] == kind && m[2] == s.sign(m[3]) {
			_ = json.Unmarshal([]byte(m[3]), into) // what the reporter writes is as it should be
		}
	}
}

// breaks takes in what a reporter says went wrong beside tests, with its stack trace: it takes the place of what is known of that file without.
func (s seal) breaks(said *results, stdout string, r tool.Root) {
	var broken [][4]string // a file, the titles of a suite, what was said, and where a compiler stopped
	s.read("broken", stdout, &broken)
	for _, b := range broken {
		title := spoken(b[1])
		if title == "" && withoutTests(b[2]) {
			continue
		}
		file, _ := local(b[0], r)
		found := loadFailure(file, b[2], r)
		if title != "" {
			found.Rule, found.Test = ruleTest, strings.Join([]string{cmp.Or(file, "?"), title}, " > ")
		} else if file == "" {
			found.Rule = ruleTest
		}
		if m := stopped.FindStringSubmatch(b[3]); m != nil {
			if path, ok := local(m[1], r); ok {
				found.Path, found.Line, found.Column = path, at(path, m[2], "").line, 0 // the column is seldom that of the fault
				if notParsed.MatchString(b[2]) {
					found.Rule = ruleSyntax
				}
			}
		}
		said.beside = slices.DeleteFunc(said.beside, func(f gate.Finding) bool { return file != "" && f.Path == file && f.Rule == ruleLoad && f.Test == "" })
		if !slices.ContainsFunc(said.beside, func(f gate.Finding) bool { return f.Rule == ruleSyntax && f.Path == found.Path && f.Line == found.Line }) {
			said.beside = append(said.beside, found)
		}
	}
}

// doubt takes tests for unfinished that only something else says have passed.
func (s seal) doubt(said *results, stdout string, r tool.Root) {
	s.breaks(said, stdout, r)
	passed := s.passes(stdout, r)
	said.doubt(func(o outcome) bool { return passed[[2]string{o.file, spoken(strings.Join(o.titles, " "))}] })
}

// spoken is a title by its words alone: of a suite without a name, as Vitest before 2.0 puts around each file, one part of a runner
// makes a space and another one nothing.
func spoken(title string) string { return strings.Join(strings.Fields(title), " ") }

// doubtNode is the same of node --test, whose reporter is all Forge's: it signs what it has written, in the end.
func (s seal) doubtNode(said *results, stdout string, _ tool.Root) {
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

// doubt takes tests that passed for unfinished where they are not believed.
func (s *results) doubt(believed func(outcome) bool) {
	doubted := 0
	for i, test := range s.tests {
		if test.state == passed && !believed(test) {
			s.tests[i].state = unfinished
			doubted++
		}
	}
	if doubted > 0 {
		s.beside = append(s.beside, place{}.finding(ruleTest, fmt.Sprintf(
			"%s said to have passed, and not by the runner: something prints what it would, and may end the process", tool.Count(doubted, "test"))))
	}
}
