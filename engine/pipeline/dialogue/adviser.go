package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/agent"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
)

// Glance is a request to a reading tool, by a model that plans or judges.
type Glance struct {
	Provider string        `json:"provider"`
	Args     tool.LookArgs `json:"args"`
	Why      string        `json:"why" jsonschema:"a few words"`
}

// maxGlances is how often such a model may see more before it must answer.
const maxGlances = 2

const glanceRule = `
- "requests": normally empty. Only if you cannot decide with what is shown, ask for at most eight calls of tools, each with "provider", "args"
  and "why" (a few words), and leave the other fields empty: you are asked again, with the results.
The tools:
`

// Adviser is a model that plans or judges, and that may look at files first. Its tools only read the tree.
type Adviser struct {
	looks *Looker
}

// NewAdviser returns the model of an agent for a node of a module.
func NewAdviser(u *work.Module, name string, tree step.State) Adviser {
	return Adviser{&Looker{Module: u, Agent: agent.Named(name), Tree: tree, Findings: &work.Findings{}, Charged: true}}
}

// Rules returns the part of the instructions about its tools.
func (a Adviser) Rules() string { return glanceRule + a.looks.Agent.Set().Describe() }

// Answer asks for the answer of a step, whose wants returns what the model asks to see first. It is asked again with the results, in steps
// of their own keys.
func Answer[T any](ctx context.Context, a Adviser, n graph.Node, s step.Step[T], wants func(T) []Glance, ask func(step.Step[T]) (T, step.Outcome)) (T, step.Outcome) {
	document, key, check := s.Document, s.Key, s.Check
	for round := 0; ; round++ {
		s.Check = func(answer T) error {
			switch asked := len(wants(answer)); {
			case asked == 0:
				return check(answer)
			case round == maxGlances:
				return errors.New(`no more tools are called: leave "requests" empty, and answer`)
			default:
				return CheckRequests(asked)
			}
		}
		answer, o := ask(s)
		if o.Signal != step.Success || len(wants(answer)) == 0 {
			return answer, o
		}
		s.Key = fmt.Sprintf("%s/looked %d", key, round+1)
		if _, o := a.looks.Look(ctx, n, s.Name+"/"+s.Key, glances(wants(answer))); o.Signal != step.Success {
			return answer, o
		}
		s.Document = document.With(a.looks.Findings.Sections()...)
	}
}

func glances(asked []Glance) []Request {
	requests := make([]Request, len(asked))
	for i, g := range asked {
		args, _ := json.Marshal(g.Args) // strings, numbers and lists of them
		requests[i] = Request{Tool: g.Provider, Args: args}
	}
	return requests
}
