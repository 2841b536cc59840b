package activity

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/secret"
	"forge/engine/state"
	"forge/engine/step"
	"forge/memory"
)

func TestGuides_NearestAndRoot(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of text\n", 5000)
	for name, c := range map[string]struct {
		files map[string]string
		focus string
		want  []string
	}{
		"none":               {map[string]string{"a.go": "x"}, "a.go", nil},
		"of the root":        {map[string]string{"AGENTS.md": "a", "CLAUDE.md": "c", ".forge/instructions.md": "f"}, "", []string{"AGENTS.md", "CLAUDE.md", ".forge/instructions.md"}},
		"the same text":      {map[string]string{"AGENTS.md": "a", "CLAUDE.md": "a"}, "", []string{"AGENTS.md"}},
		"the nearest above":  {map[string]string{"AGENTS.md": "a", "x/AGENTS.md": "x", "x/y/AGENTS.md": "y", "x/y/z/a.go": ""}, "x/y/z/a.go", []string{"AGENTS.md", "x/y/AGENTS.md"}},
		"not beside it":      {map[string]string{"AGENTS.md": "a", "other/AGENTS.md": "o"}, "x/a.go", []string{"AGENTS.md"}},
		"not below it":       {map[string]string{"AGENTS.md": "a", "x/AGENTS.md": "x"}, "", []string{"AGENTS.md"}},
		"bytes, and nothing": {map[string]string{"AGENTS.md": "a\x00", "CLAUDE.md": "\xff", ".forge/instructions.md": " \n"}, "", nil},
		"a way out":          {map[string]string{"AGENTS.md": "a"}, "../../etc/passwd", []string{"AGENTS.md"}},
		"long ones":          {map[string]string{"AGENTS.md": long, "CLAUDE.md": "c" + long, ".forge/instructions.md": "f" + long}, "", []string{"AGENTS.md", "CLAUDE.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guides := guidesIn(slices.Sorted(maps.Keys(c.files)), nil, c.focus, func(path string) ([]byte, error) {
				if text, is := c.files[path]; is {
					return []byte(text), nil
				}
				return nil, fs.ErrNotExist
			})
			var names []string
			total := 0
			for _, g := range guides {
				names = append(names, g.Source)
				total += len(g.Text)
				require.LessOrEqual(t, len(g.Text), maxGuide)
				if strings.HasPrefix(name, "long") {
					require.True(t, strings.HasSuffix(g.Text, guideCut), "what is missing is said")
				}
			}
			require.Equal(t, c.want, names)
			require.LessOrEqual(t, total, maxGuides)
		})
	}
}

// Lessons from gates come with their confidence: at most five, none below the threshold.
func TestLessons_ComeFromGates(t *testing.T) {
	t.Parallel()
	kept, root := newState(t), t.TempDir()
	m, err := kept.Memory(t.Context(), root)
	require.NoError(t, err)
	learn(t, m, memory.Key("feature", "pay"), 5, 0)  // 6/7
	learn(t, m, "payments round down", 2, 0)         // 3/4
	learn(t, m, "payments need two approvals", 1, 1) // 1/2: nothing is known
	for i := range 9 {
		learn(t, m, fmt.Sprintf("payments have rule %d", i), 2, 0)
	}
	b := Briefing{State: kept, Root: root, Run: "r-1"}
	var told step.Brief
	require.NoError(t, b.remember(t.Context(), step.BriefCall{Task: "change how payments work", Intent: memory.Key("feature", "pay")}, &told))
	require.Len(t, told.Lessons, 5)
	text := ""
	for _, l := range told.Lessons {
		require.True(t, strings.HasPrefix(l.Source, "pattern-"), l.Source)
		text += l.Text + "\n"
	}
	require.Contains(t, text, "success pattern (strong, 0.86): feature work in pay: gates accepted 5 of 5 attempts; it stays so")
	require.Contains(t, text, "(0.75)")
	require.NotContains(t, text, "two approvals", "the twin: what is as likely wrong is not shown")
	require.Contains(t, told.Lessons[0].Text, "strong", "the most certain first")
}

func TestNotes_AreWithinTheirQuota(t *testing.T) {
	t.Parallel()
	var hits []memory.Hit
	for i := range 100 {
		hits = append(hits, memory.Hit{ID: memory.ID(fmt.Sprintf("entry-%d", i)), Entry: &memory.Entry{
			Key: "k", Value: json.RawMessage(`"` + strings.Repeat("word ", 200) + `"`),
		}})
	}
	notes, total := notesOf(hits), 0
	for _, n := range notes {
		require.LessOrEqual(t, len(n.Text), maxNote+len("…"))
		require.NotContains(t, n.Text, "\n")
		total += len(n.Text)
	}
	require.LessOrEqual(t, total, maxNotes)
	require.Greater(t, len(notes), 40)
	require.Equal(t, "k: [1]", notesOf([]memory.Hit{{Entry: &memory.Entry{Key: "k", Value: json.RawMessage(`[1]`)}}})[0].Text)
}

func TestPlaybooks_AreChosenByTags(t *testing.T) {
	t.Parallel()
	kept, root := newState(t), t.TempDir()
	m, err := kept.Memory(t.Context(), root)
	require.NoError(t, err)
	for i := range 8 {
		_, err := m.SavePlaybook(t.Context(), memory.Playbook{
			Title: fmt.Sprint("Mend ", i), Content: strings.Repeat("Look first.\n", 1000), Tags: []string{"bugfix"}, Source: memory.Source{Origin: memory.User},
		})
		require.NoError(t, err)
	}
	b := Briefing{State: kept, Root: root, Run: "r-1"}
	var told, other step.Brief
	require.NoError(t, b.remember(t.Context(), step.BriefCall{Task: "fix it"}, &told))
	require.Len(t, told.Playbooks, 5)
	for _, p := range told.Playbooks {
		require.LessOrEqual(t, len(p.Text), maxPlaybook)
		require.NotEmpty(t, p.Source)
	}
	require.NoError(t, b.remember(t.Context(), step.BriefCall{Task: "paint it"}, &other))
	require.Empty(t, other.Playbooks, "the twin: for other work there are none")
}

// A folder that is not trusted has nothing to say, whatever stands in it; its tree is not even looked at.
func TestBriefing_UntrustedFolderIsLeftOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "AGENTS.md"), []byte("Use tabs."), 0o600))
	b := Briefing{State: newState(t), Trees: &Trees{}, Root: root, Run: "r-1"} // it cannot make trees
	told, err := b.Brief(t.Context(), step.BriefCall{State: step.State{Base: "b"}, Task: "x"})
	require.NoError(t, err)
	require.Empty(t, told.Guides)
	require.Empty(t, told.Skills)
}

func newState(t *testing.T) *state.State {
	t.Helper()
	kept := state.New(state.Options{Dir: t.TempDir(), Now: time.Now, Secrets: secret.New()})
	t.Cleanup(kept.Close)
	return kept
}

// learn has memory learn that something passed and failed so often.
func learn(t *testing.T, m *memory.Project, text string, passed, failed int) {
	t.Helper()
	for i := range passed + failed {
		judge := memory.Failed
		if i < passed {
			judge = memory.Passed
		}
		verdict, err := judge(memory.GateReport{Run: "r-old", Node: "review", Attempt: i + 1, Gate: "test", Executed: 1})
		require.NoError(t, err)
		_, err = m.Learn(t.Context(), memory.Pattern{
			Category: memory.SuccessPattern, Text: text, Fix: "it stays so", Source: memory.Source{Origin: memory.Gate, Run: "r-old", Node: "review"},
		}, verdict)
		require.NoError(t, err)
	}
}
