package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/step"
	"forge/engine/workspace"
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

// ErrUntrusted says that nothing of a folder is read for a prompt because nobody has said that it is trusted.
var ErrUntrusted = errors.New("the folder is not trusted, so that nothing in it is read for a prompt: a run asks whether it is")

// Preview tells what a node would ask a model first if the run were started now, byte for byte, by the way that a run takes
// to it. No model is asked, nothing of the folder is executed and nothing is kept. The folder must be trusted: a run asks
// for that before it reads anything.
func (e *Engine) Preview(ctx context.Context, r Request, node string) (Preview, error) {
	return e.PreviewAfter(ctx, r, node, patch.ChangeSet{})
}

// PreviewAfter is Preview of a run that has written these tests before.
func (e *Engine) PreviewAfter(ctx context.Context, r Request, node string, tests patch.ChangeSet) (Preview, error) {
	set := e.settings(ctx, r.Snapshot.Root)
	r, err := e.secrets.request(r).settled(set)
	if err != nil {
		return Preview{}, err
	}
	trusted, err := e.Trusted(r.Snapshot.Root)
	if err != nil {
		return Preview{}, err
	}
	if !trusted {
		return Preview{}, fmt.Errorf("%s: %w", r.Snapshot.Root, ErrUntrusted)
	}
	run := &Run{ID: "preview", Task: r.Task, Root: r.Snapshot.Root, Log: event.NewLog("preview", e.options.Now)}
	l := &life{engine: e, run: run, params: paramsOf(r, set)}
	e.secrets.learn(l.params.Root)
	if err := workspace.CheckRoot(l.params.Root); err != nil {
		return Preview{}, err
	}
	return l.preview(ctx, node, tests)
}

func (l *life) preview(ctx context.Context, node string, tests patch.ChangeSet) (Preview, error) {
	repo, err := l.engine.state.Repo(ctx, l.params.Root)
	if err != nil {
		return Preview{}, err
	}
	defer l.openTrees(repo)()
	l.params.Windows = l.engine.options.Chooser != nil && l.choose(ctx) == nil // without a model there is a prompt all the same
	f := flow.InMemory(l.run.ID, l.workers(ctx, repo), flow.DriverOptions{Now: l.engine.options.Now})
	env, err := l.starting(ctx, f)
	if err != nil {
		return Preview{}, err
	}
	call, err := pipeline.Preview(ctx, env, l.params.task(), node, tests)
	if err != nil {
		return Preview{}, err
	}
	return l.shown(node, call)
}

// shown is a call as it would be sent.
func (l *life) shown(node string, call step.ModelCall) (Preview, error) {
	made, err := json.Marshal(call)
	if err != nil {
		return Preview{}, fmt.Errorf("write a call of the model: %w", err)
	}
	safe, err := l.redaction().call(made)
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
