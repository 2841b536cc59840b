package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// interleaving is a folder in which Forge and the user take turns at random. The user's text, unless they delete it
// themselves, must exist at any time, whatever Forge does, undoes, redoes or dies in.
type interleaving struct {
	*stage
	chance *rand.Rand
	n      int      // numbers what is written
	mine   []string // what the user has written
	runs   []string // those that can be undone

	died, conflicts bool // ever

	log []string // what was done, for the reader of a failure
}

func newInterleaving(t *testing.T, seed uint64) *interleaving {
	t.Helper()
	i := &interleaving{stage: newStage(t, t.TempDir()), chance: rand.New(rand.NewPCG(seed, 6))}
	for _, name := range []string{"a.txt", "b.txt"} {
		var text strings.Builder
		for n := range 12 {
			fmt.Fprintf(&text, "%s line %d\n", name, n)
		}
		i.put(map[string]string{name: text.String()})
	}
	return i
}

// texts are the files that both write to, by name.
func (i *interleaving) texts() (names []string) {
	for name := range i.files() {
		if strings.HasSuffix(name, ".txt") && name != "notes.txt" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (i *interleaving) lines() (name string, lines []string) {
	names := i.texts()
	name = names[i.chance.IntN(len(names))]
	return name, strings.SplitAfter(strings.TrimSuffix(i.files()[name], "\n"), "\n")
}

// next is a number that stands nowhere yet.
func (i *interleaving) next() int { i.n++; return i.n }

// types has the user insert a line, or change one, or write a file of their own.
func (i *interleaving) types() {
	mark := fmt.Sprintf("mine %d;", i.next())
	i.mine = append(i.mine, mark)
	name, lines := i.lines()
	at := i.chance.IntN(len(lines))
	switch i.chance.IntN(6) {
	case 0:
		name, lines = fmt.Sprintf("mine-%d.txt", i.n), []string{mark + "\n"}
	case 1, 2:
		lines[at] = strings.TrimSuffix(lines[at], "\n") + " " + mark + "\n"
	default:
		lines = slices.Insert(lines, at, mark+"\n")
	}
	i.log = append(i.log, "the user writes "+mark+" into "+name)
	i.put(map[string]string{name: strings.Join(lines, "")})
}

// takesAway has the user delete a line of their own.
func (i *interleaving) takesAway() {
	for name, text := range i.files() {
		for at, line := range strings.SplitAfter(text, "\n") {
			if len(i.mine) > 0 && strings.TrimSpace(line) == i.mine[0] {
				i.log = append(i.log, "the user takes "+i.mine[0]+" away")
				i.mine = i.mine[1:]
				i.put(map[string]string{name: strings.Join(slices.Delete(strings.SplitAfter(text, "\n"), at, at+1), "")})
				return
			}
		}
	}
}

// applies has Forge insert a line somewhere, and make a file.
func (i *interleaving) applies(by death) life {
	name, lines := i.lines()
	at := i.chance.IntN(len(lines))
	patch := fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n %s+forge %d\n", name, strings.TrimSuffix(lines[at], "\n")+"\n", i.next())
	if i.chance.IntN(2) == 0 {
		patch += fmt.Sprintf("*** Add File: forge-%d.txt\n+forge %d\n", i.n, i.n)
	}
	file := filepath.Join(i.base, "patch")
	require.NoError(i.t, os.WriteFile(file, []byte(patch+"*** End Patch\n"), 0o600))
	l := i.live(by, "apply", "--trust", "--yes", file)
	if id := undoName.FindStringSubmatch(l.output); id != nil {
		i.runs = append(i.runs, id[1])
	}
	return l
}

var undoName = regexp.MustCompile(`forge undo (\S+)`)

// turn is one thing that Forge does, and dies in, one time of three.
func (i *interleaving) turn() {
	var by death
	place := ""
	if i.chance.IntN(3) == 0 {
		place = dying[i.chance.IntN(len(dying))]
		by = at(fmt.Sprintf("%s:%d", place, 1+i.chance.IntN(2)))
	}
	var l life
	what := "apply"
	switch n := i.chance.IntN(6); {
	case n <= 1 || len(i.runs) == 0:
		l = i.applies(by)
	case n == 2:
		what, l = "undo of any", i.live(by, "undo", "--yes", i.runs[i.chance.IntN(len(i.runs))])
	case n == 3:
		what, l = "undo", i.live(by, "undo", "--yes")
	default:
		what, l = "redo", i.live(by, "redo", "--yes")
	}
	i.log = append(i.log, fmt.Sprintf("forge %s, to die at %q (%v), ends with %d:\n%s", what, place, l.killed, l.code, l.output))
	i.died = i.died || l.killed
	i.conflicts = i.conflicts || strings.Contains(l.output, "conflict")
	require.NotContains(i.t, l.output, "panic", i.story())
}

// dying are the places that Forge dies at while it writes or recovers.
var dying = slices.DeleteFunc(testkit.Failpoints("engine/workspace"), func(name string) bool { return strings.Contains(name, "damaged") })

func (i *interleaving) story() string { return strings.Join(i.log, "\n") }

// lost are the user's words that are in no file any more.
func (i *interleaving) lost() (lost []string) {
	var all strings.Builder
	for _, text := range i.files() {
		all.WriteString(text)
	}
	for _, mark := range i.mine {
		if !strings.Contains(all.String(), mark) {
			lost = append(lost, mark)
		}
	}
	return lost
}

// Runs, edits of the user, undos and redos in any order, with deaths: nothing that the user wrote is ever overwritten.
func TestInterleaving_NeverOverwritesUserEdits(t *testing.T) {
	t.Parallel()
	var died, conflicts atomic.Int64
	t.Run("interleavings", func(t *testing.T) { interleave(t, &died, &conflicts) })
	t.Logf("of %d interleavings %d had a death and %d a conflict", rounds(8, 60, 500), died.Load(), conflicts.Load())
	require.NotZero(t, died.Load())
	require.NotZero(t, conflicts.Load())
}

func interleave(t *testing.T, died, conflicts *atomic.Int64) {
	t.Helper()
	for n := range rounds(8, 60, 500) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			defer one()()
			i := newInterleaving(t, uint64(n)) //nolint:gosec // small
			for range 14 {
				switch i.chance.IntN(7) {
				case 0, 1, 2:
					i.types()
				case 3:
					i.takesAway()
				default:
					i.turn()
				}
				require.Empty(t, i.lost(), i.story())
			}
			if i.died {
				died.Add(1)
			}
			if i.conflicts {
				conflicts.Add(1)
			}
			end := i.live(never, "doctor")
			require.Empty(t, i.lost(), i.story()+end.output)
			for _, name := range i.left() {
				require.Contains(t, name, "/journal/kept", "only texts that are kept for the user: %s", i.story())
			}
		})
	}
}

// The check can fail.
func TestInterleaving_CheckDetectsALostEdit(t *testing.T) {
	t.Parallel()
	i := newInterleaving(t, 1)
	i.types()
	require.Empty(t, i.lost())
	for _, name := range i.texts() {
		i.put(map[string]string{name: "by a program\n"})
	}
	require.Len(t, i.lost(), 1)
}
