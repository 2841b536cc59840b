package pipeline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
)

// A suppression that a change adds is no fault: the reviewer and the user see it.
func TestSilenced_IsReported(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "one", "a_test": "one", "old.go": "x() //nolint:errcheck\n"}
	play := func(content string) *episode {
		e := newEpisode(t, decideExecutor+writeTests+reply(implementing, `explanation: i, files: [{path: b, action: write, content: two}, {path: old.go, action: write, content: "`+content+`"}]`)+reviewPass)
		e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
		result := e.run(t)
		require.Equal(t, event.Succeeded, result.State, result.Reason)
		return e
	}
	e := play(`// x\nx() //nolint:errcheck\ny() //nolint:all\n`)
	told := e.finished("silenced")
	require.Len(t, told, 1)
	require.Equal(t, gate.Pass, told[0].Verdict)
	require.Equal(t, []gate.Finding{{Path: "old.go", Line: 3, Severity: gate.SeverityWarning, Rule: "silenced", Message: `the change adds "//nolint", which silences findings of a tool here`}}, told[0].Findings)
	require.Contains(t, e.prompts("review")[0], `old.go:3: the change adds "//nolint"`)

	e = play(`// y\nx() //nolint:errcheck\n`)
	require.Empty(t, e.finished("silenced"), "it was there before")
	require.NotContains(t, e.prompts("review")[0], "silences")
}

// Of a file that says other things as well, the parts that say how code is checked stay as they are, unless the task names it.
func TestSilenced_LoosenedChecksAreRefused(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a": "one", "a_test": "one", "package.json": `{"scripts": {"test": "jest"}}`}
	const (
		loosened = `explanation: i, files: [{path: b, action: create, content: two}, {path: package.json, action: write, content: '{"scripts": {"test": "true"}}'}]`
		deleted  = `explanation: i, files: [{path: b, action: create, content: two}, {path: package.json, action: delete, content: ""}]`
		moved    = `explanation: i, files: [{path: b, action: create, content: two}], patch: "*** Begin Patch\n*** Update File: package.json\n*** Move to: x.json\n@@\n-{\"scripts\": {\"test\": \"jest\"}}\n+{\"scripts\": {\"test\": \"jest\" }}\n*** End Patch"`
		added    = `explanation: i, files: [{path: b, action: create, content: two}, {path: sub/pyproject.toml, action: create, content: "[tool.ruff]\nselect = []\n"}]`
		other    = `explanation: i, files: [{path: b, action: create, content: two}, {path: package.json, action: write, content: '{"scripts": {"test": "jest"}, "dependencies": {"x": "1"}}'}]`
	)
	play := func(task, entries string) *episode {
		e := newEpisode(t, decideExecutor+writeTests+entries+reviewPass)
		e.task.Text += task
		e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
		result := e.run(t)
		require.Equal(t, event.Succeeded, result.State, result.Reason)
		require.NoError(t, e.script.Verify())
		return e
	}
	for name, answer := range map[string]string{"changed": loosened, "deleted": deleted, "moved": moved, "added below": added} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play("", reply(implementing, answer)+reply("configures how this project is checked: leave that part as it is", putTwo))
		})
	}
	play(", and let package.json test nothing", reply(implementing, loosened))
	play("", reply(implementing, other))
}
