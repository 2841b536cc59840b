package review

import "cmp"

// Source is who has found something: a gate or a reviewer, and of which part of a plan; no part is the whole task.
type Source struct {
	Part string
	Name string
}

// compareSources orders by gate, then by part.
func compareSources(a, b Source) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Part, b.Part))
}
