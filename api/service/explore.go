package service

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/api"
	"forge/engine"
	"forge/engine/workspace"
)

// Explorer asks one provider of a folder what a model would read.
type Explorer interface {
	Explore(ctx context.Context, s workspace.Snapshot, provider string, args json.RawMessage) (engine.Explored, error)
}

// Explore answers forge.explore.
func Explore(ctx context.Context, e Explorer, in Folder, a *api.ExploreArgs) (api.ExploreResult, error) {
	args, err := json.Marshal(a) // under the names that providers have; what is not theirs, they leave
	if err != nil {
		return api.ExploreResult{}, fmt.Errorf("write down what is asked: %w", err)
	}
	r, err := e.Explore(ctx, in.Snapshot(), a.Provider, args)
	if err != nil {
		return api.ExploreResult{}, err
	}
	return api.ExploreResult{Folder: in.URI, Provider: a.Provider, Text: r.Text, Failed: r.Failed, Cut: r.Cut}, nil
}

// SkillStore is the skills that runs in a folder know.
type SkillStore interface {
	Skills(ctx context.Context, root string) (engine.Skills, error)
}

// ListSkills answers forge.skills.
func ListSkills(ctx context.Context, e SkillStore, in Folder, a *api.SkillsArgs) (api.SkillsResult, error) {
	found, err := e.Skills(ctx, in.Path)
	return api.SkillsOf(found, a.Type), err
}
