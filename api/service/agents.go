package service

import (
	"context"
	"fmt"
	"strings"

	"forge/api"
	"forge/engine"
	"forge/memory"
)

// AgentStore lists the agents of a folder, and what runs had them find out.
type AgentStore interface {
	Agents(ctx context.Context, root string) (engine.Agents, error)
	Errands(ctx context.Context, root, run string) ([]memory.Errand, error)
}

// ListAgents answers forge.agents.list.
func ListAgents(ctx context.Context, e AgentStore, in Folder, _ *api.FolderArgs) (api.AgentsResult, error) {
	found, err := e.Agents(ctx, in.Path)
	return agentsOf(found), err
}

// ShowAgent answers forge.agents.show. An unknown name is an *InputError.
func ShowAgent(ctx context.Context, e AgentStore, in Folder, a *api.AgentArgs) (api.AgentResult, error) {
	found, err := e.Agents(ctx, in.Path)
	if err != nil {
		return api.AgentResult{}, err
	}
	var known []string
	for _, one := range found.All {
		if one.Name == a.Name {
			return api.AgentResult{Agent: agentOf(one), Instructions: one.Instructions}, nil
		}
		known = append(known, one.Name)
	}
	return api.AgentResult{}, &InputError{fmt.Errorf("there is no agent %q; there are: %s", a.Name, strings.Join(known, ", "))}
}

// ListErrands answers forge.agents.runs.
func ListErrands(ctx context.Context, e AgentStore, in Folder, a *api.ErrandsArgs) (api.ErrandsResult, error) {
	errands, err := e.Errands(ctx, in.Path, a.RunID)
	return errandsOf(errands), err
}
