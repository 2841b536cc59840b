package dialogue

import (
	"context"

	"forge/engine/step"
	"forge/engine/tool"
)

// wireAnswer is an answer in the form for the model: with the fields that its profile offers.
type wireAnswer interface{ answer() answer }

// onceAnswer is the answer of a model that returns the whole change at once, and may ask to see more first.
type onceAnswer struct {
	Explanation string        `json:"explanation" jsonschema:"two sentences for a reviewer"`
	Files       []fileEdit    `json:"files,omitempty" jsonschema:"whole files"`
	Edits       []replacement `json:"edits,omitempty" jsonschema:"texts to replace in existing files"`
	Patch       string        `json:"patch,omitempty" jsonschema:"a V4A patch, or empty"`
	Actions     []sweep       `json:"actions,omitempty" jsonschema:"renames and replacements, normally empty"`
	Requests    []look        `json:"requests,omitempty" jsonschema:"what has to be looked at first, normally empty"`
	Done        bool          `json:"done,omitempty" jsonschema:"nothing is left to do"`
	Blocked     string        `json:"blocked,omitempty" jsonschema:"what is missing, normally empty"`
	Concerns    []string      `json:"concerns,omitempty" jsonschema:"what a reviewer should look at twice, normally empty"`
}

// look is a call of a read-only tool.
type look struct {
	Tool string        `json:"tool"`
	Args tool.LookArgs `json:"args"`
}

// sweep is a rename or a replacement in the whole folder.
type sweep struct {
	Tool string         `json:"tool"`
	Args tool.SweepArgs `json:"args"`
}

func (a onceAnswer) answer() answer {
	whole := answer{
		Explanation: a.Explanation, Files: a.Files, Edits: a.Edits, Patch: a.Patch, Done: a.Done, Blocked: a.Blocked, Concerns: a.Concerns,
	}
	for _, s := range a.Actions {
		whole.Actions = append(whole.Actions, action{Tool: s.Tool, Args: s.Args.Args()})
	}
	for _, r := range a.Requests {
		whole.Requests = append(whole.Requests, action{Tool: r.Tool, Args: r.Args.Args()})
	}
	return whole
}

// turnAnswer is the answer of a model that works in turns.
type turnAnswer struct {
	Explanation string        `json:"explanation" jsonschema:"two sentences for a reviewer"`
	Files       []fileEdit    `json:"files,omitempty" jsonschema:"whole files"`
	Edits       []replacement `json:"edits,omitempty" jsonschema:"texts to replace in existing files"`
	Patch       string        `json:"patch,omitempty" jsonschema:"a V4A patch, or empty"`
	Actions     []action      `json:"actions,omitempty" jsonschema:"tools to use now"`
	Done        bool          `json:"done,omitempty" jsonschema:"nothing is left to do"`
	Blocked     string        `json:"blocked,omitempty" jsonschema:"what is missing, normally empty"`
	Concerns    []string      `json:"concerns,omitempty" jsonschema:"what a reviewer should look at twice, normally empty"`
}

func (a turnAnswer) answer() answer {
	return answer{
		Explanation: a.Explanation, Files: a.Files, Edits: a.Edits, Patch: a.Patch, Actions: a.Actions, Done: a.Done, Blocked: a.Blocked, Concerns: a.Concerns,
	}
}

// askFor requests an answer in the form of T.
func askFor[T wireAnswer](ctx context.Context, env step.Env, s step.Step[answer]) (answer, step.Outcome) {
	said, o := step.Do(ctx, env, step.Step[T]{
		Place: s.Place, Name: s.Name, Key: s.Key, Document: s.Document, MaxTokens: s.MaxTokens,
		Check:   func(a T) error { return s.Check(a.answer()) },
		Refused: func(text string, a T) bool { return s.Refused(text, a.answer()) },
	})
	return said.answer(), o
}
