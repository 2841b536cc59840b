package execution

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/step"
	"forge/patch"
)

// Preview is what a node of a run would ask a model first.
type Preview struct {
	Node     string
	Model    string // as people know it; empty where none can be chosen
	Request  llm.Request
	Manifest llm.Manifest // of the request as it was made, before what is secret in it was replaced
	// Redacted says that something secret was replaced by marks: then the request is not byte for byte what the manifest is of.
	Redacted bool
}

// Preview is what a node would ask a model first in a run with these params, which has written tests before. Nothing is kept.
func (h *Host) Preview(ctx context.Context, p Params, node string, tests patch.ChangeSet) (Preview, error) {
	l := h.New("preview", nil, p)
	h.Secrets.Learn(p.Root)
	repo, err := l.host.State.Repo(ctx, l.params.Root)
	if err != nil {
		return Preview{}, err
	}
	defer l.openTrees(repo)()
	l.params.Windows = l.host.Chooser != nil && l.choose(ctx) == nil // without a model there is a prompt all the same
	f := flow.InMemory(l.Run.ID, l.workers(ctx, repo), flow.DriverOptions{Now: l.host.Now})
	env, err := l.starting(ctx, f)
	if err != nil {
		return Preview{}, err
	}
	call, err := pipeline.Preview(ctx, env, l.params.Pipeline(), node, tests)
	if err != nil {
		return Preview{}, err
	}
	return l.shown(node, call)
}

// shown is a call as it would be sent.
func (l *Execution) shown(node string, call step.ModelCall) (Preview, error) {
	made, err := json.Marshal(call)
	if err != nil {
		return Preview{}, fmt.Errorf("write a call of the model: %w", err)
	}
	safe, err := l.host.Secrets.redaction(func(all event.SecretsRedacted) { l.Run.Log.Append(all) }).Call(made)
	if err != nil {
		return Preview{}, err
	}
	var sent step.ModelCall
	if err := json.Unmarshal(safe, &sent); err != nil {
		return Preview{}, fmt.Errorf("understand a call of the model: %w", err)
	}
	return Preview{
		Node: node, Model: l.model, Request: sent.Request, Manifest: sent.Manifest,
		Redacted: sent.Request.Hash() != call.Request.Hash(),
	}, nil
}
