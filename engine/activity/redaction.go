package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/secret"
	"forge/engine/step"
	"forge/patch"
)

// Redaction replaces secrets in what the activities of one run take and give, and reports what it has replaced.
type Redaction struct {
	Secrets *secret.Redactor
	Report  func(event.SecretsRedacted)
	Writer  string   // the node whose answers are written into files
	Exact   []string // names of activities, beside those of this package, whose output stays as it is

	tally secret.Tally
}

// exact are the activities whose output has to stay as it is: texts that are written into files, names of files, and what the user said.
// Another door redacts the part of it that leaves the run. The output of every other activity is redacted.
var exact = []string{
	step.ActivityUnits.Name, step.ActivityCode.Name, step.ActivityWindows.Name, step.ActivityFormat.Name, step.ActivityRead.Name,
	step.ActivityWrite.Name, step.ActivityKeep.Name, step.ActivityAsk.Name,
}

// Guard puts the activities of a run behind its doors.
func (r *Redaction) Guard(workers map[string]flow.Worker) map[string]flow.Worker {
	for name, w := range workers {
		w.Activity = r.guarded(r.door(name), w.Activity)
		if w.Again != nil {
			w.Again = r.guarded(r.door(name), w.Again)
		}
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
func (r *Redaction) door(name string) door {
	switch name {
	case step.ActivityModel.Name:
		return door{in: r.Call, out: r.answer}
	case step.ActivityTool.Name, step.ActivityMCP.Name:
		return door{out: r.tool}
	case step.ActivityContext.Name:
		return door{out: edited(r, r.context)}
	case step.ActivityDiff.Name:
		return door{out: edited(r, r.diff)}
	}
	if slices.Contains(exact, name) || slices.Contains(r.Exact, name) {
		return door{}
	}
	return door{out: r.output}
}

// guarded is an activity behind its door. What it says of a failure has no secrets either.
func (r *Redaction) guarded(d door, do flow.Activity) flow.Activity {
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
			return nil, &flow.Failure{Kind: failed.Kind, Message: r.Secrets.Plain(failed.Message)}
		case err != nil || d.out == nil:
			return output, err
		}
		return d.out(input, output)
	}
}

// add counts what was replaced, and reports it when there is more.
func (r *Redaction) add(found []secret.Found) {
	if !r.tally.Add(found) {
		return
	}
	var all []event.Redacted
	for _, c := range r.tally.Counts() {
		all = append(all, event.Redacted(c))
	}
	r.Report(event.RedactedSecrets(all))
}

// answer replaces the secrets in what a model answers, but in what is to be written.
func (r *Redaction) answer(input, output json.RawMessage) (json.RawMessage, error) {
	if r.writes(input) {
		return output, nil
	}
	return r.output(input, output)
}

// writes reports whether what a model answers to a call is to be written: that is left as it is. What others say is for users and
// models, and may be of a secret that they know from elsewhere.
func (r *Redaction) writes(input json.RawMessage) bool {
	var call struct{ Request struct{ Node string } } // of step.ModelCall, which is long
	return json.Unmarshal(input, &call) != nil || llm.NodeRole(call.Request.Node) == r.Writer
}

// Call is a call of a model (step.ModelCall) as it is sent. What the marks are is said at its end, so that a mark in one attempt does
// not change how the attempts begin.
func (r *Redaction) Call(input json.RawMessage) (json.RawMessage, error) {
	safe, found := r.Secrets.JSON(input)
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
func (r *Redaction) output(_, output json.RawMessage) (json.RawMessage, error) {
	output, found := r.Secrets.JSON(output)
	r.add(found)
	return output, nil
}

// edited is a door for the output of an activity that is a T: edit replaces the secrets that depend on where they are, and the rest is
// redacted as any output is.
func edited[T any](r *Redaction, edit func(*T) []secret.Found) func(input, output json.RawMessage) (json.RawMessage, error) {
	return func(input, output json.RawMessage) (json.RawMessage, error) {
		var value T
		if err := json.Unmarshal(output, &value); err != nil {
			return nil, fmt.Errorf("read what an activity gives: %w", err)
		}
		r.add(edit(&value))
		return r.written(input, value)
	}
}

// context replaces the secrets in files that a model is shown, each as the kind of file it is.
func (r *Redaction) context(shown *step.Context) (all []secret.Found) {
	for i, f := range shown.Files {
		text, found := r.Secrets.File(f.Path, f.Text)
		shown.Files[i].Text, all = text, append(all, found...)
	}
	return all
}

// diff replaces the secrets in what is not committed yet, each text as the kind of file it is.
func (r *Redaction) diff(diff *step.Uncommitted) (all []secret.Found) {
	for i := range diff.Changes.Files {
		f := &diff.Changes.Files[i]
		for _, text := range []*string{&f.Before, &f.After} {
			safe, found := r.Secrets.File(f.Path, *text)
			*text, all = safe, append(all, found...)
		}
	}
	return all
}

// tool replaces the secrets in what a tool says. What it makes of files stays what it is: it is to be written.
func (r *Redaction) tool(input, output json.RawMessage) (json.RawMessage, error) {
	var change patch.ChangeSet
	safe, err := edited(r, func(said *step.ToolResult) []secret.Found {
		change, said.Change = said.Change, change
		return nil
	})(input, output)
	if err != nil || len(change.Files) == 0 {
		return safe, err
	}
	var said step.ToolResult
	if err := json.Unmarshal(safe, &said); err != nil {
		return nil, fmt.Errorf("read what a tool says: %w", err)
	}
	said.Change = change
	return json.Marshal(said)
}

// written is a value as JSON, without its secrets.
func (r *Redaction) written(input json.RawMessage, value any) (json.RawMessage, error) {
	output, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write what an activity gives: %w", err)
	}
	return r.output(input, output)
}
