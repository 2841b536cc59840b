package activity

import (
	"context"
	"fmt"

	"forge/engine/prompt"
	"forge/engine/state"
	"forge/engine/step"
)

// Briefing creates the brief of a run: what its folder, its user and earlier runs add to every prompt.
type Briefing struct {
	State  *state.State
	Trees  *Trees
	Root   string
	Run    string
	Skills []prompt.SkillRoot // of the user
	Guides []string           // names of a project's instruction files; none means the usual ones
}

// Brief performs step.ActivityBrief. It omits unreadable parts and notifies the user: no run fails for them.
func (b Briefing) Brief(ctx context.Context, c step.BriefCall) (told step.Brief, err error) {
	trusted, err := b.State.Trusted(b.Root)
	if err != nil {
		return told, err
	}
	var own []prompt.Skill
	if trusted {
		if told.Guides, own, err = b.ofFolder(ctx, c); err != nil {
			return told, err
		}
	}
	persons, problems := prompt.FindSkills(b.Skills...)
	b.report(problems)
	told.Skills = prompt.FirstSkills(own, persons)
	for i := range told.Skills {
		told.Skills[i].Body = beginning(told.Skills[i].Body, maxGuide)
	}
	if err := b.remember(ctx, c, &told); err != nil {
		b.State.Notify(fmt.Sprintf("lessons of earlier runs are left out: %v", err))
	}
	return told, nil
}

// ofFolder reads the guides and skills in the snapshot of a trusted folder.
func (b Briefing) ofFolder(ctx context.Context, c step.BriefCall) (guides []step.Guide, skills []prompt.Skill, err error) {
	err = b.Trees.In(ctx, c.State, func(t Tree) error {
		paths, err := t.List(ctx)
		if err != nil {
			return err
		}
		guides = guidesIn(paths, b.Guides, c.Focus, t.ReadFile)
		var problems []prompt.SkillProblem
		skills, problems = skillsIn(paths, t.ReadFile)
		b.report(problems)
		return nil
	})
	return guides, skills, err
}

// report notifies the user of files that are not valid skills.
func (b Briefing) report(problems []prompt.SkillProblem) {
	for _, p := range problems {
		b.State.Notify(fmt.Sprintf("%s is not a valid skill: %s", p.Source, p.Reason))
	}
}
