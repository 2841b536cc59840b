package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/mode"
)

// lines are n lines of a file, each with its number.
func lines(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d of a long file\n", i+1)
	}
	return text.String()
}

// A file whose end does not fit into the model's window was not shown: it is not replaced, but lines of it that the model quotes are.
func TestUnseen_AFileThatIsCutToFitIsNotReplaced(t *testing.T) {
	t.Parallel()
	const short = `explanation: i, files: [{path: long, action: write, content: "first\n"}]`
	all := lines(1200)
	e := newEpisode(t, decideExecutor+reply("the rest was left out to fit the budget", short)+
		reply("read it first: long was not shown to you as a whole", `explanation: i, edits: [{path: long, search: line 1 of a long file, replace: first}]`)+reviewPass)
	e.withFiles(map[string]string{"long": all})
	e.task.Profile, e.env.Windows = mode.Completion, map[string]int{"executor": 9_000}
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, strings.Replace(all, "line 1 of a long file", "first", 1), texts(result)["long"], "its end is still there")

	e = newEpisode(t, decideExecutor+reply("line 1200 of a long file", short)+reviewPass)
	e.withFiles(map[string]string{"long": all})
	e.task.Profile = mode.Completion
	result = e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "first\n", texts(result)["long"], "the twin: a model that sees all of it may replace it")
}

// hide adds a file zz that no prompt shows: no word of it is in the task, and nobody explores the folder.
func (e *episode) hide() {
	e.withFiles(map[string]string{"zz": lines(40), "filler": strings.Repeat("something else\n", 3000)})
	e.env.Rounds = -1
}

// A file of which the model has read some lines was not shown as a whole; one that it has read from the first line to the last was, also in parts.
func TestUnseen_SomeLinesAreNotTheFile(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply(implementing, `explanation: i, files: [{path: zz, action: write, content: x}]`)+
		reply(`Ask for all of it in "requests"`, `explanation: i, requests: [{tool: read_file, args: {path: zz, start: 1, end: 9}}]`)+
		reply("zz, lines 1 to 9 of 40", `explanation: i, files: [{path: zz, action: write, content: xy}]`)+
		reply("read it first: zz was not shown", `explanation: i, requests: [{tool: read_file, args: {path: zz, start: 10, end: 90}}]`)+
		reply("zz, lines 10 to 40 of 40", `explanation: i, files: [{path: zz, action: write, content: xyz}]`)+reviewPass)
	e.hide()
	e.task.Profile = mode.Completion
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "xyz\n", texts(result)["zz"])
}

// In turns, a file is not known because one of its lines was changed; the model learns where to ask for it, and sees what it asks for in the next turn.
func TestUnseen_InTurns(t *testing.T) {
	t.Parallel()
	const rewrites = `{tool: write_file, args: {path: zz, content: x}}`
	e := newEpisode(t, decideExecutor+reply(implementing, `explanation: i, edits: [{path: zz, search: line 7 of a long file, replace: seven}]`)+
		reply("Turn 1 of", `explanation: i, files: [{path: zz, action: write, content: x}]`)+
		reply(`Ask for all of it in "actions" with the tool read_file`, `explanation: i, actions: [{tool: read_file, args: {path: zz}}, `+rewrites+`]`)+
		reply("nothing was changed: read it first: zz was not shown", `explanation: i, actions: [`+rewrites+`], done: true`)+reviewPass)
	e.hide()
	e.task.Profile, e.task.NoTests = mode.ToolUse, true
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "x\n", texts(result)["zz"])
}
