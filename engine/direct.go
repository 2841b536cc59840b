package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/pipeline/work"
	"forge/engine/tool"
)

// Action is a tool to be used, and its arguments: an object that the tool's schema describes.
type Action = work.Action

// DirectTools are the names of the tools that can do work without a model. One that asks the user or leaves the machine is
// a model's.
func DirectTools() (names []string) {
	for _, t := range tool.Tools() {
		if !t.Person && t.Effect != tool.Network {
			names = append(names, t.Name)
		}
	}
	return names
}

// directly settles a request whose tools are decided already: there is one attempt, for a second one would do the same, and no
// tests of a model's before it. The error says which tool cannot be used like that, and why.
func (r Request) directly() (Request, error) {
	if len(r.Direct) == 0 {
		return r, nil
	}
	if err := checkActions(r.Direct); err != nil {
		return r, err
	}
	m, err := mode.Lookup(r.Mode)
	switch {
	case err != nil:
		return r, err
	case m.Answers() || pipeline.Reads(mode.Recipe(r.Recipe)):
		return r, fmt.Errorf("a run that only answers uses no tools of yours: leave out %s, or choose another mode and recipe", r.Direct[0].Tool)
	}
	r.Profile = string(mode.Completion)
	r.Bounds.Attempts, r.Bounds.Rounds = 1, mode.Never
	if strings.TrimSpace(r.Task) == "" {
		r.Task = "Use " + strings.Join(toolsOf(r.Direct), ", ") + " as given."
	}
	return r, nil
}

func checkActions(actions []Action) error {
	changes := false
	for i, a := range actions {
		if !slices.Contains(DirectTools(), a.Tool) {
			return fmt.Errorf("direct[%d]: there is no tool %q to use without a model: choose one of %s", i, a.Tool, strings.Join(DirectTools(), ", "))
		}
		t, _ := tool.Tools().Named(a.Tool) // it is one of them
		if err := t.Check(a.Args); err != nil {
			return fmt.Errorf("direct[%d]: %w", i, err)
		}
		changes = changes || t.Mutates()
	}
	if !changes {
		return errors.New("direct: none of the tools changes a file, so there would be nothing to propose: add one that does, or ask with forge explore")
	}
	return nil
}

func toolsOf(actions []Action) []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.Tool
	}
	return names
}
