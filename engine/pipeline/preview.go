package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// Preview returns the first model call that a node would make in a run: the node works up to it, and nothing is sent. The flow must
// not keep its steps, as flow.InMemory does not.
//
// Earlier nodes are not run: there is no specification, baseline or change yet. The error is why a node has no call. With tests,
// the executor has already written them, and asks for the implementation.
func Preview(ctx context.Context, env work.Env, task work.Task, node string, tests patch.ChangeSet) (step.ModelCall, error) {
	if !slices.Contains(Asking(), node) {
		return step.ModelCall{}, fmt.Errorf("there is no node %q that asks a model: there is %s", node, strings.Join(Asking(), ", "))
	}
	looking := &preview{Flow: env.Flow}
	env.Flow = looking
	env.Emit = func(event.Data) {}
	if node == work.NodeAnswer {
		task.Recipe = Ask // no other work has it
	}
	if node == work.NodePlan {
		task.Plan.Wanted = true // no other run has it
	}
	r := newRunner(env, task)
	asks, err := r.asking(node)
	if err != nil {
		return step.ModelCall{}, err
	}
	r.whole.Now.Number, r.whole.Now.Tree = 1, r.Folder()
	if len(tests.Files) > 0 {
		r.whole.Tests.Written = &tests
	}
	o := r.operation(asks)(ctx, asks)
	switch {
	case ctx.Err() != nil:
		return step.ModelCall{}, ctx.Err()
	case looking.call != nil:
		return *looking.call, nil
	case looking.refused != nil:
		return step.ModelCall{}, fmt.Errorf("what %s asks a model depends on what comes before it in a run: %w", node, looking.refused)
	case o.Reason != "":
		return step.ModelCall{}, errors.New(o.Reason)
	}
	return step.ModelCall{}, fmt.Errorf("%s asks no model", node)
}

// asking returns the node of this run in which a role makes its first call.
func (r *runner) asking(role string) (graph.Node, error) {
	id := role
	if role == work.RoleExplorer {
		id = work.NodeExplore
	}
	var there []string
	for _, n := range r.graph().Nodes() {
		if n.ID == id {
			n.Attempt = 1
			return n, nil
		}
		there = append(there, n.ID)
	}
	return graph.Node{}, fmt.Errorf("a run of this kind has no node %s: it has %s", id, strings.Join(there, ", "))
}

// preview is a flow that ends at the first model call. It reads what a prompt needs from the folder, and starts nothing in it.
type preview struct {
	flow.Flow
	call    *step.ModelCall
	refused error
}

// errSeen ends the work of a node after its call.
var errSeen = errors.New("this is a preview: nothing is asked")

// Do performs activities that only read.
func (p *preview) Do(ctx context.Context, c flow.Call) (json.RawMessage, error) {
	switch c.Do {
	case step.ActivityModel.Name:
		if p.call == nil {
			p.call = new(step.ModelCall)
			if err := json.Unmarshal(c.Input, p.call); err != nil {
				return nil, fmt.Errorf("understand a call of the model: %w", err)
			}
		}
		return nil, errSeen
	case step.ActivityFiles.Name, step.ActivityContext.Name, step.ActivityRead.Name, step.ActivityUnits.Name, step.ActivityScopes.Name, step.ActivityPreflight.Name:
		return p.Flow.Do(ctx, c)
	}
	if p.refused == nil {
		p.refused = fmt.Errorf("%s is not done for a preview", c.Name)
	}
	return nil, errSeen
}

// Wait does not ask the user.
func (p *preview) Wait(context.Context, flow.Call) (json.RawMessage, error) { return nil, errSeen }
