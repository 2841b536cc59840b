package rust

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// changed returns the packages, by id, that contain files or compile them; tests are those with changes only in tests, examples or
// benchmarks, which no other package can use. It is not ok if files concern all packages, or the packages are unknown.
func (p project) changed(files []string) (code, tests map[string]int, ok bool) {
	code, tests = map[string]int{}, map[string]int{}
	for _, file := range files {
		if !isRead(p.sources, file) {
			continue
		}
		owners := p.owners(file)
		readers := p.readers(file)
		if p.concernsAll(file) || len(owners) == 0 && (len(readers) == 0 || isRust(file)) {
			return nil, nil, false
		}
		for _, owner := range owners {
			if owner.onlyTests(file) {
				tests[owner.id] = 0
			} else {
				code[owner.id] = 0
			}
		}
		for _, reader := range readers {
			code[reader.id] = 0
		}
	}
	return code, tests, true
}

// targetsOf returns cargo's options for the programs of tests that files belong to: as their main files, or as modules in the folder of the same name. None means that a file is
// something else, or that others may contain it.
func (p project) targetsOf(files []string) (names []string) {
	for _, file := range files {
		if !isRead(p.sources, file) {
			continue
		}
		before := len(names)
		for _, member := range p.packages {
			for main, name := range member.tests {
				if file == main || p.isModule(file, main, member) {
					names = append(names, optionTest+name)
				}
			}
		}
		if len(names) == before || len(p.readers(file)) > 0 {
			return nil
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isModule reports whether a file is in the folder of a program of tests, "tests/it/" of "tests/it.rs", and no other program of the package names that folder.
func (p project) isModule(file, main string, member pkg) bool {
	folder := strings.TrimSuffix(main, ".rs")
	if !strings.HasPrefix(file, folder+"/") {
		return false
	}
	for other := range member.tests {
		if other != main && strings.Contains(string(p.sources.Read(other)), path.Base(folder)) {
			return false
		}
	}
	return true
}

// concernsAll reports whether a file controls how all packages are built or checked, or is outside of the project.
func (p project) concernsAll(file string) bool {
	base := path.Base(file)
	switch {
	case !filepath.IsLocal(file), file == manifestName, file == "build.rs", base == "Cargo.lock",
		slices.Contains(strings.Split(file, "/"), ".cargo"), strings.HasPrefix(base, "rust-toolchain"), strings.HasSuffix(base, "clippy.toml"):
		return true
	}
	return base == manifestName && p.sources.Read(file) == nil // a package was deleted
}

// owners returns the packages whose folder contains a file: those of the nearest manifest, or of the nearest main file of a target.
// None: it is in no package, or in one that is not a member.
func (p project) owners(file string) (all []pkg) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, member := range p.packages {
			if member.dir == dir || slices.Contains(member.sources, dir) {
				all = append(all, member)
			}
		}
		if len(all) > 0 || dir == "." || p.sources.Read(manifestIn(dir)) != nil {
			return all
		}
	}
}

var takesIn = lazyregexp.New(`\binclude(?:_str|_bytes)?!|#!?\[\s*path\b`)

// readers returns the packages with code that includes a file from anywhere.
func (p project) readers(file string) (all []pkg) {
	for _, name := range mentioning(p.sources, path.Base(file)) {
		if takesIn.Match(p.sources.Read(name)) {
			all = append(all, p.owners(name)...)
		}
	}
	return all
}

// onlyTests reports whether a file of a package is in the folder of its tests, examples or benchmarks.
func (m pkg) onlyTests(file string) bool {
	rest, inside := strings.CutPrefix(file, strings.TrimPrefix(m.dir+"/", "./"))
	top, _, below := strings.Cut(rest, "/")
	return inside && below && slices.Contains([]string{"tests", "examples", "benches"}, top)
}
