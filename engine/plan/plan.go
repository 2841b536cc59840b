// Package plan is a task split into parts that are worked on in order or in parallel: the planner's answer, its file, its faults, the
// repairs that need no question, the order of the parts, and the estimate of their time. It is values: nothing here does I/O.
//
// Invariant: after Repair and a Check without faults, two parts that may run at the same time name no file in common.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Plan is the parts of a task, in the planner's order.
type Plan struct {
	Parts []Part
}

// Part is work that ends in one change, with its own tests and review.
type Part struct {
	ID        string   `json:"id" jsonschema:"a short word, such as parser"`
	Title     string   `json:"title" jsonschema:"at most ten words"`
	Objective string   `json:"objective" jsonschema:"what must be there afterwards, with names and signatures that other parts rely on"`
	Files     []string `json:"files" jsonschema:"relative paths of all files it changes or creates, its tests too"`
	DependsOn []string `json:"dependsOn" jsonschema:"ids of parts that must be done before it"`
	Verify    []string `json:"verify" jsonschema:"what its tests must show, at least one; an entry that begins with a dollar sign and a space is a command that is run when the part is done"`
	DoneWhen  string   `json:"doneWhen" jsonschema:"one sentence"`
	Type      string   `json:"type,omitempty" jsonschema:"implement, refactor, test or document (comments and documents, no code); implement if it is not given"`
	Risk      string   `json:"risk,omitempty" jsonschema:"low, medium or high"`
	Minutes   int      `json:"expectedMinutes,omitempty" jsonschema:"0 if unknown"`
	SubTasks  []Sub    `json:"subTasks,omitempty" jsonschema:"normally empty: pieces of it that can be worked on side by side, each with files of its own"`

	level int // how often it was cut out of another part
}

// Level returns how often the part was cut out of another one.
func (part Part) Level() int { return part.level }

// Sub is a piece of a part. Pieces of one part do not wait for each other.
type Sub struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Objective string   `json:"objective"`
	Files     []string `json:"files"`
}

// index returns the index of a part; -1 for an unknown id.
func (p Plan) index(id string) int {
	for i, part := range p.Parts {
		if part.ID == id {
			return i
		}
	}
	return -1
}

// before returns, for each part, all its direct and indirect predecessors. It ignores unknown ids and cycles.
func (p Plan) before() []map[int]bool {
	all := make([]map[int]bool, len(p.Parts))
	var collect func(of, part int)
	collect = func(of, part int) {
		for _, id := range p.Parts[part].DependsOn {
			if d := p.index(id); d >= 0 && !all[of][d] {
				all[of][d] = true
				collect(of, d)
			}
		}
	}
	for i := range p.Parts {
		all[i] = map[int]bool{}
		collect(i, i)
	}
	return all
}

// Markdown returns the plan for users: a table of its parts by tier, the purpose of each, and the notes about it.
func (p Plan) Markdown(notes []string) string {
	var text strings.Builder
	text.WriteString("| tier | part | what | files | waits for | risk |\n|---|---|---|---|---|---|\n")
	for tier, parts := range p.Tiers() {
		for _, i := range parts {
			part := p.Parts[i]
			fmt.Fprintf(&text, "| %d | %s | %s | %s | %s | %s |\n", tier+1, part.ID, cell(part.Title), cell(strings.Join(part.Files, ", ")),
				cmp.Or(strings.Join(part.DependsOn, ", "), "–"), cmp.Or(part.Risk, "–"))
		}
	}
	for _, part := range p.Parts {
		fmt.Fprintf(&text, "\n**%s**: %s\n\nDone when: %s\n\n", part.ID, strings.TrimSpace(part.Objective), strings.TrimSpace(part.DoneWhen))
		for _, v := range part.Shown() {
			fmt.Fprintf(&text, "- %s\n", v)
		}
	}
	if len(notes) > 0 {
		text.WriteString("\nNoted:\n")
		for _, note := range notes {
			text.WriteString("- " + note + "\n")
		}
	}
	return text.String()
}

// cell returns a text for a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// Tiers returns the parts in the order of their work, as indexes into Parts: those of one tier only wait for parts of earlier tiers
// (Kahn's algorithm, level by level). The plan has no cycle.
func (p Plan) Tiers() (tiers [][]int) {
	level, known := make([]int, len(p.Parts)), map[int]int{}
	for i := range p.Parts {
		level[i] = p.depth(i, known)
		for len(tiers) <= level[i] {
			tiers = append(tiers, nil)
		}
	}
	for i, l := range level {
		tiers[l] = append(tiers[l], i)
	}
	return tiers
}

// depth returns the length of the longest path to a part.
func (p Plan) depth(part int, known map[int]int) int {
	if d, is := known[part]; is {
		return d
	}
	deepest := 0
	for _, id := range p.Parts[part].DependsOn {
		if d := p.index(id); d >= 0 {
			deepest = max(deepest, 1+p.depth(d, known))
		}
	}
	known[part] = deepest
	return deepest
}

// The seconds of steps, if the planner does not estimate them (measured with an earlier plan-first runtime).
const (
	lookSeconds   = 20
	editSeconds   = 30
	testSeconds   = 120
	reviewSeconds = 15
)

// Minutes estimates the time of the plan if each tier takes as long as its longest part, rounded up.
func (p Plan) Minutes() int {
	seconds := 0
	for _, tier := range p.Tiers() {
		longest := 0
		for _, i := range tier {
			longest = max(longest, p.Parts[i].seconds())
		}
		seconds += longest
	}
	return (seconds + 59) / 60
}

func (part Part) seconds() int {
	if part.Minutes > 0 {
		return part.Minutes * 60
	}
	return lookSeconds + editSeconds*len(part.Files) + testSeconds + reviewSeconds
}

// Repair fixes the faults of a plan that need no question, and notes its fixes for users: dependencies on unknown parts, duplicate files,
// and parts that share a file without waiting for each other, which get an order. Direct and indirect waiting both count.
//
// The plan must have passed Check.
func Repair(p Plan) (repaired Plan, notes []string) {
	repaired.Parts = slices.Clone(p.Parts)
	for i := range repaired.Parts {
		part := &repaired.Parts[i]
		part.Files = distinct(part.Files)
		known := slices.DeleteFunc(distinct(part.DependsOn), func(id string) bool { return p.index(id) < 0 })
		for _, id := range distinct(part.DependsOn) {
			if p.index(id) < 0 {
				notes = append(notes, fmt.Sprintf("%s does not wait for %s: there is no such part", part.ID, id))
			}
		}
		part.DependsOn = append([]string{}, known...) // never null in its file
	}
	for later := range repaired.Parts {
		for earlier := range later {
			shared := common(repaired.Parts[earlier].Files, repaired.Parts[later].Files)
			if before := repaired.before(); len(shared) == 0 || before[later][earlier] || before[earlier][later] {
				continue
			}
			repaired.Parts[later].DependsOn = append(repaired.Parts[later].DependsOn, repaired.Parts[earlier].ID)
			notes = append(notes, fmt.Sprintf("%s waits for %s: both change %s", repaired.Parts[later].ID, repaired.Parts[earlier].ID, strings.Join(shared, ", ")))
		}
	}
	if n := len(repaired.Parts); n > manyParts {
		notes = append(notes, fmt.Sprintf("%d parts are many: %d or fewer are easier to put together", n, manyParts))
	}
	for _, part := range repaired.Parts {
		if n := len(part.Files); n > manyFiles {
			notes = append(notes, fmt.Sprintf("%s changes %d files: %d or fewer are easier to check", part.ID, n, manyFiles))
		}
	}
	return repaired, notes
}

// FanOut replaces each part with sub-tasks by these: they begin when the part could have begun, and parts that waited for it wait
// for all of them. A part with one sub-task stays as it is, because nothing runs in parallel.
func FanOut(p Plan) Plan {
	var out Plan
	pieces := map[string][]string{} // of a part: the ids that replace it
	for _, part := range p.Parts {
		if len(part.SubTasks) < 2 {
			part.SubTasks = nil
			out.Parts, pieces[part.ID] = append(out.Parts, part), []string{part.ID}
			continue
		}
		for i, sub := range part.SubTasks {
			piece := part
			piece.ID, piece.Title, piece.Objective, piece.Files = part.ID+"."+sub.ID, sub.Title, sub.Objective+"\nIt is a piece of: "+part.Objective, sub.Files
			piece.SubTasks, piece.Minutes, piece.level = nil, part.Minutes/len(part.SubTasks), part.level+1
			if i == 0 { // unclaimed files belong to the first one
				piece.Files = slices.Concat(sub.Files, part.unclaimed())
			}
			out.Parts, pieces[part.ID] = append(out.Parts, piece), append(pieces[part.ID], piece.ID)
		}
	}
	for i := range out.Parts {
		var waits []string
		for _, id := range out.Parts[i].DependsOn {
			waits = append(waits, pieces[id]...)
		}
		out.Parts[i].DependsOn = waits
	}
	return out
}

// unclaimed returns the files of a part that none of its sub-tasks names.
func (part Part) unclaimed() []string {
	return slices.DeleteFunc(slices.Clone(part.Files), func(file string) bool {
		return slices.ContainsFunc(part.SubTasks, func(s Sub) bool { return slices.Contains(s.Files, file) })
	})
}

// distinct returns a list without duplicates, in order.
func distinct(list []string) (once []string) {
	for _, entry := range list {
		if !slices.Contains(once, entry) {
			once = append(once, entry)
		}
	}
	return once
}

func common(a, b []string) (both []string) {
	for _, entry := range a {
		if slices.Contains(b, entry) {
			both = append(both, entry)
		}
	}
	return both
}
