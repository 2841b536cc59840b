package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/mode"
)

// What a request leaves open the person's settings say, and what neither knows is refused with what there is.
func TestSettledRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request  Request
		settings Settings
		mode     string
		recipe   string
		refusal  string
	}{
		"nothing":                      {Request{}, Settings{}, "", "", ""},
		"the settings":                 {Request{}, Settings{Mode: "heavy"}, "heavy", "", ""},
		"the request first":            {Request{Mode: "fast"}, Settings{Mode: "heavy"}, "fast", "", ""},
		"a mode that answers":          {Request{Mode: "plan", Recipe: "fix"}, Settings{}, "plan", "ask", ""},
		"a review in such a mode":      {Request{Mode: "audit", Recipe: "review"}, Settings{}, "audit", "review", ""},
		"a recipe that only reads":     {Request{Recipe: "spec"}, Settings{}, "", "spec", ""},
		"no such mode":                 {Request{Mode: "turbo"}, Settings{}, "turbo", "", `there is no mode "turbo": choose fast`},
		"no such recipe":               {Request{Recipe: "bake"}, Settings{}, "", "bake", `there is no recipe "bake": choose implement`},
		"no such profile":              {Request{Profile: "magic"}, Settings{}, "", "", `there is no profile "magic": choose completion`},
		"no such mode in the settings": {Request{}, Settings{Mode: "x"}, "x", "", `there is no mode "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := c.request.settled(c.settings)
			require.Equal(t, c.mode, r.Mode)
			require.Equal(t, c.recipe, r.Recipe)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refusal)
		})
	}
}

// What a run is begun with is all that is needed to play it again.
func TestAWayIsKeptWithItsRun(t *testing.T) {
	t.Parallel()
	p := paramsOf(Request{Task: "x", Mode: "heavy", Suggested: true, Profile: "tooluse", Limits: Limits{Duration: time.Minute}},
		Settings{KeepFormat: true, Steps: 7, ToolCalls: 9})
	task := p.task()
	require.Equal(t, mode.Heavy, task.Mode.Name)
	require.Equal(t, mode.Medium, task.Mode.MaxAutoRisk, "it was only suggested")
	require.Equal(t, mode.ToolUse, task.Profile)
	require.True(t, task.KeepFormat)
	require.Equal(t, []int{7, 9}, []int{p.Steps, p.ToolCalls})
	require.Equal(t, mode.Balanced, params{}.task().Mode.Name)
}

// In a mode that is offline only models of this machine are asked.
func TestOfflineSafeAsksOnlyThisMachine(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"offline-safe": true, "balanced": false, "": false} {
		e := New(Options{Chooser: llm.Only(nil)})
		l := &life{engine: e, params: params{Mode: name}}
		_, is := l.chooser().(offline)
		require.Equal(t, want, is, name)
	}
}

// A project formats the files that are in no other project below it.
func TestWhatIsBelow(t *testing.T) {
	t.Parallel()
	roots := []string{"", "a", "a/b"}
	paths := []string{"x.go", "a/x.go", "a/b/x.go", "ab/x.go"}
	require.Equal(t, []string{"x.go", "ab/x.go"}, below("", roots, paths))
	require.Equal(t, []string{"x.go"}, below("a", roots, paths))
	require.Equal(t, []string{"x.go"}, below("a/b", roots, paths))
	require.Empty(t, below("c", []string{"c"}, paths))
}
