package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/event"
	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/patch"
)

// The options of consent.
const (
	applyAll  = "apply-all"
	applyEach = "file-by-file"
	applyNone = "reject"
)

// offer shows a proposal as a tool call for each file, with its diff, and applies what the client allows.
func (t *turn) offer(ctx context.Context, p *proposal.Proposal) error {
	all, err := p.Select(proposal.Selection{})
	if err != nil {
		return err
	}
	plans, err := p.Plan(all, func(path string) (proposal.Current, error) { return t.session.current(ctx, path) })
	if err != nil {
		return fmt.Errorf("the change cannot be shown: %w; /resume offers it again", err)
	}
	calls := map[string]*sdk.SessionUpdateToolCall{}
	var paths []string
	for _, plan := range plans {
		if len(plan.Edits) == 0 && len(plan.Conflicts) == 0 {
			continue // it is in the folder already
		}
		calls[plan.Path] = t.editCall(p, plan)
		paths = append(paths, plan.Path)
	}
	t.say(summary(p, len(paths)))
	if len(paths) == 0 {
		return nil
	}
	chosen, err := t.consent(ctx, p, paths, calls)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if !slices.Contains(chosen, path) {
			t.finish(calls[path], false, "not applied")
		}
	}
	if len(chosen) == 0 {
		t.say("Nothing was applied; your files are unchanged. /resume offers the change again.")
		return nil
	}
	return t.apply(ctx, p, chosen, calls)
}

// editCall is the tool call that changes a file.
func (t *turn) editCall(p *proposal.Proposal, plan proposal.FilePlan) *sdk.SessionUpdateToolCall {
	path := t.session.full(plan.Path)
	title, kind := "Edit "+plan.Path, sdk.ToolKindEdit
	switch plan.Kind {
	case patch.Create:
		title = "Create " + plan.Path
	case patch.Delete:
		title, kind = "Delete "+plan.Path, sdk.ToolKindDelete
	case patch.Move:
		title, kind = "Move "+plan.From+" to "+plan.Path, sdk.ToolKindMove
	case patch.Update:
	}
	call := t.newCall(inert.OneLine(title, 200), kind)
	if len(plan.Edits) > 0 {
		diff := sdk.ToolDiffContent(path, plan.Want)
		if plan.Current.Exists {
			diff = sdk.ToolDiffContent(path, plan.Want, plan.Current.Text)
		}
		call.Content = append(call.Content, diff)
		call.Locations = []sdk.ToolCallLocation{location(path, lineOf(plan))}
	}
	if n := len(plan.Conflicts); n > 0 {
		call.Content = append(call.Content, text(event.Count(n, "hunk")+" left out: you changed the same lines since"))
	}
	if reason := controlReason(p, plan.Path); reason != "" {
		call.Content = append(call.Content, text(reason))
	}
	return call
}

// lineOf is the line of the first edit of a plan, from 1.
func lineOf(plan proposal.FilePlan) int {
	return 1 + strings.Count(plan.Current.Text[:plan.Edits[0].Edit.Start], "\n")
}

// controlReason returns what a file does beyond being compiled or read; usually empty.
func controlReason(p *proposal.Proposal, path string) string {
	for _, f := range p.Files {
		if f.Change.Path == path && f.Control.Reason != "" {
			return "check this: " + inert.Text(f.Control.Reason)
		}
	}
	return ""
}

// summary describes a proposal: its size, what checked it, and what the user should read first.
func summary(p *proposal.Proposal, files int) string {
	if files == 0 {
		return "Nothing is left to apply: the change is in your files."
	}
	lines := []string{fmt.Sprintf("Proposed: %s in %s.", event.Count(p.Count(), "hunk"), event.Count(files, "file"))}
	if p.Explanation != "" {
		lines = append(lines, "", "The model says: "+inert.Text(p.Explanation), "")
	}
	for _, g := range p.Gates {
		if !g.Empty {
			lines = append(lines, fmt.Sprintf("- %s: %s, %s", inert.Text(g.Gate), g.Verdict, inert.OneLine(g.Summary, 200)))
		}
	}
	if p.Unverified != "" {
		lines = append(lines, "", "**"+strings.ToUpper(p.Flaw()[:1])+p.Flaw()[1:]+":**", inert.Text(p.Unverified))
	}
	for _, notice := range p.Notices() {
		lines = append(lines, "", inert.Text(notice))
	}
	return strings.Join(lines, "\n")
}

// consent asks which files to change, and returns their paths. Files that other programs act on have a question of their own.
func (t *turn) consent(ctx context.Context, p *proposal.Proposal, paths []string, calls map[string]*sdk.SessionUpdateToolCall) ([]string, error) {
	if len(paths) == 1 {
		return t.each(ctx, p, paths, calls)
	}
	for _, path := range paths {
		t.show(calls[path])
	}
	call := t.newCall(fmt.Sprintf("Apply %s to %d files", p.Name(), len(paths)), sdk.ToolKindEdit)
	call.Content = []sdk.ToolCallContent{text(summary(p, len(paths)))}
	for _, path := range paths {
		call.Locations = append(call.Locations, location(t.session.full(path), 0))
	}
	choice, err := t.permit(ctx, call, []sdk.PermissionOption{
		{OptionId: applyAll, Name: "Apply all", Kind: sdk.PermissionOptionKindAllowOnce},
		{OptionId: applyEach, Name: "File by file", Kind: sdk.PermissionOptionKindAllowOnce},
		{OptionId: applyNone, Name: "Reject", Kind: sdk.PermissionOptionKindRejectOnce},
	})
	if err != nil {
		return nil, err
	}
	t.finish(call, choice == applyAll || choice == applyEach)
	switch choice {
	case applyEach:
		return t.each(ctx, p, paths, calls)
	case applyAll:
		return t.guarded(ctx, p, paths, calls)
	}
	return nil, nil
}

// guarded asks about those files that "all" does not cover, and returns the paths without the rejected ones.
func (t *turn) guarded(ctx context.Context, p *proposal.Proposal, paths []string, calls map[string]*sdk.SessionUpdateToolCall) ([]string, error) {
	var plain, special []string
	for _, path := range paths {
		if slices.ContainsFunc(p.Guarded(), func(f proposal.File) bool { return f.Change.Path == path }) {
			special = append(special, path)
		} else {
			plain = append(plain, path)
		}
	}
	allowed, err := t.each(ctx, p, special, calls)
	return append(plain, allowed...), err
}

// each asks about each file, and returns the paths of the allowed ones.
func (t *turn) each(ctx context.Context, p *proposal.Proposal, paths []string, calls map[string]*sdk.SessionUpdateToolCall) (allowed []string, err error) {
	for _, path := range paths {
		call := calls[path]
		if p.Unverified != "" {
			call.Title += " (" + p.Flaw() + ")"
		}
		choice, err := t.permit(ctx, call, []sdk.PermissionOption{
			{OptionId: applyAll, Name: "Apply", Kind: sdk.PermissionOptionKindAllowOnce},
			{OptionId: applyNone, Name: "Reject", Kind: sdk.PermissionOptionKindRejectOnce},
		})
		if err != nil {
			return nil, err
		}
		if choice == applyAll {
			allowed = append(allowed, path)
		}
	}
	return allowed, nil
}
