package rust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/engine/gate"
)

// selection is the set of packages that a gate checks.
type selection struct {
	args  []string       // arguments for cargo
	far   map[string]int // by id: the number of dependencies between a package and the changes; nil if unknown, which means all packages
	among int            // how many packages there are; 0 if all are checked
	alone bool           // it is for tests that run again
	tests []string       // of these, if not all of the packages
	// targets are cargo's options for the programs that run, if only tests of some have changed or run again; none mean all.
	targets []string
}

func (s selection) has(id string) bool {
	_, chosen := s.far[id]
	return s.far == nil || chosen
}

// none reports whether no package is in the scope.
func (s selection) none() bool { return s.far != nil && len(s.far) == 0 }

// told returns which part was checked, for the summary.
func (s selection) told() string {
	if s.among == 0 || s.alone {
		return ""
	}
	return fmt.Sprintf(", of %d: those that the change concerns", s.among)
}

// exactly returns the arguments of a test program that runs only some tests.
func (s selection) exactly() []string {
	if len(s.tests) == 0 {
		return nil
	}
	return append([]string{"--exact"}, s.tests...)
}

// choose returns the packages in a scope; all of them if the changed packages are unknown.
func (p project) choose(scope gate.Scope) selection {
	all := selection{args: []string{"--workspace"}}
	if len(scope.Only) > 0 {
		if s, ok := p.alone(scope); ok {
			return s
		}
		scope.Only = nil
	}
	if scope.All() || p.leadsOut() {
		return all
	}
	far, tests, ok := p.changed(scope.Changed)
	if !ok {
		return all
	}
	if scope.Reach == gate.ReachWide {
		p.addDependents(far)
	}
	maps.Copy(far, tests)
	targets := p.targetsOf(scope.Changed)
	if all.far, all.targets = far, targets; len(far) == len(p.packages) {
		return all
	}
	return selection{args: p.specs(far), far: far, among: len(p.packages), targets: targets}
}

// specs names packages for cargo, sorted. A registry's crate with the same name has another version.
func (p project) specs(chosen map[string]int) (args []string) {
	for id := range chosen {
		args = append(args, p.packages[id].name+"@"+p.packages[id].version)
	}
	slices.Sort(args)
	for i := len(args) - 1; i >= 0; i-- {
		args = slices.Insert(args, i, "-p")
	}
	return args
}

// leadsOut reports whether a package depends on one in a folder that is not a member, whose own dependencies are unknown.
func (p project) leadsOut() bool {
	dirs := map[string]bool{}
	for _, member := range p.packages {
		dirs[member.dir] = true
	}
	for _, member := range p.packages {
		for _, d := range member.uses {
			if dir, inside := p.root.Rel(d.Path); d.Path != "" && !(inside && dirs[dir]) {
				return true
			}
		}
	}
	return false
}

// addDependents adds the packages that depend on some, directly or indirectly, and those of which only tests do. Each has the
// number of dependencies between it and the changes. Dependencies are matched by name, because the workspace may replace one of a
// registry.
func (p project) addDependents(far map[string]int) {
	for at := 0; ; at++ {
		next := p.dependents(far, at, func(kind string) bool { return kind != kindDev })
		if len(next) == 0 {
			break
		}
		for _, id := range next {
			far[id] = at + 1
		}
	}
	for at, reached := 0, maps.Clone(far); at <= len(p.packages); at++ {
		for _, id := range p.dependents(reached, at, func(kind string) bool { return kind == kindDev }) {
			if _, is := far[id]; !is {
				far[id] = at + 1
			}
		}
	}
}

const kindDev = "dev" // only for tests, examples and benchmarks

// dependents returns the packages not reached yet that depend on one at a distance, by a kind of dependency.
func (p project) dependents(far map[string]int, distance int, of func(kind string) bool) (ids []string) {
	names := map[string]bool{}
	for id, at := range far {
		if at == distance {
			names[p.packages[id].name] = true
		}
	}
	for id, member := range p.packages {
		if _, is := far[id]; !is && slices.ContainsFunc(member.uses, func(d dependency) bool { return of(d.Kind) && names[d.Name] }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// alone selects tests that run again: by name, or with all of their packages. It is not ok if a test belongs to no package of the
// tree.
func (p project) alone(scope gate.Scope) (s selection, ok bool) {
	s = selection{far: map[string]int{}, among: len(p.packages), alone: true}
	named := !scope.Files
	var targets []string
	for _, test := range scope.Only {
		program, name, _ := strings.Cut(test, " ")
		pkg, target, _ := strings.Cut(program, "::")
		found := false
		for id, member := range p.packages {
			if member.name == pkg {
				s.far[id], found = 0, true
				named = named && len(member.custom) == 0 // another harness may lack the option
			}
		}
		if !found {
			return selection{}, false
		}
		named = named && target != exampleTarget // the names of examples contain lines
		s.tests = append(s.tests, name)
		targets = append(targets, optionOf(target))
	}
	if s.args = p.specs(s.far); !named {
		s.tests = nil
	}
	if !slices.Contains(targets, "") {
		s.targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	}
	return s, true
}

// optionOf returns cargo's option for the program of a test, as in its name: "" after the package is the library, "bin/x", "example/x" and
// "bench/x" say what they are, and the rest are programs of tests. The examples of the documentation have none: their option excludes all others.
func optionOf(target string) string {
	kind, name, is := strings.Cut(target, "/")
	switch {
	case target == exampleTarget:
		return ""
	case target == "":
		return "--lib"
	case !is:
		return optionTest + target
	case kind == "bin" || kind == "example" || kind == "bench":
		return "--" + kind + "=" + name
	}
	return ""
}

// optionTest is cargo's option for a program of tests, without its name.
const optionTest = "--test="
