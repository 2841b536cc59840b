package dialogue

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/engine/permission"
	"forge/engine/step"
	"forge/engine/tool"
)

// Directly does work that names its tools, without a model. A tool that fails ends the attempt.
func (p *Phase) Directly(ctx context.Context) step.Outcome {
	for i, a := range p.Run.Task.Direct {
		var args tool.Args
		if err := json.Unmarshal(a.Args, &args); err != nil {
			return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("the arguments of %s are none: %v", a.Tool, err)}
		}
		todo := action{Tool: a.Tool, Args: args}
		before := len(p.Now.Tree.Changes)
		result, _, o := p.act(ctx, fmt.Sprintf("direct/%d", i+1), todo, permission.Build)
		if o.Signal != step.Success {
			return o
		}
		if t, known := tool.All().Named(a.Tool); !known || t.Mutates() && len(p.Now.Tree.Changes) == before {
			return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s: %s", todo.title(), result)}
		}
	}
	return step.Outcome{}
}
