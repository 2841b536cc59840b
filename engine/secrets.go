package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/secret"
	"forge/engine/step"
	"forge/patch"
)

// The doors through which secrets could leave a run. Inside, texts are what they are, so that edits fit the files:
//
//	to the model       calls of it, as they are made               guardModel
//	from gates, trees  what they print, and files that are shown    guardOutput, guardTool
//	to people          events, and so the file of them              Log.Guard
//	to the journal     texts of files are kept beside it            vault
//
// What a person wrote (the task, diagnostics, entries of memory) has its secrets replaced as it comes in.

// Redact replaces the secrets in a text for people.
func (e *Engine) Redact(text string) string { return e.secrets.Plain(text) }

// redactJSON replaces the secrets in a document.
func (e *Engine) redactJSON(document []byte) []byte {
	document, _ = e.secrets.JSON(document)
	return document
}

// withoutSecrets is a request without the secrets that somebody wrote into it.
func (e *Engine) withoutSecrets(r Request) Request {
	r.Task = e.Redact(r.Task)
	diagnostics := make([]string, len(r.Focus.Diagnostics))
	for i, d := range r.Focus.Diagnostics {
		diagnostics[i] = e.Redact(d)
	}
	if r.Focus.Diagnostics != nil {
		r.Focus.Diagnostics = diagnostics
	}
	r.Direct = slices.Clone(r.Direct)
	for i, a := range r.Direct {
		r.Direct[i].Args = e.redactJSON(a.Args)
	}
	return r
}

// learnFolder makes known what the files of a trusted folder hold that are for secrets. What cannot be read has no secrets
// for a model either, but for a race: the person is told.
func (e *Engine) learnFolder(folder string) {
	root, err := os.OpenRoot(folder)
	if err == nil {
		err = errors.Join(e.secrets.LearnFolder(root.FS()), root.Close())
	}
	if err != nil {
		e.state.Notify(fmt.Sprintf("the secrets of %s could not all be read, and what has no known pattern may be shown to the model: %v", folder, err))
	}
}

// guard puts the activities of a run behind its doors.
func (l *life) guard(workers map[string]flow.Worker) map[string]flow.Worker {
	for name, w := range workers {
		activity := l.guardFailure(w.Activity)
		switch name {
		case step.ActivityModel:
			activity = l.guardModel(activity)
		case step.ActivityTool:
			activity = l.guardTool(activity)
		case step.ActivityContext:
			activity = l.guardContext(activity)
		case step.ActivityDiff:
			activity = l.guardDiff(activity)
		case step.ActivityGate, step.ActivityFiles, step.ActivitySpec, step.ActivityBrief, step.ActivityScopes, step.ActivityDefined, step.ActivityLearn:
			activity = l.guardOutput(activity)
		}
		w.Activity = activity
		workers[name] = w
	}
	return workers
}

// redacted counts what was replaced, and tells of it when there is more.
func (l *life) redacted(found []secret.Found) {
	if !l.tally.Add(found) {
		return
	}
	told := event.SecretsRedacted{}
	for _, c := range l.tally.Counts() {
		told.Secrets = append(told.Secrets, event.Redacted(c))
	}
	l.run.Log.Append(told)
}

// guardModel replaces the secrets in what a model is asked, and tells it what the marks are.
func (l *life) guardModel(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		safe, err := l.withoutSecrets(input)
		if err != nil {
			return nil, err
		}
		output, err := do(ctx, key, safe)
		if err != nil || writes(input) {
			return output, err
		}
		output, found := l.engine.secrets.JSON(output)
		l.redacted(found)
		return output, nil
	}
}

// writes reports whether what a model answers to a call is to be written: that is left as it is. What others say is for people and
// models, and may be of a secret that they know from elsewhere.
func writes(input json.RawMessage) bool {
	var call struct{ Request struct{ Node string } } // of step.ModelCall, which is long
	return json.Unmarshal(input, &call) != nil || llm.NodeRole(call.Request.Node) == pipeline.Writing
}

// withoutSecrets is a call of a model as it is sent. What the marks are is said at its end, so that a mark in one attempt does
// not change how the attempts begin.
func (l *life) withoutSecrets(input json.RawMessage) (json.RawMessage, error) {
	safe, found := l.engine.secrets.JSON(input)
	l.redacted(found)
	if secret.MarkIn(string(safe)) == "" {
		return safe, nil
	}
	var call step.ModelCall
	if err := json.Unmarshal(safe, &call); err != nil {
		return nil, fmt.Errorf("understand a call of the model: %w", err)
	}
	if last := len(call.Request.Messages) - 1; last >= 0 {
		call.Request.Messages[last].Text += secret.Rule
	}
	safe, err := json.Marshal(call)
	if err != nil {
		return nil, fmt.Errorf("write a call of the model: %w", err)
	}
	return safe, nil
}

// guardOutput replaces the secrets in what an activity gives.
func (l *life) guardOutput(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		if err != nil {
			return nil, err
		}
		output, found := l.engine.secrets.JSON(output)
		l.redacted(found)
		return output, nil
	}
}

// guardContext replaces the secrets in files that a model is shown, each as the kind of file it is.
func (l *life) guardContext(do flow.Activity) flow.Activity {
	return l.guardOutput(func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		if err != nil {
			return nil, err
		}
		var shown step.Context
		if err := json.Unmarshal(output, &shown); err != nil {
			return nil, fmt.Errorf("understand what a model is shown: %w", err)
		}
		var all []secret.Found
		for i, f := range shown.Files {
			text, found := l.engine.secrets.File(f.Path, f.Text)
			shown.Files[i].Text = text
			all = append(all, found...)
		}
		l.redacted(all)
		return json.Marshal(shown)
	})
}

// guardDiff replaces the secrets in what is not committed yet, each text as the kind of file it is.
func (l *life) guardDiff(do flow.Activity) flow.Activity {
	return l.guardOutput(func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		if err != nil {
			return nil, err
		}
		var diff step.Uncommitted
		if err := json.Unmarshal(output, &diff); err != nil {
			return nil, fmt.Errorf("understand what is not committed: %w", err)
		}
		var all []secret.Found
		for i := range diff.Changes.Files {
			f := &diff.Changes.Files[i]
			for _, text := range []*string{&f.Before, &f.After} {
				safe, found := l.engine.secrets.File(f.Path, *text)
				*text, all = safe, append(all, found...)
			}
		}
		l.redacted(all)
		return json.Marshal(diff)
	})
}

// guardTool replaces the secrets in what a tool says. What it makes of files stays what it is: it is to be written.
func (l *life) guardTool(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		if err != nil {
			return nil, err
		}
		var said step.ToolResult
		if err := json.Unmarshal(output, &said); err != nil {
			return nil, fmt.Errorf("understand what a tool says: %w", err)
		}
		change := said.Change
		said.Change = patch.ChangeSet{}
		output, err = json.Marshal(said)
		if err != nil {
			return nil, fmt.Errorf("write what a tool says: %w", err)
		}
		safe, found := l.engine.secrets.JSON(output)
		l.redacted(found)
		if len(change.Files) == 0 {
			return safe, nil
		}
		if err := json.Unmarshal(safe, &said); err != nil {
			return nil, fmt.Errorf("understand what a tool says: %w", err)
		}
		said.Change = change
		return json.Marshal(said)
	}
}

// guardFailure replaces the secrets in what an activity says that failed.
func (l *life) guardFailure(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		var failed *flow.Failure
		if errors.As(err, &failed) {
			return nil, &flow.Failure{Kind: failed.Kind, Message: l.engine.Redact(failed.Message)}
		}
		return output, err
	}
}
