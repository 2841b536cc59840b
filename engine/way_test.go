package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/mode"
)

// The user's settings fill what a request leaves open, and unknown values are refused with the valid ones.
func TestRequest_Settled(t *testing.T) {
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
		"no such domain":               {Request{Domain: "poetry"}, Settings{}, "", "", `there is no domain "poetry": choose code_generation`},
		"research":                     {Request{Domain: "research"}, Settings{}, "", "ask", ""},
		"research in the settings":     {Request{}, Settings{Domain: "research"}, "", "ask", ""},
		"another domain first":         {Request{Domain: "documentation"}, Settings{Domain: "research"}, "", "document", ""},
		"review":                       {Request{Domain: "code_review"}, Settings{}, "audit", "review", ""},
		"review, in a mode of its own": {Request{Domain: "code_review"}, Settings{Mode: "heavy"}, "heavy", "review", ""},
		"a recipe is said":             {Request{Domain: "code_review", Recipe: "fix"}, Settings{}, "", "fix", ""},
		"code generation":              {Request{Domain: "code_generation"}, Settings{}, "", "implement", ""},
		"words between people":         {Request{Task: "thanks, that was great"}, Settings{}, "", "ask", ""},
		"a question":                   {Request{Task: "is there an Add?"}, Settings{}, "", "", ""},
		"a question that is work":      {Request{Task: "can you add an Add?"}, Settings{}, "", "", ""},
		"a question, and a profile":    {Request{Task: "is there an Add?", Profile: "tdd"}, Settings{}, "", "", ""},
		"a question, and a plan":       {Request{Task: "is there an Add?", Plan: execution.Plan{Wanted: true}}, Settings{}, "", "", ""},
		"a plan in such a mode":        {Request{Mode: "plan", Plan: execution.Plan{Wanted: true}}, Settings{}, "plan", "", "a run that only answers carries out no plan"},
		"a plan of what only reads":    {Request{Recipe: "spec", Plan: execution.Plan{Wanted: true}}, Settings{}, "", "spec", "carries out no plan"},
		"research, and a plan":         {Request{Plan: execution.Plan{Wanted: true}}, Settings{Domain: "research"}, "", "ask", "carries out no plan"},
		"a question, and a domain":     {Request{Task: "is there an Add?", Domain: "code_generation"}, Settings{}, "", "implement", ""},
		"generic, a fault":             {Request{Domain: "generic", Task: "fix the crash in a.go"}, Settings{}, "", "fix", ""},
		"generic, a question":          {Request{Domain: "generic", Task: "is there an Add?"}, Settings{}, "", "ask", ""},
		"generic, and a plan":          {Request{Domain: "generic", Task: "is there an Add?", Plan: execution.Plan{Wanted: true}}, Settings{}, "", "implement", ""},
		"generic, and uncertain":       {Request{Domain: "generic", Task: "make it green"}, Settings{}, "", "implement", ""},
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

func TestDoubtful_OnlyPlainQuestions(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	for name, c := range map[string]struct {
		request Request
		want    bool
	}{
		"a question":         {Request{Task: "is there an Add?"}, true},
		"with a mode":        {Request{Task: "is there an Add?", Mode: "heavy"}, true},
		"without a mark":     {Request{Task: "is there an Add"}, false},
		"a request":          {Request{Task: "ContentCharset should skip requests without a body"}, false},
		"an order, politely": {Request{Task: "can you add an Add?"}, false},
		"with a recipe":      {Request{Task: "is there an Add?", Recipe: "fix"}, false},
		"with a domain":      {Request{Task: "is there an Add?", Domain: "code_generation"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, e.Doubtful(t.Context(), c.request))
		})
	}
}

// The parameters of a run are all that is needed to replay it.
func TestParams_KeepHowTheRunWorks(t *testing.T) {
	t.Parallel()
	p := paramsOf(Request{Task: "x", Mode: "heavy", Suggested: true, Profile: "tooluse", Bounds: mode.Bounds{Attempts: 5, Rounds: mode.Never}, Limits: execution.Limits{Duration: time.Minute}},
		Settings{KeepFormat: true, Steps: 7, ToolCalls: 9})
	task := p.Pipeline()
	require.Equal(t, mode.Heavy, task.Mode.Name)
	require.Equal(t, mode.Medium, task.Mode.MaxAutoRisk, "it was only suggested")
	require.Equal(t, mode.ToolUse, task.Profile)
	require.True(t, task.KeepFormat)
	require.Equal(t, []int{7, 9}, []int{p.Steps, p.ToolCalls})
	require.Equal(t, mode.Bounds{Attempts: 5, Rounds: mode.Never}, p.Bounds)
	require.Equal(t, event.Way{Recipe: "implement", Mode: "heavy", Profile: "tooluse"}, p.Way())
	require.Equal(t, mode.Balanced, execution.Params{}.Pipeline().Mode.Name)
}
