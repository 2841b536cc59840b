package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Failpoints returns the names of the places that packages declare for failpoint.Hit, for tests that kill a process at each of them: constants whose names begin with fail. A package is a folder of this
// module, slash-separated. It panics if a package declares none: a test without places would pass.
func Failpoints(packages ...string) (names []string) {
	constant := regexp.MustCompile(`(?m)^\s*(?:const )?[fF]ail\w+\s*= "([a-z]+\.[a-z.-]+)"`)
	for _, name := range packages {
		files, _ := filepath.Glob(filepath.Join(root(), filepath.FromSlash(name), "*.go")) // a valid pattern
		before := len(names)
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // a file of this module
			if err != nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range constant.FindAllStringSubmatch(string(text), -1) {
				names = append(names, found[1])
			}
		}
		if len(names) == before {
			panic(fmt.Sprintf("package %s declares no failpoints", name))
		}
	}
	return names
}

// root returns the top folder of the module: the nearest one above the working directory, which is that of the tests.
func root() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
	}
	panic("the tests run outside of their module")
}
