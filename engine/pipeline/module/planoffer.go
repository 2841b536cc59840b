package module

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/engine/step"
)

// offeredPlan is a plan that the user decides about.
type offeredPlan struct {
	explanation string
	given       plan.Plan // as its file has it
	plan        plan.Plan // as it is carried out
	notes       []string  // how they differ, and warnings
	commands    []plan.Command
	degraded    string // why the planner gave no usable plan, and the only part is the whole task; empty for a plan
	revised     string // why it replaces parts of a plan that is being carried out; empty for a first plan
}

// offers has the user decide about plans: it prepares and describes them, and reads what the user has changed.
type offers struct {
	run   *work.Run
	whole *Module   // of all of the task
	pace  plan.Pace // of earlier plans of the folder
}

// offer prepares a plan as it would be carried out, and reports it.
func (of *offers) offer(o offeredPlan, p plan.Plan) offeredPlan {
	given, repairs := plan.Repair(p)
	o.explanation, o.given, o.plan, o.notes = strings.TrimSpace(o.explanation), given, given, append(o.notes, repairs...)
	if o.degraded == "" {
		of.arrange(&o)
	}
	o.notes = append(o.notes, o.plan.Uncommitted(of.run.Dirty)...)
	of.run.Emit(of.planned(o))
	return o
}

// arrange prepares the parts of a plan for their modules: all as one part, or each by itself and its sub-tasks side by side.
func (of *offers) arrange(o *offeredPlan) {
	way := of.run.Task.Plan
	one, small := plan.InOne(o.given)
	switch {
	case o.revised != "": // its other parts are done
	case way.Lite && small:
		o.plan, o.notes = one, append(o.notes, fmt.Sprintf("the %d parts are worked on in order, as one piece of work", len(o.given.Parts)))
		return
	case way.Lite && len(o.given.Parts) > 1:
		o.notes = append(o.notes, fmt.Sprintf("each part is worked on by itself: lite is for at most %d parts that follow each other", plan.MaxInOne))
	}
	if !way.Inline {
		o.plan, o.commands = plan.Undivided(o.given)
		o.plan = plan.FanOut(o.plan)
	}
}

// approve lets the user approve a plan before it is carried out. They may change it in its file: what is in the file when they consent
// is the plan. With an error in it they are asked again.
func (of *offers) approve(ctx context.Context, n graph.Node, draft int, o *offeredPlan) (feedback string, ending graph.Outcome) {
	if of.run.Task.Plan.Approved {
		return "", graph.Outcome{Status: graph.Done}
	}
	written := step.PlanOffer{Draft: draft, Text: of.document(*o)}
	path, err := step.ActivityOffer.Call(ctx, of.run.Flow, work.At(n), fmt.Sprintf("offer/%d", draft), written)
	if err != nil {
		return "", work.Failed("show the plan", err)
	}
	q := of.planQuestion(*o, path)
	for again := 0; ; again++ {
		feedback, ending = of.whole.Questions.Consent(ctx, n, q, "Carry it out", "plan", "changed")
		if feedback != "" || ending.Status != graph.Done {
			return feedback, ending
		}
		text, err := step.ActivityOffered.Call(ctx, of.run.Flow, work.At(n), work.Again(fmt.Sprintf("offered/%d", draft), again), written)
		if err != nil {
			return "", work.Failed("read the plan", err)
		}
		if text == written.Text {
			return "", ending
		}
		file, faults := of.readEdited(text)
		if !plan.Broken(faults) {
			changed := offeredPlan{explanation: file.Explanation, notes: []string{"the plan is as you changed it in its file"}}
			*o = of.offer(changed, plan.Plan{Parts: file.Parts})
			return "", ending
		}
		q = faultyQuestion(path, faults)
	}
}

// readEdited reads a plan that the user has changed.
func (of *offers) readEdited(text string) (plan.File, []plan.Fault) {
	file, faults := plan.Read([]byte(text), nil)
	if plan.Broken(faults) {
		return file, faults
	}
	if err := of.checkPlan(outline{Parts: file.Parts}); err != nil {
		faults = append(faults, plan.Fault{Line: 1, Column: 1, Message: err.Error()})
	}
	return file, faults
}

// document returns a plan as the text of a file.
func (of *offers) document(o offeredPlan) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(of.file(o.explanation, o.given.Parts)) // texts and numbers
	return text.String()
}

// planQuestion asks whether to carry out a plan.
func (of *offers) planQuestion(o offeredPlan, path string) event.Question {
	size, explanation := of.measured(o.plan), o.explanation
	if o.degraded != "" {
		size, explanation = "Degraded: the whole task as one part", explanation+" The reason: "+o.degraded
	}
	return event.Question{
		Title:  "Carry out this plan? " + size,
		Detail: strings.TrimSpace(explanation+"\n\n"+o.plan.Markdown(o.notes)) + "\n\n" + listedRisks(of.run.Brief.Risks) + changeable(path), File: path,
	}
}

// measured returns the size of a plan, in words.
func (of *offers) measured(p plan.Plan) string {
	return fmt.Sprintf("%s in %s, about %s", event.Count(len(p.Parts), "part"), event.Count(len(p.Tiers()), "tier"), event.Count(of.pace.Minutes(p), "minute")) + of.pace.Words()
}

// learnPace reads how long earlier plans of the folder took. Without that, estimates are as good as they are.
func (of *offers) learnPace(ctx context.Context, n graph.Node) error {
	took, err := step.ActivityPlans.Call(ctx, of.run.Flow, work.At(n), "plans", plan.PlansOfPace)
	if _, failed := work.AsFailure(err); failed {
		return nil
	}
	of.pace = plan.PaceOf(took)
	return err
}

// listedRisks lists what went wrong with similar work; empty for nothing.
func listedRisks(risks []string) string {
	if len(risks) == 0 {
		return ""
	}
	return "Known risks, from earlier runs:\n- " + strings.Join(risks, "\n- ") + "\n\n"
}

// changeable returns where the user can change a plan.
func changeable(path string) string {
	return "To change the plan, edit " + path + " and save it: what is in it when you consent is carried out."
}

// faultyQuestion asks about a plan that the user has changed, and that cannot be carried out.
func faultyQuestion(path string, faults []plan.Fault) event.Question {
	var detail strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&detail, "- %s:%s\n", path, f)
	}
	return event.Question{
		Title: "Your plan has an error and cannot be carried out. Correct it, then carry it out?", Detail: detail.String() + "\n" + changeable(path), File: path,
	}
}

// planned describes a plan for users.
func (of *offers) planned(o offeredPlan) event.Planned {
	p := o.plan
	told := event.Planned{Notes: o.notes, Minutes: of.pace.Minutes(p), Risks: of.run.Brief.Risks, Degraded: o.degraded, Revised: o.revised}
	if of.pace.Plans > 0 {
		told.Uncorrected, told.Earlier = p.Minutes(), of.pace.Plans
	}
	for tier, parts := range p.Tiers() {
		for _, i := range parts {
			part := p.Parts[i]
			told.Parts = append(told.Parts, event.PlannedPart{
				ID: part.ID, Title: part.Title, Tier: tier + 1, Files: part.Files, DependsOn: part.DependsOn, Risk: part.Risk,
				Objective: part.Objective, Verify: part.Shown(), DoneWhen: part.DoneWhen,
			})
		}
	}
	return told
}

// checkPlan rejects an invalid plan, and a plan without failing tests if the task requires them: the type that a model gives to a
// part does not decide whether a change is tested.
func (of *offers) checkPlan(o outline) error {
	err := plan.Plan{Parts: o.Parts}.Check()
	tested := slices.ContainsFunc(o.Parts, func(p plan.Part) bool { return p.Type == "" || work.Recipe(p.Type).TestsFirst() })
	if err == nil && !tested && of.whole.Job.Way().RedTests {
		err = fmt.Errorf("no part has the type implement, and the task is to %s: at least one part must have tests that fail before it is done", of.run.Task.Recipe.Summary())
	}
	return err
}

// file returns parts as a document.
func (of *offers) file(explanation string, parts []plan.Part) *plan.File {
	return &plan.File{Version: plan.Version, Task: of.run.Task.Text, Explanation: strings.TrimSpace(explanation), Parts: parts}
}
