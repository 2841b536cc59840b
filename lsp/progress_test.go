package lsp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/graph"
)

// busy is a script with two nodes, a blocked try, tokens, and many gates in a short time.
func busy(_ context.Context, r *scriptedRun) execution.Result {
	nodes := []graph.Node{{ID: "spec"}, {ID: "executor"}}
	r.Log.Append(event.GraphBuilt{Nodes: slices.Clone(nodes), Attempts: 3})
	at := func(i int, s graph.Status, attempt int) {
		nodes[i].Status, nodes[i].Attempt = s, attempt
		r.Log.Append(event.NodeChanged{Node: nodes[i]})
	}
	at(0, graph.Running, 1)
	at(0, graph.Done, 1)
	for try := 1; try <= 2; try++ {
		at(1, graph.Running, try)
		r.Log.Append(event.ModelCalled{Input: 9000, Output: 200})
		for i := 1; i <= 20; i++ {
			r.Log.Append(event.GateStarted{Node: "executor", Gate: "go build", Index: i, Of: 20})
			pause(10)
		}
	}
	return execution.Result{State: event.Blocked, Reason: "red"}
}

type progressReport struct {
	Kind       string  `json:"kind"`
	Message    string  `json:"message"`
	Percentage *uint32 `json:"percentage"`
}

func allProgress(t *testing.T, d *harness) []progressReport {
	t.Helper()
	var all []progressReport
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodProgress {
			value := decodeParams[protocol.ProgressParams](t, m.Params).Value
			all = append(all, *decodeParams[progressReport](t, value))
		}
	}
	return all
}

func lastProgress(t *testing.T, d *harness) progressReport {
	t.Helper()
	all := allProgress(t, d)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

func TestProgress_IsCalmAndNeverFalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: busy})
		start := time.Now()
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
		synctest.Wait()
		took := time.Since(start)

		create := decodeParams[protocol.WorkDoneProgressCreateParams](t, d.Expect(protocol.MethodWindowWorkDoneProgressCreate, nil))
		require.Equal(t, protocol.String(r.ProgressToken), create.Token)
		all := allProgress(t, d)
		require.Equal(t, "begin", all[0].Kind)
		require.Equal(t, "end", all[len(all)-1].Kind)
		reports := all[1 : len(all)-1]
		require.LessOrEqual(t, len(reports), int(took/(100*time.Millisecond))+1, "ten a second")
		require.Greater(t, len(reports), 2, "but it does report")
		worst := uint32(0)
		for _, report := range reports {
			require.Equal(t, "report", report.Kind)
			require.GreaterOrEqual(t, *report.Percentage, worst)
			worst = *report.Percentage
		}
		require.Greater(t, worst, uint32(50))
		last := reports[len(reports)-1].Message
		require.Regexp(t, `^gate \d+/20 go build · try 2/3 · 18.4k tok$`, last)
		require.Equal(t, "blocked · 18.4k tok", all[len(all)-1].Message)
	})
}

// beside is a script that asks while another node's gates go on, and goes on with them once it is answered.
func beside(ctx context.Context, r *scriptedRun) execution.Result {
	q := approve(r.ID)
	running := func(id string) {
		r.Log.Append(event.NodeChanged{Node: graph.Node{ID: id, Status: graph.Running, Attempt: 1}})
	}
	running("spec")
	r.Log.Append(event.Asked{Question: q})
	running("baseline")
	r.Log.Append(event.GateStarted{Node: "baseline", Gate: "go build", Index: 3, Of: 4})
	pause(200)
	r.Log.Append(event.GateStarted{Node: "baseline", Gate: "go test", Index: 4, Of: 4})
	a, _ := r.Asker.Ask(ctx, q)
	r.Log.Append(event.Answered{QuestionID: q.ID, Choice: a.Choice})
	pause(200)
	r.Log.Append(event.GateStarted{Node: "baseline", Gate: "go vet", Index: 2, Of: 4})
	pause(200)
	return execution.Result{State: event.Failed, Reason: a.Choice}
}

// planned is a script of a plan of two parts side by side, of which one is at its second try, and of the whole.
func planned(_ context.Context, r *scriptedRun) execution.Result {
	at := func(id string, s graph.Status, attempt int) {
		r.Log.Append(event.NodeChanged{Node: graph.Node{ID: id, Kind: partless(id), Status: s, Attempt: attempt}})
		pause(200)
	}
	begin := []graph.Node{{ID: "orchestrator"}, {ID: "baseline"}, {ID: "spec"}, {ID: "planner"}}
	r.Log.Append(event.GraphBuilt{Nodes: begin, Attempts: 3})
	for _, n := range begin[:3] {
		at(n.ID, graph.Done, 1)
	}
	at("planner", graph.Running, 1)
	r.Log.Append(event.GraphGrown(twoParts()))
	at("planner", graph.Done, 1)
	gate := func(node, name string) {
		r.Log.Append(event.GateStarted{Node: node, Gate: name, Index: 2, Of: 4})
		pause(200)
	}
	for _, id := range []string{"pay/explore", "tax/explore"} {
		at(id, graph.Done, 1)
	}
	at("pay/executor", graph.Running, 2)
	at("tax/executor", graph.Running, 1)
	gate("pay/executor", "go vet")
	gate("tax/executor", "go build")
	for _, id := range []string{"pay/executor", "tax/executor", "pay/review", "tax/review", "explore"} {
		at(id, graph.Done, 1)
	}
	at("executor", graph.Running, 1)
	gate("executor", "go test")
	return execution.Result{State: event.Succeeded}
}

// Nodes that a plan adds take no percent away, and leave some for themselves; what goes on names its part.
func TestProgress_OfAPlan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: planned})
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		synctest.Wait()
		worst, at := uint32(0), map[string]uint32{}
		for _, report := range allProgress(t, d) {
			if report.Kind != "report" {
				continue
			}
			require.GreaterOrEqual(t, *report.Percentage, worst)
			worst = *report.Percentage
			if _, known := at[report.Message]; !known {
				at[report.Message] = worst
			}
		}
		require.Less(t, at["planner"], uint32(25), "the work is still to come")
		require.Positive(t, at["planner"])
		require.Contains(t, at, "pay: gate 2/4 go vet · try 2/3")
		require.Contains(t, at, "tax: gate 2/4 go build", "its first try")
		require.Greater(t, at["tax: gate 2/4 go build"], at["pay: gate 2/4 go vet · try 2/3"], "side by side, what both have done counts")
		require.Greater(t, at["gate 2/4 go test"], uint32(75))
	})
}

func TestProgress_AnOpenQuestionIsTheProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: beside}, rich)
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		pause(1000)
		synctest.Wait()
		const waiting = "waiting for your answer: Is this what you meant?"
		require.Equal(t, waiting, lastProgress(t, d).Message, "though gates run beside it")

		require.NoError(t, d.execute(api.Answer, api.AnswerArgs{RunID: r.RunID, AskID: "q1", Choice: "approve"}, nil))
		pause(300)
		synctest.Wait()
		require.Equal(t, "gate 2/4 go vet", lastProgress(t, d).Message, "an answered question is history")
	})
}

// When a gate is done the node goes on, with a model that writes; an older gate of the node that ends later changes nothing.
func TestProgress_AGateThatIsDoneIsNotShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			r.Log.Append(event.NodeChanged{Node: graph.Node{ID: "executor", Status: graph.Running, Attempt: 1}})
			for i, name := range []string{"go vet", "red"} {
				r.Log.Append(event.GateStarted{Node: "executor", Gate: name, Index: i + 1, Of: 2})
			}
			pause(200)
			r.Log.Append(event.GateFinished{Node: "executor", Report: gate.Report{Gate: "go vet"}})
			pause(200)
			r.Log.Append(event.GateFinished{Node: "executor", Report: gate.Report{Gate: "red"}})
			<-ctx.Done()
			return execution.Result{State: event.Cancelled}
		}})
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		pause(300)
		synctest.Wait()
		require.Equal(t, "gate 2/2 red", lastProgress(t, d).Message)
		pause(300)
		synctest.Wait()
		require.Equal(t, "executor", lastProgress(t, d).Message)
	})
}

func TestProgress_EndsOnceWhenCancelledByItsButton(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		synctest.Wait()
		d.Notify(protocol.MethodWindowWorkDoneProgressCancel,
			&protocol.WorkDoneProgressCancelParams{Token: protocol.String("forge/other")})
		synctest.Wait()
		require.NotContains(t, progressKinds(t, d), "end", "another's token cancels nothing")
		d.Notify(protocol.MethodWindowWorkDoneProgressCancel,
			&protocol.WorkDoneProgressCancelParams{Token: protocol.String(r.ProgressToken)})
		synctest.Wait()
		require.Equal(t, []string{"begin", "end"}, progressKinds(t, d))
		require.Equal(t, "cancelled", endOf(t, d, r.RunID).State)
	})
}

// After the end of a cancelled run the client hears nothing more of it.
func TestProgress_CancelIsQuiet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: untilCancelled}, rich)
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		synctest.Wait()
		var ended api.StateResult
		require.NoError(t, d.execute(api.Cancel, nil, &ended))
		require.Equal(t, "cancelled", ended.State)
		synctest.Wait()
		heard := len(d.Messages())
		pause(10_000)
		synctest.Wait()
		require.Len(t, d.Messages(), heard)
	})
}

// The last event of a cancelled run has the time from the request until nothing worked any more; without a request it has none.
func TestProgress_EndOfACancelledRunSaysHowSoonItWasQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		cancels bool
		stops   time.Duration // how long the run works on
		want    any
	}{
		"at once":        {true, 0, 1.0},
		"after a while":  {true, 299_200 * time.Microsecond, 300.0},
		"by itself only": {false, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: func(ctx context.Context, _ *scriptedRun) execution.Result {
					if c.cancels {
						<-ctx.Done()
					}
					time.Sleep(c.stops) //nolint:forbidigo // in a bubble of testing/synctest
					return execution.Result{State: event.Cancelled, Reason: "cancelled"}
				}}, rich)
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
				pause(5_000)
				if c.cancels {
					require.NoError(t, d.execute(api.Cancel, nil, nil))
				}
				ended := decodeParams[api.Event](t, d.Expect(api.EventMethod, func(params []byte) bool { return strings.Contains(string(params), "run.ended") }))
				data, is := ended.Data.(map[string]any)
				require.True(t, is)
				require.Equal(t, "cancelled", data["state"])
				require.Equal(t, c.want, data["quietMs"])
			})
		})
	}
}

func TestProgress_OnlyForClientsThatShowIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: busy}, withoutProgress)
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
		synctest.Wait()
		require.Empty(t, r.ProgressToken)
		require.Empty(t, progressKinds(t, d))
	})
}

// A client that refuses the token hears nothing of it.
func TestProgress_RefusedProgressIsNotBegun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: busy})
		d.Handle(protocol.MethodWindowWorkDoneProgressCreate, func([]byte) (any, error) { return nil, fmt.Errorf("no") })
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		synctest.Wait()
		require.Empty(t, progressKinds(t, d))
	})
}

func TestProgress_EventsHaveNoGaps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: busy}, rich)
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
		synctest.Wait()
		want := 1
		last := ""
		for _, m := range d.Messages() {
			if m.Method == api.EventMethod {
				e := decodeParams[api.Event](t, m.Params)
				require.Equal(t, want, e.Seq)
				require.Equal(t, r.RunID, e.RunID)
				want, last = want+1, e.Type
			}
		}
		require.Equal(t, "run.ended", last)
		var replay api.EventsResult
		require.NoError(t, d.execute(api.Events, api.EventsArgs{RunID: r.RunID, SinceSeq: 3}, &replay))
		require.Equal(t, 4, replay.Events[0].Seq)
		require.Len(t, replay.Events, want-1-3)
	})
}

func TestProgress_EventsOnlyForClientsThatTakeThem(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: busy})
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
		synctest.Wait()
		for _, m := range d.Messages() {
			require.NotEqual(t, api.EventMethod, m.Method)
		}
	})
}
