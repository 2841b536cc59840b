// Package definitions compares the symbols that Forge finds with what the parsers of the languages themselves find: in
// Go's standard library, in Python's, and in the sources that packages for TypeScript and JavaScript ship. It needs
// Python, Node and the npm packages of its package-lock.json; scripts/test.sh installs them.
package definitions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
	"forge/internal/testkit"
)

// least is what recall and precision must reach, in all and for each kind that is frequent enough to say something.
const (
	least    = 0.995
	frequent = 200
)

// definition is what both sides must agree on.
type definition struct {
	Kind codeintel.Kind
	Name string // with the names around it: "Client.fetch"
	Line int    // of the name
	End  int    // last line of the declaration
}

// answer is what an oracle says about one file.
type answer struct {
	File        string
	Broken      bool // the oracle itself cannot parse it
	Definitions []definition
}

// files lists the files below the folders that have one of the endings, without those of a folder to skip.
func files(t *testing.T, endings, skip []string, folders ...string) []string {
	t.Helper()
	var all []string
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && name != folder && slices.Contains(skip, entry.Name()) {
				return fs.SkipDir
			}
			if entry.Type().IsRegular() && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) }) {
				all = append(all, name)
			}
			return nil
		}))
	}
	require.NotEmpty(t, all)
	return testkit.Sample(300, all)
}

// ask puts the files to a program that answers with a line of JSON for each.
func ask(t *testing.T, files []string, program ...string) []answer {
	t.Helper()
	var diagnostics bytes.Buffer
	c := exec.CommandContext(t.Context(), program[0], program[1:]...)
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(files, "\n")), &diagnostics
	out, err := c.Output()
	require.NoError(t, err, "%s\nIf a package is missing: npm --prefix test/definitions ci --ignore-scripts", &diagnostics)
	var answers []answer
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var a answer
		require.NoError(t, decoder.Decode(&a))
		answers = append(answers, a)
	}
	require.Len(t, answers, len(files))
	return answers
}

// isData reports whether Forge declines to read a text: it is over 2 MiB, or most of it is in long lines.
func isData(source []byte) bool {
	long := 0
	for line := range bytes.Lines(source) {
		if len(line) > 20_000 {
			long += len(line)
		}
	}
	return len(source) > 2<<20 || 2*long > len(source)
}

// ours is what Forge finds in a file.
func ours(t *testing.T, name string, source []byte) []definition {
	t.Helper()
	outline, err := (&treesitter.Outliner{Budget: time.Minute}).Outline(t.Context(), codeintel.LanguageOf(name), string(source))
	require.NoError(t, err, name)
	return flat(string(source), "", outline.Symbols)
}

func flat(source, around string, symbols []codeintel.Symbol) []definition {
	var all []definition
	for _, s := range symbols {
		name := around + s.Name
		if s.Receiver != "" {
			name = baseOf(s.Receiver) + "." + s.Name
		}
		all = append(all, definition{s.Kind, name, lineOf(source, s.NameSpan.Start), lineOf(source, s.Span.End-1)})
		all = append(all, flat(source, name+".", s.Children)...)
	}
	return all
}

func lineOf(source string, offset int) int {
	return 1 + strings.Count(source[:offset], "\n")
}

// tally counts, for one kind, what both found, only the oracle, and only we.
type tally struct{ both, missed, extra int }

func (c tally) recall() float64    { return share(c.both, c.both+c.missed) }
func (c tally) precision() float64 { return share(c.both, c.both+c.extra) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// comparison is the result for one language.
type comparison struct {
	files, broken, data int // broken for the oracle; data for Forge
	kinds               map[codeintel.Kind]tally
	examples            []string // of differences
}

func (c *comparison) add(file string, want, got []definition) {
	count := map[definition]int{}
	for _, d := range want {
		count[d]++
	}
	for _, d := range got {
		count[d]--
	}
	for _, d := range want {
		k := c.kinds[d.Kind]
		if count[d] > 0 {
			count[d]--
			k.missed++
			c.example("missed", file, d)
		} else {
			k.both++
		}
		c.kinds[d.Kind] = k
	}
	for d, n := range count {
		if n < 0 {
			k := c.kinds[d.Kind]
			k.extra -= n
			c.kinds[d.Kind] = k
			c.example("extra", file, d)
		}
	}
}

func (c *comparison) example(what, file string, d definition) {
	c.examples = append(c.examples, fmt.Sprintf("%s:%d: %s %s %s, to line %d", file, d.Line, what, d.Kind, d.Name, d.End))
}

func (c *comparison) total() tally {
	var sum tally
	for _, k := range c.kinds {
		sum = tally{sum.both + k.both, sum.missed + k.missed, sum.extra + k.extra}
	}
	return sum
}

// problems says what is below the least.
func (c *comparison) problems() []string {
	var all []string
	check := func(what string, t tally) {
		if t.recall() < least || t.precision() < least {
			all = append(all, fmt.Sprintf("%s: recall %.4f, precision %.4f; both must reach %.3f", what, t.recall(), t.precision(), least))
		}
	}
	check("all kinds", c.total())
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		if k := c.kinds[kind]; k.both+k.missed >= frequent {
			check(string(kind), k)
		}
	}
	return all
}

func (c *comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files; %d more are broken for the oracle, %d data for Forge\n", c.files, c.broken, c.data)
	line := func(what string, t tally) {
		fmt.Fprintf(&b, "  %-12s %7d definitions  recall %.4f  precision %.4f\n", what, t.both+t.missed, t.recall(), t.precision())
	}
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		line(string(kind), c.kinds[kind])
	}
	line("all", c.total())
	return b.String()
}

// compare asks Forge about each file that the oracle has answered for.
func compare(t *testing.T, answers []answer) *comparison {
	t.Helper()
	c := &comparison{kinds: map[codeintel.Kind]tally{}}
	for _, a := range answers {
		source, err := os.ReadFile(a.File)
		require.NoError(t, err)
		switch {
		case a.Broken:
			c.broken++
		case isData(source):
			c.data++
		default:
			c.files++
			c.add(a.File, a.Definitions, ours(t, a.File, source))
		}
	}
	return c
}

// report prints a comparison and fails the test if it is not good enough.
func report(t *testing.T, c *comparison) {
	t.Helper()
	t.Log(c)
	slices.Sort(c.examples)
	t.Logf("%d differences\n%s", len(c.examples), strings.Join(c.examples[:min(len(c.examples), 40)], "\n"))
	require.Empty(t, c.problems())
}
