package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// wide makes the tree of an episode larger than what is shown whole. Without an index, files are shown that have words of the task.
func (e *episode) wide() *episode {
	files := startingTree()
	files["big"] = strings.Repeat("nothing of interest\n", 4000)
	files["hidden"] = "the secret of two\n"
	e.tree.base, e.tree.files = files, files
	e.kit.Trees.Open = func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }
	e.env.Window = 200_000
	return e
}

// round is an answer of the explorer, with requests as JSON.
func round(requests string) string {
	return fmt.Sprintf(`
- {match: {node: explorer}, reply: {json: {requests: [%s]}}}`, requests)
}

// used are the tools that the log lists, with their arguments.
func (e *episode) used() (used []string) {
	for _, ev := range e.log.Since(0) {
		if u, is := ev.Data.(event.ToolUsed); is {
			used = append(used, u.Tool+" "+u.Args)
		}
	}
	return used
}

const readBig = `{provider: read_file, args: {path: hidden}, why: callers}`

// If all of the folder is in the prompt, no model is asked what is missing.
func TestExplorer_SmallFolderIsNotExplored(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Empty(t, e.prompts("explorer"))
	require.Equal(t, "DONE", e.status("explore"))
	require.Contains(t, e.prompts("executor")[0], "## a\n", "although it has no word of the task")
	require.NoError(t, e.script.Verify())
}

func TestExplorer_AnswersAreInLaterDocuments(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round(readBig)+round("")+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	rounds := e.prompts("explorer")
	require.Len(t, rounds, 2)
	require.Contains(t, rounds[0], "- search_code(pattern, literal?, glob?)")
	require.NotContains(t, rounds[0], "the secret of two\n## ")
	require.Contains(t, rounds[0], "This is round 1 of at most 2.")
	require.Contains(t, rounds[1], "hidden, lines 1 to 1 of 1:\nthe secret of two")
	require.Contains(t, rounds[1], "This is round 2 of at most 2.")
	for _, p := range e.prompts("executor") {
		require.Contains(t, p, "hidden, lines 1 to 1 of 1:\nthe secret of two")
	}
	require.Equal(t, []string{`read_file {"path":"hidden"}`}, e.used())
	require.NoError(t, e.script.Verify())
}

// A repeated request is not carried out again, in the same round or in another one; rounds without new requests are the
// end.
func TestExplorer_SameIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	again := `{provider: read_file, args: {path: hidden, start: 0}, why: again}`
	e := newEpisode(t, decideExecutor+round(readBig+", "+again)+round(again)+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Len(t, e.used(), 1)
	require.Equal(t, 1, strings.Count(e.prompts("executor")[0], "hidden, lines 1 to 1 of 1:"))
	require.NoError(t, e.script.Verify())
}

func TestExplorer_RoundsAreBounded(t *testing.T) {
	t.Parallel()
	script := func(rounds int) string {
		all := decideExecutor
		for i := range rounds {
			all += round(fmt.Sprintf(`{provider: read_file, args: {path: big, start: %d}, why: more}`, i+1))
		}
		return all + writeTests + writeRight + reviewPass
	}
	for name, c := range map[string]struct{ rounds, want int }{"by default": {0, work.DefaultRounds}, "three": {3, 3}, "never": {-1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, script(c.want)).wide()
			e.env.Rounds = c.rounds
			require.Equal(t, event.Succeeded, e.run(t).State)
			require.Len(t, e.prompts("explorer"), c.want)
			require.NoError(t, e.script.Verify())
		})
	}
}

// A request for something unknown gets an error as its answer, and nothing breaks.
func TestExplorer_FailedRequestIsAnAnswer(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round(`{provider: rm_rf, args: {path: "/"}, why: evil}, {provider: write_file, args: {path: a, content: x}, why: evil},
    {provider: read_file, args: {path: "../../etc/passwd"}, why: evil}, {provider: read_file, args: {}, why: wrong}`)+round("")+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	told := e.prompts("explorer")[1]
	for _, want := range []string{`there is no "rm_rf" here. There are: read_file, search_code`, `there is no "write_file" here`, "there is no file ../../etc/passwd", "the arguments of read_file cannot be used"} {
		require.Contains(t, told, want)
	}
	require.Len(t, e.used(), 2, "what is no provider is not asked")
	require.NoError(t, e.script.Verify())
}

// An explorer with unusable answers does not stop the run, and one that exceeds the budget does.
func TestExplorer_UselessAnswerIsLeftOut(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+`
- {match: {node: explorer}, reply: {text: "Certainly!"}, times: 2}`+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.NoError(t, e.script.Verify())

	e = newEpisode(t, decideExecutor+`
- {match: {node: explorer}, fault: {status: 401}}`).wide()
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Empty(t, e.prompts("executor"))
	require.Equal(t, "BLOCKED", e.status("explore"))
}

// A provider that breaks is reported, and stops nothing.
func TestExplorer_ProviderThatBreaksStopsNothing(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round("{provider: git_log, args: {}, why: style}")+round("")+writeTests+writeRight+reviewPass).wide()
	e.kit.World = func(string, activity.Tree) tool.World { return tool.World{History: brokenHistory{}} }
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Contains(t, e.prompts("explorer")[1], "this is not available now: read the history: the disk is broken")
	require.NoError(t, e.script.Verify())
}

// brokenHistory cannot be read.
type brokenHistory struct{ tool.History }

func (brokenHistory) Log(context.Context, int) ([]codeintel.Commit, error) {
	return nil, errors.New("the disk is broken")
}

func TestExplorer_TooManyRequestsAreSentBack(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(readBig+", ", dialogue.MaxRequests) + readBig
	e := newEpisode(t, decideExecutor+round(many)+round("")+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Contains(t, e.prompts("explorer")[1], "9 requests are too many")
	require.Empty(t, e.used())
	require.NoError(t, e.script.Verify())
}

// Exploring ends when there is enough to read, whatever else is asked for.
func TestExplorer_AnswersAreBounded(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString(decideExecutor)
	for i := range 10 {
		var requests []string
		for j := range dialogue.MaxRequests {
			requests = append(requests, fmt.Sprintf(`{provider: read_file, args: {path: big, start: %d}, why: more}`, i*dialogue.MaxRequests+j+1))
		}
		script.WriteString(round(strings.Join(requests, ", ")))
	}
	e := newEpisode(t, script.String()+writeTests+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Len(t, e.prompts("explorer"), 1)
	require.LessOrEqual(t, len(e.used()), dialogue.MaxExplored/tool.MaxOutput+2)
}

// A failed attempt goes back to explore, which asks no model again, and from there to the executor with its reason.
func TestExplorer_LaterAttemptReusesTheResult(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round(readBig)+round("")+writeTests+writeWrong+writeRight+reviewPass).wide()
	require.Equal(t, event.Succeeded, e.run(t).State)
	prompts := e.prompts("executor")
	require.Len(t, prompts, 3)
	require.Contains(t, prompts[2], "hidden, lines 1 to 1 of 1:")
	require.Contains(t, prompts[2], "was not accepted", "with the reason")
	require.Len(t, e.prompts("explorer"), 2)
	var order []string
	for _, ev := range e.log.Since(0) {
		if n, is := ev.Data.(event.NodeChanged); is && n.Node.Status == graph.Running {
			order = append(order, fmt.Sprintf("%s %d", n.Node.ID, n.Node.Attempt))
		}
	}
	require.Equal(t, []string{"explore 1", "executor 1", "review 1", "explore 2", "executor 2", "review 2"}, order[len(order)-6:])
	require.NoError(t, e.script.Verify())
}

// The picture in the package's comment is the graph.
func TestRun_GraphIsThatOfThePackageComment(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor)
	r := newRunner(e.env, e.task)
	var edges []string
	for _, edge := range r.graph().Edges() {
		edges = append(edges, fmt.Sprintf("%s %s %s", edge.From, edge.Type, edge.To))
	}
	require.ElementsMatch(t, []string{
		"orchestrator normal spec", "orchestrator normal baseline", "spec normal explore", "baseline normal explore",
		"explore normal executor", "executor normal review", "executor failed explore", "review review_fail explore",
	}, edges)
	require.Equal(t, []string{"orchestrator", "spec", "planner", "explorer", "executor", "review", "answer"}, Asking())
}

// An index's choice is at its tier's place, before the explored files.
func TestPrompts_TiersHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round("")+writeTests+writeRight+reviewPass).wide()
	e.kit.Pack = func(_ context.Context, n activity.Need) (activity.Packed, error) {
		require.Contains(t, []int{step.DefaultContext, 13_500}, n.Most)
		return activity.Packed{Map: "the map", Files: []step.File{
			{Path: "transitive", Text: "func T()", Tier: step.TierInterface, Signatures: true},
			{Path: "dependency", Text: "d", Tier: step.TierDependency}, {Path: "target", Text: "t"},
		}}, nil
	}
	require.Equal(t, event.Succeeded, e.run(t).State)
	p := e.prompts("explorer")[0]
	last := 0
	for _, heading := range []string{"## Files", "## Map", "## Task", "## target", "## dependency", "## transitive (signatures)", "## Rounds"} {
		at := strings.Index(p, heading+"\n")
		require.Greater(t, at, last, heading)
		last = at
	}
}

// A run that explored is played again from anywhere; see TestReplay_RunIsPlayedAgainFromAnywhere.
func TestExplorer_RunThatExploredIsPlayedAgain(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+round(readBig)+round("")+writeTests+writeWrong+writeRight+reviewPass).wide()
	want := e.run(t)
	require.Equal(t, event.Succeeded, want.State)
	e.kit.Chooser = llm.Only(nil)
	require.Equal(t, want, e.again(t))
	require.Empty(t, e.flow.Performed())
}

// No edit is made from a specification, and most are made by the implementation.
func TestContext_IsAsLargeAsTheTaskNeeds(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideSpec+writeSpec+round("")+writeTests+writeRight+reviewPass).wide()
	var asked []int
	e.kit.Pack = func(_ context.Context, n activity.Need) (activity.Packed, error) {
		asked = append(asked, n.Most)
		return activity.Packed{Files: []step.File{{Path: "target", Text: "t"}}}, nil
	}
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Equal(t, []int{6_000, step.DefaultContext, step.DefaultContext, 13_500}, asked)
}
