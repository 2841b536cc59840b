package pipeline

// lens is one of the points of view of a final review.
type lens struct {
	Name  string // in findings and in the id of its node
	focus string // what the model looks for
}

// lenses returns the lenses, in the order of their nodes.
func lenses() []lens {
	return []lens{
		{"contracts", `Your lens is correctness and contracts. Look for wrong results, for names, signatures, types and formats that differ between
the places that write and the places that read them, for callers that a change forgot, and for values that are read before they are set.`},
		{"failures", `Your lens is failure modes and data. Look for swallowed errors, for races and lazy state, for gaps between a check and its use,
for data that is lost, truncated or written twice, for unbounded input, for errors that a retry can fix and that end the work, and the reverse.`},
		{"clarity", `Your lens is clarity and tests. Look for tests that prove nothing or prove less than before, for changed defaults and broken
compatibility, for versions and paths that drift apart, and for names and documents that say something else than the code does.`},
	}
}

const finalInstructions = `You review all changes of a release, as one of three reviewers with different lenses who do not see each other's answers. ` +
	`You change nothing. Do not report matters of taste.
%s
Answer with one JSON object:
- "summary": one or two sentences.
- "issues": %s Each also has "element", the name of the one function, type, field or
  variable it is about, and "evidence", the line of code that shows it, copied exactly. An empty list if
  nothing is wrong: do not invent issues.`

const tieInstructions = `Two reviewers of a release disagree: one reports the errors below, and the other, who saw the same code, does not.
Decide about each of them from the code alone. Answer with one JSON object:
- "upheld": the numbers of those that are real and must be fixed before the release; an empty list if none is.
- "reason": one or two sentences.`
