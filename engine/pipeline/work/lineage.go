package work

import (
	"slices"

	"forge/patch"
)

// Before returns the modules that a module builds on, directly or not: each after those that it builds on itself, otherwise in the
// order of the run. The order of two modules is the same in all lists, so that their changes combine in the same way everywhere.
func (j *Job) Before() []*Module {
	all := j.ancestors()
	var ordered []*Module
	for len(ordered) < len(all) {
		at := slices.IndexFunc(j.Run.Parts, func(m *Module) bool {
			return all[m.Job] && !slices.Contains(ordered, m) && !slices.ContainsFunc(m.Job.After, func(b *Module) bool { return !slices.Contains(ordered, b) })
		})
		ordered = append(ordered, j.Run.Parts[at])
	}
	return ordered
}

// BuildsOn reports whether a module builds on another, directly or not.
func (j *Job) BuildsOn(other *Job) bool { return j.ancestors()[other] }

func (j *Job) ancestors() map[*Job]bool { return ancestors(j.After) }

// ancestors returns modules with all that they build on.
func ancestors(of []*Module) map[*Job]bool {
	all := map[*Job]bool{}
	for todo := slices.Clone(of); len(todo) > 0; todo = todo[1:] {
		if m := todo[0]; !all[m.Job] {
			all[m.Job] = true
			todo = append(todo, m.Job.After...)
		}
	}
	return all
}

// Latest returns the modules that no other of them builds on, in their order.
func Latest(modules []*Module) []*Module {
	var before []*Module
	for _, m := range modules {
		before = append(before, m.Job.After...)
	}
	below := ancestors(before)
	return slices.DeleteFunc(slices.Clone(modules), func(m *Module) bool { return below[m.Job] })
}

// Combined returns what the modules before it have made, as one change of the folder, and what clashes in it. Each module's own change
// is merged into that of the earlier ones; the base of the merge is what that module began with, so that nothing is merged twice. A
// clash that a later module has joined from all its sides is resolved, and not returned.
func (j *Job) Combined() (made patch.ChangeSet, clashes []patch.Clash) {
	return Combine(j.Before(), func(m *Module) patch.ChangeSet { return m.Now.Changes })
}

// Combine is Combined for modules in the order of Before, with the changes that result gives.
func Combine(modules []*Module, result func(*Module) patch.ChangeSet) (made patch.ChangeSet, clashes []patch.Clash) {
	return combine(modules, result, func(meeting) {})
}

// combine is Combine; it reports each file that modules changed without knowing of each other.
func combine(modules []*Module, result func(*Module) patch.ChangeSet, met func(meeting)) (made patch.ChangeSet, clashes []patch.Clash) {
	touched := map[string][]*Module{}
	for _, m := range modules {
		given, before := m.Start.Given, m.Job.ancestors()
		own := result(m).Since(given)
		if m.Job.Joins {
			clashes = slices.DeleteFunc(clashes, func(c patch.Clash) bool {
				return !slices.ContainsFunc(touched[c.Path], func(side *Module) bool { return !before[side.Job] })
			})
		}
		earlier := made.Since(given)
		both, more := patch.Combine(earlier, own)
		made, clashes = given.Then(both), append(clashes, more...)
		for _, f := range own.Files {
			sides := slices.DeleteFunc(slices.Clone(touched[f.Path]), func(side *Module) bool { return before[side.Job] })
			if len(sides) > 0 {
				met(meeting{m, sides, f, earlier, slices.ContainsFunc(more, func(c patch.Clash) bool { return c.Path == f.Path })})
			}
		}
		for _, path := range ChangedPaths(own) {
			touched[path] = append(touched[path], m)
		}
	}
	return made, clashes
}
