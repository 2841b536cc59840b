package search

import (
	"slices"
	"strings"
)

// follow returns which documents of a view each commit changed. A file that was moved since is found where it is now.
func (p *past) follow(f *files) [][]uint32 {
	moved := p.moves(f)
	touched := make([][]uint32, len(p.changes))
	for i := range p.changes {
		for _, name := range p.changes[i].paths {
			id, ok := f.byPath[name]
			if !ok {
				id, ok = moved[name]
			}
			if ok && !slices.Contains(touched[i], id) {
				touched[i] = append(touched[i], id)
			}
		}
	}
	return touched
}

// moves finds where files are that are no more at a path: the last commit that names the path also names another
// one that begins there, with the same name, and the longest end in common.
func (p *past) moves(f *files) map[string]uint32 {
	begins := map[string]int{}
	for i := range p.changes {
		for _, name := range p.changes[i].paths {
			begins[name] = i
		}
	}
	now, seen := map[string]uint32{}, map[string]bool{}
	for i := range p.changes { // newest first: where a path leads on is known before
		for _, old := range p.changes[i].paths {
			if _, known := f.byPath[old]; known || seen[old] {
				continue
			}
			seen[old] = true
			next := moveWithin(p.changes[i].paths, old, func(name string) bool { return begins[name] == i })
			if id, ok := f.byPath[next]; ok {
				now[old] = id
			} else if id, ok := now[next]; ok {
				now[old] = id
			}
		}
	}
	return now
}

// moveWithin returns the path of one commit that another one most probably became; empty if there is none.
func moveWithin(paths []string, old string, begins func(string) bool) string {
	best, most := "", 0
	for _, name := range paths {
		if name == old || !begins(name) {
			continue
		}
		if n := sharedEnd(old, name); n > most {
			best, most = name, n
		}
	}
	return best
}

// sharedEnd counts the parts of two paths that are the same from the end: 0 unless the names are.
func sharedEnd(a, b string) int {
	n := 0
	for {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			return n
		}
		n++
		if i < 0 || j < 0 {
			return n
		}
		a, b = a[:i], b[:j]
	}
}

// sharedStart counts the folders that two paths have in common from the root.
func sharedStart(a, b string) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '/' {
			n++
		}
	}
	return n
}
