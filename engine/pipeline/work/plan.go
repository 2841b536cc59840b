package work

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
	Verify    []string `json:"verify" jsonschema:"what its tests must show, at least one"`
	DoneWhen  string   `json:"doneWhen" jsonschema:"one sentence"`
	Type      string   `json:"type,omitempty" jsonschema:"implement, refactor, test or document (comments and documents, no code); implement if it is not given"`
	Risk      string   `json:"risk,omitempty" jsonschema:"low, medium or high"`
	Minutes   int      `json:"expectedMinutes,omitempty" jsonschema:"0 if you cannot tell"`
	SubTasks  []Sub    `json:"subTasks,omitempty" jsonschema:"normally empty: pieces of it that can be worked on side by side, each with files of its own"`
}

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
