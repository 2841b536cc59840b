package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate/javascript/npm"
)

// isFormatted reports whether the project's own command formats a file: a script that runs prettier on it. Without such a command,
// any file is formatted.
func isFormatted(p *npm.Project, file string) bool {
	patterns := formattedPaths(p)
	in, named := false, false
	for _, pattern := range patterns {
		rest, out := strings.CutPrefix(pattern, "!")
		if !out {
			named = true
		}
		if npm.Matches(rest, file) {
			in = !out
		}
	}
	return in || !named
}

// formattedPaths returns the files, folders and patterns that scripts pass to prettier; none means all.
func formattedPaths(p *npm.Project) (paths []string) {
	for _, c := range p.AnyRun("prettier") {
		args := npm.TextsOf(keep(c.Args, formatWithout))
		for i, arg := range args {
			if arg != "--" && !strings.HasPrefix(arg, "-") && (i == 0 || !valued(args[i-1])) {
				paths = append(paths, arg)
			}
		}
	}
	return paths
}

// valued reports whether an option of prettier has its value in the next word.
func valued(option string) bool {
	return slices.Contains([]string{"--config", "--ignore-path", "--plugin", "--parser", "--config-precedence", "--with-node-modules", "--stdin-filepath"}, option)
}
