package execution

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/permission"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/engine/step"
)

// newHost is what executions stand on, in a folder of its own; it chooses no model.
func newHost(t *testing.T) *Host {
	t.Helper()
	secrets := secret.New()
	kept := state.New(state.Options{Dir: t.TempDir(), Now: time.Now, Secrets: secrets})
	t.Cleanup(kept.Close)
	return &Host{State: kept, Secrets: Secrets{secrets, kept.Notify}, Now: time.Now}
}

// Only gates teach: not a reviewer's opinion, a gate that broke, or a gate that executed nothing.
func TestLearn_OnlyGatesTeach(t *testing.T) {
	t.Parallel()
	green := gate.Report{Gate: "test", Verdict: gate.Pass, Executed: 2, Passed: 2, Tests: true, Command: []string{"go", "test"}}
	red := gate.Report{Gate: "test", Verdict: gate.Fail, Executed: 2, Passed: 1, Tests: true}
	for name, c := range map[string]struct {
		call step.LearnCall
		want int // patterns that are moved
	}{
		"green and accepted":   {step.LearnCall{Accepted: true, Reports: []gate.Report{green}}, 2},
		"green, not accepted":  {step.LearnCall{Reports: []gate.Report{green}}, 1}, // the command alone
		"red":                  {step.LearnCall{Reports: []gate.Report{red}}, 1},
		"no gate":              {step.LearnCall{Accepted: true}, 0},
		"a gate that broke":    {step.LearnCall{Reports: []gate.Report{{Gate: "test", Verdict: gate.Error, Executed: 1}}}, 0},
		"nothing was executed": {step.LearnCall{Accepted: true, Reports: []gate.Report{{Gate: "test", Verdict: gate.Pass}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newHost(t).New("r-1", nil, Params{Task: "add it", Root: t.TempDir()})
			c.call.Node, c.call.Attempt = "executor", 1
			for range 2 { // reported again, as in an execution that is resumed
				learned, err := l.memory().learn(t.Context(), c.call)
				require.NoError(t, err)
				require.Len(t, learned.Patterns, c.want)
				for _, p := range learned.Patterns {
					require.Equal(t, 1, p.Successes+p.Failures, "it counts once")
				}
			}
		})
	}
}

// asked is a chooser that keeps what a model is needed for.
type asked struct{ need *llm.Need }

func (a asked) Choose(_ context.Context, n llm.Need) (llm.Choice, error) {
	*a.need = n
	return llm.Choice{}, nil
}

// In a mode that is offline, and in a request that says so, only models of this machine are asked.
func TestChooser_AsksWhatTheRequestPermits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params Params
		want   llm.Need
	}{
		"an offline mode":    {Params{Mode: "offline-safe"}, llm.Need{Offline: true}},
		"an offline request": {Params{Mode: "balanced", Offline: true}, llm.Need{Offline: true}},
		"another mode":       {Params{Mode: "balanced"}, llm.Need{}},
		"none":               {Params{}, llm.Need{}},
		"a model":            {Params{Model: "a/b"}, llm.Need{Model: "a/b"}},
	} {
		var need llm.Need
		l := (&Host{Chooser: asked{&need}, Now: time.Now, Secrets: Secrets{secret.New(), nil}}).New("r-1", nil, c.params)
		_, err := l.chooser().Choose(t.Context(), llm.Need{})
		require.NoError(t, err)
		require.Equal(t, c.want, need, name)
	}
}

// A resumed run asks again: --non-interactive was about the command that began the run, and the other flags were about the run.
func TestResume_DropsNonInteractiveOnly(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	root := t.TempDir()
	p, err := h.State.Project(root)
	require.NoError(t, err)
	l, err := h.executionOf(p, flow.Run{ID: "r-1", Folder: root, Input: []byte(`{"Flags": {"NonInteractive": true, "Strict": true, "Skip": true}}`)})
	require.NoError(t, err)
	require.Equal(t, permission.Flags{Strict: true, Skip: true}, l.params.Flags)
}
