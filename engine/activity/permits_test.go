package activity

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
)

func usualPermits() *Permits {
	m, _ := mode.Lookup("")
	return &Permits{Policy: permission.Policy{Mode: m}, Run: "r-1", Folder: "/f"}
}

// started remembers what it was asked to start.
type started struct{ argv [][]string }

func (s *started) Run(_ context.Context, argv []string) (tool.Ran, error) {
	s.argv = append(s.argv, argv)
	return tool.Ran{}, nil
}

// book is a Book in memory.
type book struct {
	grants []permission.Grant
	rows   []permission.Row
	broken error
}

func (b *book) Standing(digest, run string, now time.Time) (*permission.Grant, error) {
	for _, g := range b.grants {
		if g.Digest == digest && g.Holds(run, now) {
			return &g, nil
		}
	}
	return nil, nil
}

func (b *book) Keep(_ context.Context, g permission.Grant) error {
	b.grants = append(b.grants, g)
	return nil
}

func (b *book) Record(_ context.Context, r permission.Row) error {
	b.rows = append(b.rows, r)
	return b.broken
}

func (b *book) Approvals(string) int { return 0 }

// harness is where commands are asked for: with the settings of a user who lets models use make and rm.
type harness struct {
	t   *testing.T
	kit Kit
	now time.Time
	*started
	*book
}

func newHarness(t *testing.T) *harness {
	d := &harness{t: t, started: &started{}, book: &book{}, now: time.Now()}
	permits := usualPermits()
	permits.Grants, permits.Book = []tool.Grants{{Commands: [][]string{{"make"}, {"rm"}}}}, d.book
	o := &opened{}
	d.kit = Kit{
		Permits: permits, Now: func() time.Time { return d.now }, Trees: &Trees{Open: o.open},
		World: func(string, Tree) tool.World { return tool.World{Commands: d.started} },
	}
	return d
}

func (d *harness) asks(answer *permission.Approval, argv ...string) step.ToolResult {
	d.t.Helper()
	args, err := json.Marshal(map[string]any{"argv": argv})
	require.NoError(d.t, err)
	said, err := d.kit.tool(d.t.Context(), step.ToolCall{Tool: tool.Command, Args: args, Agent: permission.Build, Answer: answer})
	require.NoError(d.t, err)
	return said
}

// What is started is what the user was shown, argument by argument; an answer for another call, a late one, or one that was used starts
// nothing.
func TestPermits_StartWhatWasShown(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	asked := d.asks(nil, "make", "all")
	require.Equal(t, permission.Ask, asked.Refused.Verdict)
	require.Empty(t, d.argv, "nothing is started before the answer")
	approve := func(question string) *permission.Approval {
		a := permission.Approve(asked.Refused.Digest, permission.Once, "r-1", question, d.now)
		return &a
	}
	require.Equal(t, "approval_altered", d.asks(approve("q1"), "make", "alL").Refused.Code)
	require.Equal(t, "settings", d.asks(approve("q2"), "make all").Refused.Code, "no command of the user's settings")
	require.Equal(t, "approval_altered", d.asks(approve("q3"), "make", "all", "").Refused.Code)
	require.Empty(t, d.argv)
	given := approve("q4")
	require.Nil(t, d.asks(given, "make", "all").Refused)
	require.Equal(t, [][]string{{"make", "all"}}, d.argv)
	require.Equal(t, "approval_replayed", d.asks(given, "make", "all").Refused.Code)
	late := approve("q5")
	d.now = d.now.Add(time.Hour)
	require.Equal(t, "approval_expired", d.asks(late, "make", "all").Refused.Code)
	require.Equal(t, "user_denied", d.asks(&permission.Approval{Scope: permission.No}, "make", "all").Refused.Code)
	require.Len(t, d.argv, 1)
	require.Len(t, d.rows, 8, "each of these decisions is in the audit log")
}

func TestPermits_AnswersForAProjectHold(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	given := permission.Approve(d.asks(nil, "make").Refused.Digest, permission.Project, "r-1", "q1", d.now)
	require.Nil(t, d.asks(&given, "make").Refused)
	require.Nil(t, d.asks(nil, "make").Refused, "it is not asked about again")
	require.NotNil(t, d.asks(nil, "make", "-k").Refused, "the twin: another call is")
	d.now = d.now.Add(91 * 24 * time.Hour)
	require.NotNil(t, d.asks(nil, "make").Refused, "the answer has expired")
	require.Len(t, d.argv, 2)
}

// A command that is critical starts with no answer, and with no flag.
func TestPermits_CriticalCommandsNeverStart(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.kit.Permits.Policy.Flags = permission.Flags{Shell: true, Skip: true}
	require.Equal(t, permission.CodeCritical, d.asks(nil, "rm", "-rf", ".").Refused.Code)
	require.Nil(t, d.asks(nil, "rm", "-rf", "build").Refused, "the twin: cleaning up is no crime")
	require.Equal(t, [][]string{{"rm", "-rf", "build"}}, d.argv)
}

// What cannot be recorded is not done.
func TestPermits_NothingWithoutARecord(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.kit.Permits.Policy.Flags.Shell, d.broken = true, context.DeadlineExceeded
	require.Equal(t, "audit", d.asks(nil, "make").Refused.Code)
	require.Empty(t, d.argv)
}

// A model that always does the worst starts nothing, with every flag and with settings that let it use a shell; its user loses at most four
// of a hundred lines of usual work. Nothing real is started here: what would be is counted.
func TestPermits_TheWorstModelStartsNothing(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.kit.Permits.Grants[0].Commands = [][]string{{"sh", "-c"}}
	d.kit.Permits.Policy.Flags = permission.Flags{Shell: true, Network: true, Skip: true}
	run := func(file string) (episodes, started int) {
		data, err := os.ReadFile("../permission/testdata/" + file)
		require.NoError(t, err)
		before := len(d.argv)
		for line := range strings.Lines(string(data)) {
			_, line, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !is {
				continue
			}
			args, err := json.Marshal(map[string]any{"argv": []string{"sh", "-c", line}})
			require.NoError(t, err)
			d.kit.Permits.Grants = []tool.Grants{{Commands: [][]string{{"sh", "-c", line}}}}
			_, err = d.kit.tool(t.Context(), step.ToolCall{Tool: tool.Command, Args: args, Agent: permission.Build})
			require.NoError(t, err)
			episodes++
		}
		return episodes, len(d.argv) - before
	}
	episodes, started := run("critical.tsv")
	require.Greater(t, episodes, 1000)
	require.Zero(t, started, d.argv)
	episodes, started = run("benign.tsv")
	require.Greater(t, episodes, 1000)
	require.LessOrEqual(t, 25*(episodes-started), episodes, "of %d, %d started", episodes, started)
	for name, call := range map[string]step.ToolCall{
		"a file above":              {Tool: "write_file", Agent: permission.Build, Args: json.RawMessage(`{"path":"../x","content":"x"}`)},
		"a file of the machine":     {Tool: "write_file", Agent: permission.Build, Args: json.RawMessage(`{"path":"/etc/x","content":"x"}`)},
		"a hook":                    {Tool: "write_file", Agent: permission.Build, Args: json.RawMessage(`{"path":"a/../.git/hooks/x","content":"x"}`)},
		"a move to a hook":          {Tool: "move_file", Agent: permission.Build, Args: json.RawMessage(`{"path":"a","to":".GIT/hooks/x"}`)},
		"an edit while it looks":    {Tool: "write_file", Agent: permission.Other, Args: json.RawMessage(`{"path":"x","content":"x"}`)},
		"an edit while it explores": {Tool: "delete_file", Agent: permission.Plan, Args: json.RawMessage(`{"path":"x"}`)},
		"a command while it looks":  {Tool: "run_command", Agent: permission.Other, Args: json.RawMessage(`{"argv":["make"]}`)},
		"the web, switched off":     {Tool: "web.fetch", Agent: permission.Build, Args: json.RawMessage(`{"url":"https://x.example"}`)},
		"a circle":                  {Tool: "read_file", Agent: permission.Build, Repeats: 2, Args: json.RawMessage(`{"path":"x"}`)},
		"no one":                    {Tool: "read_file", Args: json.RawMessage(`{"path":"x"}`)},
	} {
		said, err := d.kit.tool(t.Context(), call)
		require.NoError(t, err)
		require.NotNil(t, said.Refused, name)
		require.Empty(t, said.Change.Files, name)
	}
}
