package pipeline

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/llm/llmtest/script"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

var update = flag.Bool("update", false, "rewrite the golden prompts")

// wholeBrief has one of everything.
func wholeBrief() step.Brief {
	return step.Brief{
		Guides: []step.Guide{{Name: "AGENTS.md", Source: "AGENTS.md", Text: "Use tabs.\n"}},
		Skills: []prompt.Skill{
			{Name: "planning", Description: "How to plan", Source: "~/.forge/skills/planning/SKILL.md", Body: "Say what must hold."},
			{Name: "tdd", Description: "Tests first", Category: "code", Source: ".forge/skills/tdd/SKILL.md", Body: "Write the test, see it red."},
		},
		Lessons:   []step.Guide{{Name: "feature:b", Source: "pattern-1", Text: "success pattern (strong, 0.83): feature:b"}},
		Notes:     []step.Guide{{Name: "files", Source: "entry-2", Text: "files: b"}},
		Playbooks: []step.Guide{{Name: "Playbook: Mend it", Source: "playbook-1", Text: "Look first."}},
	}
}

// golden renders requests for people to read in a diff.
func golden(requests []llm.Request, log *event.Log) string {
	var made []llm.Manifest
	for _, e := range log.Since(0) {
		if called, is := e.Data.(event.ModelCalled); is {
			made = append(made, called.Manifest)
		}
	}
	var text strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&text, "=== %s, attempt %d, schema %s, at most %d tokens\n", r.Node, r.Attempt, r.SchemaName, r.MaxTokens)
		fmt.Fprintf(&text, "=== hash %s, %d of %d tokens\n", made[i].Hash, made[i].Tokens, made[i].Budget)
		for _, p := range made[i].Parts {
			fmt.Fprintf(&text, "    %-12s %4d  %s %s\n", p.Kind, p.Tokens, p.Name, p.Source)
		}
		for _, m := range r.Messages {
			fmt.Fprintf(&text, "--- %s, stable %v\n%s\n", m.Role, m.Stable, m.Text)
		}
	}
	return text.String()
}

// The same snapshot, the same brief and the same answers are the same bytes: those of testdata. go test -update writes them.
func TestPrompts_AreThoseOfTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		brief  step.Brief
		layer  string
	}{
		"plain":      {script: decideExecutor + writeTests + writeRight + reviewPass},
		"everything": {script: decideSpec + writeSpec + writeTests + writeWrong + writeRight + reviewPass, brief: wholeBrief(), layer: "Mode: fast. Be brief."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, c.script)
			e.env.Brief = c.brief
			if c.layer != "" {
				e.task.Mode, _ = mode.Lookup("")
				e.task.Mode.Layer = c.layer
			}
			require.Equal(t, event.Succeeded, e.run(t).State)
			got := golden(e.script.Requests(), e.log)
			file := filepath.Join("testdata", "prompts", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), got))
		})
	}
}

// A node's documents begin the same, byte for byte, in all attempts; the scripted model refuses a request that does not.
func TestPrompts_BeginningIsTheSameInAllAttempts(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeWrongly+debugged+writeRight+reviewPass)
	e.script.Rules = script.Rules{Stable: true, Tokens: 50_000}
	e.env.Brief = wholeBrief()
	e.task.Mode, _ = mode.Lookup("fast")
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	var prefixes, rests []string
	for _, r := range e.script.Requests() {
		if r.Node == "executor" {
			require.True(t, r.Messages[1].Stable)
			prefixes, rests = append(prefixes, r.Messages[1].Text), append(rests, r.Messages[2].Text)
		}
	}
	require.Len(t, prefixes, 4, "tests, and three attempts")
	for i, p := range prefixes {
		require.Equal(t, prefixes[0], p, "call %d", i+1)
	}
	require.NotEqual(t, rests[1], rests[2], "the twin: what comes after it does change")
	require.NotContains(t, prefixes[3], "b_test", "what the run has written is no part of its beginning")
	require.Contains(t, rests[3], "b_test")
}

// A preview makes the call that a run makes first, and no other.
func TestPreview_AsksNoModel(t *testing.T) {
	t.Parallel()
	for node, script := range map[string]string{
		"orchestrator": decideExecutor + writeTests + writeRight + reviewPass,
		"executor":     decideExecutor + writeTests + writeRight + reviewPass,
		"spec":         decideSpec + writeSpec + writeTests + writeRight + reviewPass,
	} {
		t.Run(node, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, script)
			e.env.Brief = wholeBrief()
			e.env.Flow = flow.InMemory("preview", e.workers(), flow.DriverOptions{})
			call, err := Preview(t.Context(), e.env, e.task, node, patch.ChangeSet{})
			require.NoError(t, err)
			require.Empty(t, e.script.Requests())
			require.Empty(t, e.log.Since(0), "there is no event")
			require.Equal(t, event.Succeeded, e.run(t).State)
			for _, r := range e.script.Requests() {
				if r.Node == node {
					r.Key = ""
					require.Empty(t, cmp.Diff(call.Request, r))
					return
				}
			}
			require.Fail(t, "the run did not ask")
		})
	}
}

// A preview starts no gate, also where a node would.
func TestPreview_StartsNothing(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor)
	workers := e.workers()
	for _, name := range []string{step.ActivityGate.Name, step.ActivityModel.Name, step.ActivityAsk.Name, step.ActivityWrite.Name} {
		activity.Add(workers, step.Activity[any, any]{Name: name}, func(context.Context, any) (any, error) {
			return nil, fmt.Errorf("%s was started", name)
		}, flow.Worker{})
	}
	e.env.Flow = flow.InMemory("preview", workers, flow.DriverOptions{})
	_, err := Preview(t.Context(), e.env, e.task, "review", patch.ChangeSet{})
	require.ErrorContains(t, err, "is not done for a preview")
	_, err = Preview(t.Context(), e.env, e.task, "baseline", patch.ChangeSet{})
	require.ErrorContains(t, err, `there is no node "baseline" that asks a model: there is orchestrator`)
}
