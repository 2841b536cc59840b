package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"forge/engine/agent"
	"forge/engine/llm"
	"forge/engine/pipeline"
)

// Agents are the agents of runs in a folder.
type Agents struct {
	All      []agent.Agent // the built-in ones, those of the folder, then those of the user
	Problems []agent.Problem
	// Untrusted means that the folder may have agents that were not read, because it is not trusted.
	Untrusted bool
}

// Agents lists the agents of a folder and of the user, with the tiers that the user's settings give their roles. It reads none of an
// untrusted folder.
func (e *Engine) Agents(ctx context.Context, root string) (found Agents, err error) {
	trusted, err := e.Trusted(root)
	if err != nil {
		return found, err
	}
	roots := e.host.Agents
	found.Untrusted = !trusted
	if trusted {
		folder, err := os.OpenRoot(root)
		if err != nil {
			return found, fmt.Errorf("read the agents of %s: %w", root, err)
		}
		defer func() { _ = folder.Close() }() // only read
		own, err := agent.Within(folder.FS())
		if err != nil {
			return found, fmt.Errorf("read the agents of %s: %w", root, err)
		}
		roots = append([]agent.Root{own}, roots...)
	}
	added, problems := agent.Read(agent.Files(roots...))
	for i := range added {
		added[i].Description, added[i].Instructions = e.Redact(added[i].Description), e.Redact(added[i].Instructions)
	}
	found.All, found.Problems = slices.Concat(pipeline.Agents(), added), problems
	tiers := e.settings(ctx, root).Roles
	for _, a := range found.All {
		for i, r := range a.Roles {
			own, set := llm.Tier(""), r.Tier // the settings decide about a built-in agent, and the file about another one
			if a.Source != "" {
				own, set = r.Tier, ""
			}
			a.Roles[i].Tier = cmp.Or(own, tiers[r.Name], set, llm.Generation)
		}
	}
	return found, nil
}
