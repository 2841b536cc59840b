package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/prompt"
	"forge/engine/step"
)

// compose is the document of a node's model: what every model of the run is told (brief.go), the request, and the sections
// of the node. All documents of a run are made here, so that they begin alike; prompt puts the sections in their order.
func (m *module) compose(node, instructions string, sections ...prompt.Section) prompt.Document {
	return prompt.Document{
		Instructions: strings.TrimSpace(instructions),
		Mode:         m.task.Mode.Layer,
		Sections:     slices.Concat(guides(m.Brief, llm.NodeRole(node)), lessons(m.Brief), m.request(), m.reported(), sections),
	}
}

// request is the task and what the person pointed at.
func (r *run) request() []prompt.Section {
	sections := []prompt.Section{{Kind: prompt.Request, Name: "Task", Text: r.task.Text}}
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

// specification is what the change must satisfy, for whoever works after it was approved; there may be none.
func (r *run) specification() []prompt.Section {
	if r.spec == "" {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Request, Name: "Specification", Text: r.spec, Data: true}}
}

// overview lists the files of the snapshot, once in a run: what an attempt adds to them does not change how its documents begin.
func (r *run) overview(ctx context.Context, n graph.Node) (prompt.Section, error) {
	if r.listing == nil {
		list, err := step.Call[step.Listing](ctx, r.Flow, at(n), "files", step.ActivityFiles, r.base())
		if err != nil {
			return prompt.Section{}, err
		}
		r.listing = &list
	}
	return prompt.Section{Kind: prompt.Map, Name: "Files", Text: listed(*r.listing), Data: true, Cut: 3}, nil
}

func listed(list step.Listing) string {
	text := strings.Join(list.Paths, "\n")
	if n := list.Total - len(list.Paths); n > 0 {
		text += fmt.Sprintf("\n… and %d more", n)
	}
	return text
}

// context is the overview and the contents of the files that matter most for the task. name is the step's.
func (m *module) context(ctx context.Context, n graph.Node, name string, tree step.State) ([]prompt.Section, error) {
	shown, err := m.shown(ctx, n, name, tree)
	if err != nil {
		return nil, err
	}
	for _, f := range shown.Files {
		if !f.Signatures {
			m.saw = merge(m.saw, []string{f.Path})
		}
	}
	return m.sectionsOf(ctx, n, tree, shown)
}

func (m *module) shown(ctx context.Context, n graph.Node, name string, tree step.State) (step.Context, error) {
	return step.Call[step.Context](ctx, m.Flow, at(n), name, step.ActivityContext,
		step.ContextCall{State: tree, Task: m.goal(), Focus: m.task.Focus.Path})
}

var tiers = map[step.Tier]prompt.Kind{
	step.TierTarget: prompt.Targets, step.TierDependency: prompt.Dependencies, step.TierInterface: prompt.Interfaces,
}

// sectionsOf are the sections of what a model is shown of a tree.
func (m *module) sectionsOf(ctx context.Context, n graph.Node, tree step.State, shown step.Context) ([]prompt.Section, error) {
	files, err := m.overview(ctx, n)
	if err != nil {
		return nil, err
	}
	sections := append([]prompt.Section{files}, added(tree)...)
	if shown.Map != "" {
		sections = append(sections, prompt.Section{Kind: prompt.Map, Name: "Map", Text: shown.Map, Data: true, Cut: 3})
	}
	for _, f := range shown.Files {
		s := prompt.Section{Kind: tiers[f.Tier], Name: f.Path, Text: f.Text, Source: f.Path, Data: true, Cut: 1}
		if f.Signatures {
			s.Name += " (signatures)"
		}
		sections = append(sections, s)
	}
	return sections, nil
}

// added lists what the run itself has put into a tree, which is not in the overview.
func added(tree step.State) []prompt.Section {
	var paths []string
	for _, set := range tree.Changes {
		for _, f := range set.Files {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	return []prompt.Section{{
		Kind: prompt.Targets, Name: "Files that this run has written so far", Text: strings.Join(slices.Compact(paths), "\n"), Data: true, Cut: 1,
	}}
}
