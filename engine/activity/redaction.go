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

// Redaction replaces secrets in arguments and results of the activities of one run, and reports what it has replaced.
type Redaction struct {
	Secrets *secret.Redactor
	Report  func(event.SecretsRedacted)
	Writer  string   // the node whose answers are written into files
	Exact   []string // names of activities, in addition to those of this package, whose output stays as it is

	tally secret.Tally
}

// exact are the activities whose output is not redacted: texts that are written into files, names of files, and the user's answers.
// The door of a later activity redacts what leaves the run. The output of every other activity is redacted.
var exact = []string{
	step.ActivityUnits.Name, step.ActivityCode.Name, step.ActivityWindows.Name, step.ActivityFormat.Name, step.ActivityRead.Name,
	step.ActivityWrite.Name, step.ActivityKeep.Name, step.ActivityAsk.Name,
}

// Guard wraps the activities of a run, by name, with their redaction. It changes and returns workers.
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

// door redacts the input and the output of an activity; nil leaves them as they are.
type door struct {
	in  func(input json.RawMessage) (json.RawMessage, error)
	out func(input, output json.RawMessage) (json.RawMessage, error)
}

// door returns the door of an activity, by its name.
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

// guarded wraps an activity with a door. It also redacts the message of a failure.
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

// answer redacts the answer of a model, unless it is written into files.
func (r *Redaction) answer(input, output json.RawMessage) (json.RawMessage, error) {
	if r.writes(input) {
		return output, nil
	}
	return r.output(input, output)
}

// writes reports whether the answer to a call is written into files: then it must stay as it is. Other answers are for users and models; even
// a redacted prompt may be answered with a secret.
func (r *Redaction) writes(input json.RawMessage) bool {
	var call struct{ Request struct{ Node string } } // of step.ModelCall, which is long
	return json.Unmarshal(input, &call) != nil || llm.NodeRole(call.Request.Node) == r.Writer
}

// Call redacts a call of a model (a step.ModelCall) before it is sent. The explanation of the marks is at its end, so that a mark in one attempt
// does not change the common beginning of all.
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

// output replaces the secrets in the result of an activity.
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

// tool redacts the result of a tool, but not its change, which is written into files.
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
