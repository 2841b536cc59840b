package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
)

// request is the task and what the person pointed at: the end of every document's stable part.
func (r *run) request() []prompt.Section {
	sections := []prompt.Section{r.layer(), {Kind: prompt.Request, Name: "Task", Text: r.task.Text}}
	f := r.task.Focus
	if f.Path == "" {
		return sections
	}
	where := f.Path
	if f.StartLine > 0 {
		where = fmt.Sprintf("%s, lines %d to %d", f.Path, f.StartLine, f.EndLine)
	}
	sections = append(sections, prompt.Section{Kind: prompt.Request, Name: "What the task points at", Text: where})
	if len(f.Diagnostics) > 0 {
		sections = append(sections, prompt.Section{Kind: prompt.Request, Name: "Diagnostics to fix", Text: strings.Join(f.Diagnostics, "\n"), Data: true})
	}
	return sections
}

// overview lists the files of a tree. name is the step's.
func (r *run) overview(ctx context.Context, n graph.Node, name string) (prompt.Section, error) {
	list, err := step.Call[step.Listing](ctx, r.Flow, at(n), name, step.ActivityFiles, r.base())
	return overview(list), err
}

func overview(list step.Listing) prompt.Section {
	more := ""
	if n := list.Total - len(list.Paths); n > 0 {
		more = fmt.Sprintf("\n… and %d more", n)
	}
	return prompt.Section{Kind: prompt.Map, Name: "Files", Text: strings.Join(list.Paths, "\n") + more, Data: true, Cut: 3}
}

// context is the overview and the contents of the files that matter most for the task. name is the step's.
func (r *run) context(ctx context.Context, n graph.Node, name string, tree step.State) ([]prompt.Section, error) {
	shown, err := r.shown(ctx, n, name, tree)
	for _, f := range shown.Files {
		if !f.Signatures {
			r.saw = merge(r.saw, []string{f.Path})
		}
	}
	return sectionsOf(shown), err
}

func (r *run) shown(ctx context.Context, n graph.Node, name string, tree step.State) (step.Context, error) {
	return step.Call[step.Context](ctx, r.Flow, at(n), name, step.ActivityContext,
		step.ContextCall{State: tree, Task: r.task.Text, Focus: r.task.Focus.Path})
}

var tiers = map[step.Tier]prompt.Kind{
	step.TierTarget: prompt.Targets, step.TierDependency: prompt.Dependencies, step.TierInterface: prompt.Interfaces,
}

// sectionsOf are the sections of what a model is shown of a tree.
func sectionsOf(shown step.Context) []prompt.Section {
	sections := []prompt.Section{overview(shown.Listing)}
	if shown.Map != "" {
		sections = append(sections, prompt.Section{Kind: prompt.Map, Name: "Map", Text: shown.Map, Data: true, Cut: 3})
	}
	for _, f := range shown.Files {
		s := prompt.Section{Kind: tiers[f.Tier], Name: f.Path, Text: f.Text, Data: true, Cut: 1}
		if f.Signatures {
			s.Name += " (signatures)"
		}
		sections = append(sections, s)
	}
	return sections
}
