package javascript

import (
	"slices"
	"strings"
)

// covered are programs of scripts that gates start themselves, and those that check nothing.
var covered = []string{
	"eslint", "prettier", "tsc", "vitest", "jest", "mocha", "node", "tsx",
	"echo", "true", "exit", "cd", "rm", "rimraf", "cp", "cpy", "mv", "mkdir", "mkdirp", "shx", "del", "del-cli", "sleep", "export", "set", "cat", "git",
	"npm", "pnpm", "yarn", "bun", "npx", "npm-run-all", "run-s", "run-p", "husky", "wait-on", "open", "open-cli",
}

// leftOut names the programs that the script "test", or what npm runs around it, starts from node_modules/.bin, and that no gate does:
// linters, tests of types. What they would say is not known when all gates have passed.
func (p *project) leftOut() (programs []string) {
	for _, script := range []string{"pretest", "test", "posttest"} {
		for _, name := range p.manifest.programs(script, maxDepth) {
			if !slices.Contains(covered, name) && !slices.Contains(p.unread(), name) && !slices.Contains(programs, name) && p.binary(name) != "" {
				programs = append(programs, name)
			}
		}
	}
	return programs
}

// programs are those that a script starts, in order, through the scripts that it calls.
func (m manifest) programs(script string, depth int) (names []string) {
	if depth == 0 {
		return nil
	}
	all, lost := commands(m.Scripts[script])
	for _, words := range append(all, lost...) {
		if others := called(words); len(others) > 0 {
			for _, other := range others {
				names = append(names, m.programs("pre"+other, depth-1)...)
				names = append(names, m.programs(other, depth-1)...)
			}
			continue
		}
		for _, w := range words {
			if name := programOf(w.text); !strings.Contains(w.text, "=") && !strings.HasPrefix(w.text, "-") && !slices.Contains(wrappers, name) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// andLeftOut adds to what a suite says which steps of the project's own test were not taken.
func (p *project) andLeftOut(summary string) string {
	if programs := p.leftOut(); len(programs) > 0 {
		return summary + "; not run: " + strings.Join(programs, ", ") + " (of the script test)"
	}
	return summary
}
