package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxInOne is the largest number of parts that InOne makes one.
const MaxInOne = 4

// InOne makes a plan one part, whose objective lists the parts in their order. It is for plans in which nothing runs in parallel: at most
// MaxInOne parts, each of which waits for the one before it.
func InOne(p Plan) (one Plan, small bool) {
	tiers := p.Tiers()
	divided := slices.ContainsFunc(p.Parts, func(part Part) bool { return len(part.SubTasks) > 1 })
	if len(p.Parts) < 2 || len(p.Parts) > MaxInOne || len(tiers) != len(p.Parts) || divided {
		return p, false
	}
	all := Part{ID: "all", Type: p.Parts[0].Type, Minutes: p.Minutes()}
	var titles, objectives, done []string
	for i, tier := range tiers {
		part := p.Parts[tier[0]]
		titles = append(titles, part.Title)
		objectives = append(objectives, fmt.Sprintf("%d. %s: %s\n%s", i+1, part.ID, part.Title, strings.TrimSpace(part.Objective)))
		done = append(done, strings.TrimSuffix(strings.TrimSpace(part.DoneWhen), "."))
		all.Files, all.Verify = distinct(slices.Concat(all.Files, part.Files)), distinct(slices.Concat(all.Verify, part.Verify))
		if part.Type != all.Type {
			all.Type = "" // the task's own
		}
		if riskier(part.Risk, all.Risk) {
			all.Risk = part.Risk
		}
	}
	all.Title, all.DoneWhen = strings.Join(titles, "; "), strings.Join(done, "; ")
	all.Objective = "In this order:\n" + strings.Join(objectives, "\n")
	return Plan{Parts: []Part{all}}, true
}

// risks are in order.
var risks = []string{"", "low", "medium", "high"}

// riskier compares risks.
func riskier(a, b string) bool {
	return cmp.Compare(slices.Index(risks, a), slices.Index(risks, b)) > 0
}
