package lsp

import (
	"encoding/json"
	"fmt"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/mode"
	"forge/engine/spend"
	"forge/lsp/transport"
)

// boundsOf reads how far a run goes. The error names the argument, its value and the range.
func boundsOf(b *api.Bounds) (bounds mode.Bounds, err error) {
	if b == nil {
		return bounds, nil
	}
	for _, said := range []struct {
		field string
		bound mode.Bound
		value int
	}{
		{"attempts", mode.Attempts, b.Attempts}, {"maxHops", mode.Hops, b.MaxHops}, {"tasks", mode.Tasks, b.Tasks},
		{"writers", mode.Writers, b.Writers}, {"exploreRounds", mode.Rounds, b.Rounds},
	} {
		if said.value == 0 {
			continue
		}
		said.bound.Setting = "bounds." + said.field
		if err := said.bound.Set(&bounds, said.value); err != nil {
			return bounds, transport.InvalidParams("%v", err)
		}
	}
	if b.NoExplore {
		bounds.Rounds = mode.Never
	}
	return bounds, nil
}

// directOf are the tools that do the work. The engine judges their arguments.
func directOf(tools []api.Direct) ([]engine.Action, error) {
	var actions []engine.Action
	for i, t := range tools {
		args, err := json.Marshal(t.Args)
		if err != nil {
			return nil, fmt.Errorf("read direct[%d].args: %w", i, err)
		}
		actions = append(actions, engine.Action{Tool: t.Tool, Args: args})
	}
	return actions, nil
}

// limitsOf are limits as the engine knows them; nil is none.
func limitsOf(l *api.Limits) engine.Limits {
	if l == nil {
		return engine.Limits{}
	}
	return engine.Limits{Tokens: l.Tokens, MicroUSD: spend.Micro(l.CostUSD), Duration: time.Duration(l.Minutes) * time.Minute}
}
