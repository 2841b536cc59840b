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
	for name, w := range workers {
		w.Activity = r.guarded(r.door(name), w.Activity)
		workers[name] = w
	}
	return workers
}

// door is what happens to what goes into an activity and comes out of it; nil leaves it as it is.
type door struct {
	in  func(input json.RawMessage) (json.RawMessage, error)
	out func(input, output json.RawMessage) (json.RawMessage, error)
}

// door is that of an activity, by its name.
func (r *redaction) door(name string) door {
	switch name {
	case step.ActivityModel.Name:
		return door{in: r.call, out: r.answer}
	case step.ActivityTool.Name:
		return door{out: r.tool}
	case step.ActivityContext.Name:
		return door{out: r.context}
	case step.ActivityDiff.Name:
		return door{out: r.diff}
	}
	if exact[name] {
		return door{}
	}
	return door{out: r.output}
}

// guarded is an activity behind its door. What it says of a failure has no secrets either.
func (r *redaction) guarded(d door, do flow.Activity) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		safe := input
		if d.in != nil {
			var err error
			if safe, err = d.in(input); err != nil {
				return nil, err
			}
		}
		output, err := do(ctx, key, safe)
		var failed *flow.Failure
		switch {
		case errors.As(err, &failed):
			return nil, &flow.Failure{Kind: failed.Kind, Message: r.secrets.Plain(failed.Message)}
		case err != nil || d.out == nil:
			return output, err
		}
		return d.out(input, output)
	}
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

// answer replaces the secrets in what a model answers, but in what is to be written.
func (r *redaction) answer(input, output json.RawMessage) (json.RawMessage, error) {
	if writes(input) {
		return output, nil
	}
	return r.output(input, output)
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
func (r *redaction) output(_, output json.RawMessage) (json.RawMessage, error) {
	output, found := r.secrets.JSON(output)
	r.add(found)
	return output, nil
}

// context replaces the secrets in files that a model is shown, each as the kind of file it is.
func (r *redaction) context(input, output json.RawMessage) (json.RawMessage, error) {
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
	return r.written(input, shown)
}

// diff replaces the secrets in what is not committed yet, each text as the kind of file it is.
func (r *redaction) diff(input, output json.RawMessage) (json.RawMessage, error) {
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
	return r.written(input, diff)
}

// tool replaces the secrets in what a tool says. What it makes of files stays what it is: it is to be written.
func (r *redaction) tool(input, output json.RawMessage) (json.RawMessage, error) {
	var said step.ToolResult
	if err := json.Unmarshal(output, &said); err != nil {
		return nil, fmt.Errorf("understand what a tool says: %w", err)
	}
	change := said.Change
	said.Change = patch.ChangeSet{}
	safe, err := r.written(input, said)
	if err != nil || len(change.Files) == 0 {
		return safe, err
	}
	if err := json.Unmarshal(safe, &said); err != nil {
		return nil, fmt.Errorf("understand what a tool says: %w", err)
	}
	said.Change = change
	return json.Marshal(said)
}

// written is a value as JSON, without its secrets.
func (r *redaction) written(input json.RawMessage, value any) (json.RawMessage, error) {
	output, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write what an activity gives: %w", err)
	}
	return r.output(input, output)
}
