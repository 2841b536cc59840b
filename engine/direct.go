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

// Action is a tool to call, and its arguments: an object that the tool's schema describes.
type Action = work.Action

// DirectTools returns the names of the tools that can work without a model. Tools that ask the user or use the network
// need a model.
func DirectTools() (names []string) {
	for _, t := range tool.Tools() {
		if !t.Person && t.Effect != tool.Network {
			names = append(names, t.Name)
		}
	}
	return names
}

// directly settles a request that names its tools. It makes one attempt, because a second one would do the same, and no model
// writes tests first. The error names a tool that cannot be used this way, and the reason.
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
		return r, fmt.Errorf("a run that only answers accepts no tools: leave out %s, or choose another mode and recipe", r.Direct[0].Tool)
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
			return fmt.Errorf("direct[%d]: %q is no tool that works without a model: choose one of %s", i, a.Tool, strings.Join(DirectTools(), ", "))
		}
		t, _ := tool.Tools().Named(a.Tool) // checked above
		if err := t.Check(a.Args); err != nil {
			return fmt.Errorf("direct[%d]: %w", i, err)
		}
		changes = changes || t.Mutates()
	}
	if !changes {
		return errors.New("direct: none of the tools changes a file, so there is nothing to propose: add one that does, or use forge explore")
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
