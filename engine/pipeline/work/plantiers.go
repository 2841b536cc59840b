package work

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
