package python

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
)

// alone are tests by their names, with the files that they are in, or only these files. Where a file is not known all of them are read.
func (p project) alone(scope gate.Scope) (s selection) {
	if len(scope.Only) == 0 {
		return s
	}
	files, err := sources(p.dir)
	from, upErr := filepath.Rel(p.rootdir(), p.dir) // pytest names tests from its root
	if err != nil || upErr != nil {
		files = nil
	}
	for _, test := range scope.Only {
		file := fileOfTest(files, filepath.ToSlash(from), test)
		if file == "" {
			s.files, files = nil, nil
		} else if !slices.Contains(s.files, file) {
			s.files = append(s.files, file)
		}
	}
	if len(files) == 0 {
		s.files = nil
	}
	if !scope.Files {
		s.names = scope.Only
	}
	return s
}

// fileOfTest is the file that a test is in, by its name "tests.test_a.TestX.test_y[1]".
func fileOfTest(files []string, from, test string) (found string) {
	name, _, _ := strings.Cut(test, "[")
	best := 0
	for _, file := range files {
		module := moduleOf(path.Join(from, file))
		if strings.HasPrefix(name, module+".") && len(module) > best {
			best, found = len(module), file
		}
	}
	return found
}

// beyond are those of some tests that stand in files which only use what has changed.
func (p project) beyond(tests []string, of selection) (names []string) {
	from, err := filepath.Rel(p.rootdir(), p.dir)
	if err != nil {
		return nil
	}
	for _, test := range tests {
		if slices.Contains(of.later, fileOfTest(of.files, filepath.ToSlash(from), test)) {
			names = append(names, test)
		}
	}
	return names
}
