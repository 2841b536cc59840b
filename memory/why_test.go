package memory

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oneOfEach makes a row of each kind, and gives their ids.
func oneOfEach(t testing.TB, p *Project) map[kind]ID {
	t.Helper()
	ctx := t.Context()
	ids := map[kind]ID{kindEntry: write(t, p.Store, Entry{Tier: Long, Agent: "executor", Key: "k", Value: JSON("v"), Source: byModel}).ID}
	pattern, err := p.Learn(ctx, Pattern{Category: Convention, Text: "p", Source: byModel}, failed(t, "r1"))
	require.NoError(t, err)
	playbook, err := p.SavePlaybook(ctx, Playbook{Title: "t", Content: "c", Source: byModel})
	require.NoError(t, err)
	interaction, err := p.RecordInteraction(ctx, Interaction{Step: "implementation/0", Model: "m", Source: byModel})
	require.NoError(t, err)
	_, err = p.RecordAttempt(ctx, Attempt{Run: "r1", Node: "executor", Attempt: 1, Total: 1, Source: byModel})
	require.NoError(t, err)
	subagent, err := p.StartSubagent(ctx, "task", "executor", byModel)
	require.NoError(t, err)
	task, err := p.CreateTask(ctx, "t", "", byModel)
	require.NoError(t, err)
	ids[kindPattern], ids[kindPlaybook], ids[kindSpec] = pattern.ID, playbook.ID, saveSpec(t, p, "s").ID
	ids[kindInteraction], ids[kindIteration], ids[kindSubagent], ids[kindTask] = interaction.ID, "iteration-1", subagent.ID, task.ID
	return ids
}

// TestWhyAndForget: of each kind of row it can be said where it comes from, and all but versions can be forgotten.
func TestWhyAndForget(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	ids := oneOfEach(t, p)
	require.Len(t, ids, len(described), "a kind of rows without a test")
	for k, id := range ids {
		why, err := p.Why(ctx, id)
		require.NoError(t, err, k)
		require.Equal(t, Source{Origin: Model, Run: "r1", Node: "executor", Event: 7}, why.Source, k)
		require.Equal(t, noon, why.Created, k)
		require.NotEmpty(t, why.What)
		require.Equal(t, k == kindPattern, len(why.Evidence) == 1, k)
		if k == kindSpec {
			require.ErrorIs(t, p.Forget(ctx, id), ErrInvalid)
			continue
		}
		require.NoError(t, p.Forget(ctx, id), k)
		require.ErrorIs(t, p.Forget(ctx, id), ErrNotFound, k)
		_, err = p.Why(ctx, id)
		require.ErrorIs(t, err, ErrNotFound, k)
	}
	for _, id := range []ID{"", "entry", "entry-", "entry-0", "entry--1", "entry-01", "entry-+1", "entry-1x", "sub_0123456789AB", "sub_0123", "rumour-1", "entry-99999999999999999999"} {
		_, err := p.Why(ctx, id)
		require.ErrorIs(t, err, ErrInvalid, id)
		require.ErrorIs(t, p.Forget(ctx, id), ErrInvalid, id)
	}
	_, err := p.Judge(ctx, "entry-1", passed(t, "r1"))
	require.ErrorIs(t, err, ErrInvalid)
}

func TestEvidenceNamesItsGate(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ids := oneOfEach(t, p)
	c.add(time.Hour)
	_, err := p.Judge(t.Context(), ids[kindPattern], passed(t, "r2"))
	require.NoError(t, err)
	why, err := p.Why(t.Context(), ids[kindPattern])
	require.NoError(t, err)
	require.Equal(t, []Evidence{
		{"fail", GateReport{Run: "r1", Node: "executor", Attempt: 1, Gate: "go test", Executed: 1, Summary: "1 of 3 tests failed"}, noon},
		{"pass", GateReport{Run: "r2", Node: "executor", Attempt: 1, Gate: "go test", Executed: 1, Summary: "3 tests passed"}, noon.Add(time.Hour)},
	}, why.Evidence)
	require.Equal(t, "model, run r1, executor, event 7", why.Source.String())
	require.Equal(t, "user: typed", byUser.String())
}

func TestSubagentsBeginAndEnd(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	run, err := p.StartSubagent(ctx, "task", "executor", byModel)
	require.NoError(t, err)
	require.Regexp(t, `^sub_[0-9a-f]{12}$`, run.ID)
	require.Equal(t, SubagentRunning, run.Status)
	c.add(time.Minute)
	require.ErrorIs(t, p.FinishSubagent(ctx, run.ID, SubagentRunning, "", ""), ErrInvalid)
	require.NoError(t, p.FinishSubagent(ctx, run.ID, SubagentFailed, "", "the tests are red"))
	require.ErrorIs(t, p.FinishSubagent(ctx, run.ID, SubagentDone, "s", ""), ErrExists, "an end is final")
	require.ErrorIs(t, p.FinishSubagent(ctx, "sub_000000000000", SubagentDone, "", ""), ErrNotFound)
	runs, err := p.Subagents(ctx, "r1")
	require.NoError(t, err)
	run.Status, run.FailureReason, run.Finished = SubagentFailed, "the tests are red", noon.Add(time.Minute)
	require.Equal(t, []SubagentRun{run}, runs)
	runs, err = p.Subagents(ctx, "r2")
	require.NoError(t, err)
	require.Empty(t, runs)
	_, err = p.StartSubagent(ctx, "task", "executor", Source{})
	require.ErrorIs(t, err, ErrInvalid)
}

func TestPromptsAreKeptRedactedOrNotAtAll(t *testing.T) {
	t.Parallel()
	call := Interaction{
		Step: "implementation/0", Model: "m", Prompt: "key sk-123", Answer: "your key is sk-123", Error: "sk-123 is wrong",
		TokensIn: 10, TokensOut: 5, Latency: 1500 * time.Millisecond, Cost: 1234, Source: byModel,
	}
	for name, test := range map[string]struct {
		redact                func(string) string
		prompt, answer, error string
	}{
		"with a redactor": {func(s string) string {
			return string(bytes.ReplaceAll([]byte(s), []byte("sk-123"), []byte("[secret]")))
		}, "key [secret]", "your key is [secret]", "[secret] is wrong"},
		"without a redactor": {nil, "[10 characters, not kept]", "[18 characters, not kept]", "[15 characters, not kept]"},
	} {
		c := &clock{noon}
		p, err := Open(t.Context(), t.TempDir(), "p", Options{Now: c.now, Redact: test.redact})
		require.NoError(t, err)
		_, err = p.RecordInteraction(t.Context(), call)
		require.NoError(t, err)
		got, err := p.Interactions(t.Context(), "r1", 0)
		require.NoError(t, err)
		want := call
		want.ID, want.Created, want.Prompt, want.Answer, want.Error = "interaction-1", noon, test.prompt, test.answer, test.error
		require.Equal(t, []Interaction{want}, got, name)
		_, err = p.RecordInteraction(t.Context(), Interaction{})
		require.ErrorIs(t, err, ErrInvalid)
		require.NoError(t, p.Close())
	}
}
