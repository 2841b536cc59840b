package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/secret"
	"forge/engine/step"
	"forge/patch"
)

// redaction replaces secrets in what the activities of one run take and give, and reports what it has replaced.
type redaction struct {
	secrets *secret.Redactor
	report  func(event.SecretsRedacted)
	tally   secret.Tally
}

// redaction replaces the secrets of the run, and reports what it has replaced as an event.
func (l *Execution) redaction() *redaction {
	return &redaction{secrets: l.host.Secrets.Redactor, report: func(all event.SecretsRedacted) { l.Run.Log.Append(all) }}
}

// exact are the activities whose output has to stay as it is: texts that are written into files, names of files, and what the user said.
// What of it leaves the run passes a door of its own. The output of every other activity is redacted.
var exact = map[string]bool{
	activitySnapshot.Name: true, step.ActivityUnits.Name: true, step.ActivityCode.Name: true, step.ActivityWindows.Name: true, step.ActivityFormat.Name: true, step.ActivityRead.Name: true,
	step.ActivityWrite.Name: true, step.ActivityKeep.Name: true, step.ActivityAsk.Name: true,
}

// guard puts the activities of a run behind its doors.
func (r *redaction) guard(workers map[string]flow.Worker) map[string]flow.Worker {
	special := map[string]func(flow.Activity) flow.Activity{
		step.ActivityModel.Name: r.model, step.ActivityTool.Name: r.tool, step.ActivityContext.Name: r.context, step.ActivityDiff.Name: r.diff,
	}
	for name, w := range workers {
		w.Activity = r.failure(w.Activity)
		if door, found := special[name]; found {
			w.Activity = door(w.Activity)
		} else if !exact[name] {
			w.Activity = r.output(w.Activity)
		}
		workers[name] = w
	}
	return workers
}

// add counts what was replaced, and reports it when there is more.
func (r *redaction) add(found []secret.Found) {
	if !r.tally.Add(found) {
		return
	}
	var all []event.Redacted
	for _, c := range r.tally.Counts() {
		all = append(all, event.Redacted(c))
	}
	r.report(event.RedactedSecrets(all))
}

// model replaces the secrets in what a model is asked, and tells it what the marks are.
func (r *redaction) model(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		safe, err := r.call(input)
		if err != nil {
			return nil, err
		}
		output, err := do(ctx, key, safe)
		if err != nil || writes(input) {
			return output, err
		}
		output, found := r.secrets.JSON(output)
		r.add(found)
		return output, nil
	}
}

// writes reports whether what a model answers to a call is to be written: that is left as it is. What others say is for people and
// models, and may be of a secret that they know from elsewhere.
func writes(input json.RawMessage) bool {
	var call struct{ Request struct{ Node string } } // of step.ModelCall, which is long
	return json.Unmarshal(input, &call) != nil || llm.NodeRole(call.Request.Node) == pipeline.Writing
}

// call is a call of a model as it is sent. What the marks are is said at its end, so that a mark in one attempt does
// not change how the attempts begin.
func (r *redaction) call(input json.RawMessage) (json.RawMessage, error) {
	safe, found := r.secrets.JSON(input)
	r.add(found)
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

// output replaces the secrets in what an activity gives.
func (r *redaction) output(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		if err != nil {
			return nil, err
		}
		output, found := r.secrets.JSON(output)
		r.add(found)
		return output, nil
	}
}

// context replaces the secrets in files that a model is shown, each as the kind of file it is.
func (r *redaction) context(do flow.Activity) flow.Activity {
	return r.output(func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
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
			text, found := r.secrets.File(f.Path, f.Text)
			shown.Files[i].Text = text
			all = append(all, found...)
		}
		r.add(all)
		return json.Marshal(shown)
	})
}

// diff replaces the secrets in what is not committed yet, each text as the kind of file it is.
func (r *redaction) diff(do flow.Activity) flow.Activity {
	return r.output(func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
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
				safe, found := r.secrets.File(f.Path, *text)
				*text, all = safe, append(all, found...)
			}
		}
		r.add(all)
		return json.Marshal(diff)
	})
}

// tool replaces the secrets in what a tool says. What it makes of files stays what it is: it is to be written.
func (r *redaction) tool(do flow.Activity) flow.Activity {
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
		safe, found := r.secrets.JSON(output)
		r.add(found)
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

// failure replaces the secrets in what an activity says that failed.
func (r *redaction) failure(do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		output, err := do(ctx, key, input)
		var failed *flow.Failure
		if errors.As(err, &failed) {
			return nil, &flow.Failure{Kind: failed.Kind, Message: r.secrets.Plain(failed.Message)}
		}
		return output, err
	}
}
