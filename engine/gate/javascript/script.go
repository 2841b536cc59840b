package javascript

import (
	"maps"
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// call is a program that a script starts.
type call struct {
	program string
	args    []word
	env     []string // "NAME=value"
}

// word is a word of a script.
type word struct {
	text   string
	quoted bool // the shell would not expand it
}

// maxDepth is how many scripts may call each other.
const maxDepth = 5

// wrappers start the program that their last words name; what they are for (coverage, variables) does not matter to a gate.
var wrappers = []string{"c8", "nyc", "cross-env", "npx", "env", "dotenv", "exec", "pnpm", "yarn", "npm", "bunx", "node"}

// runs gives the calls of some programs that a script makes, through the scripts it calls. What only a shell could make sense of
// (pipes, variables, substitutions) is left out.
func (m manifest) runs(script string, programs ...string) []call {
	return m.calls(script, programs, maxDepth)
}

func (m manifest) calls(script string, programs []string, depth int) (found []call) {
	if depth == 0 {
		return nil
	}
	for _, command := range commands(m.Scripts[script]) {
		words := command.words
		if !command.sound {
			continue
		}
		if others := m.called(words); len(others) > 0 {
			for _, other := range others {
				found = append(found, m.calls(other, programs, depth-1)...)
			}
			continue
		}
		if c, ok := callOf(words, programs); ok {
			found = append(found, c)
		}
	}
	return found
}

// called are the scripts that a command runs: "npm run x", "yarn x", "run-s x y", "c8 -- npm run x".
func (m manifest) called(words []word) (scripts []string) {
	words = unwrapped(words)
	if slices.ContainsFunc(words, func(w word) bool { return elsewhere.MatchString(w.text) }) {
		return nil
	}
	plain := plainWords(words)
	if len(plain) < 2 {
		return nil
	}
	switch plain[0] {
	case "npm-run-all", "run-s", "run-p":
		for _, name := range plain[1:] {
			scripts = append(scripts, m.named(name)...)
		}
		return scripts
	case "npm", "pnpm", "yarn", "bun":
		switch {
		case plain[1] == "run" || plain[1] == "run-script":
			return plain[2:min(3, len(plain))]
		case (plain[1] == "test" || plain[1] == "t") && plain[0] != "bun": // which has a runner of its own
			return []string{"test"}
		case plain[0] == "yarn" || plain[0] == "pnpm":
			if strings.Contains(plain[1], ":") {
				return plain[1:2]
			}
		}
	}
	return nil
}

// plainWords are those that are no options, before those that are for another program.
func plainWords(words []word) (plain []string) {
	for _, w := range words {
		if w.text == "--" {
			break
		}
		if !strings.HasPrefix(w.text, "-") {
			plain = append(plain, w.text)
		}
	}
	return plain
}

// elsewhere are options by which scripts of other packages are run.
var elsewhere = lazyregexp.New(`^(?:-w|-ws|-r|-C|--workspaces?|--recursive|--filter|--prefix|--dir|--cwd)(?:=|$)`)

// named are the scripts that a word of run-s means: "test:*" is all whose names begin so.
func (m manifest) named(word string) (scripts []string) {
	if !strings.Contains(word, "*") {
		return []string{word}
	}
	pattern := strings.ReplaceAll(word, ":", "/")
	for _, name := range slices.Sorted(maps.Keys(m.Scripts)) {
		if is, err := path.Match(strings.ReplaceAll(pattern, "**", "*"), strings.ReplaceAll(name, ":", "/")); err == nil && is {
			scripts = append(scripts, name)
		}
	}
	return scripts
}

// unwrapped is what a wrapper starts, if that is what runs scripts; else all the words.
func unwrapped(words []word) []word {
	wrapped := false
	for i, w := range words {
		switch name := programOf(w.text); {
		case slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "npm-run-all", "run-s", "run-p"}, name):
			return words[i:]
		case slices.Contains(wrappers, name), strings.Contains(w.text, "="):
			wrapped = true
		case !wrapped:
			return words
		}
	}
	return words
}

// callOf finds one of some programs in a command.
func callOf(words []word, programs []string) (c call, ok bool) {
	wrapped := false
	for i, w := range words {
		name := programOf(w.text)
		switch at := strings.IndexByte(w.text, '='); {
		case slices.Contains(programs, name) && (wrapped || len(c.env) == i):
			c.program, c.args = name, words[i+1:]
			return c, true
		case at > 0 && !strings.HasPrefix(w.text, "-") && isName(w.text[:at]):
			c.env = append(c.env, w.text)
		case slices.Contains(wrappers, name):
			wrapped = true
		case !wrapped:
			return call{}, false
		}
	}
	return call{}, false
}

// programOf is the name of a program: "./node_modules/mocha/bin/_mocha" is mocha.
func programOf(text string) string {
	base := path.Base(text)
	for _, ending := range []string{".js", ".mjs", ".cjs", ".cmd"} {
		base = strings.TrimSuffix(base, ending)
	}
	return strings.TrimPrefix(base, "_")
}

func isName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// formatter is what makes the output of tests nice to look at, behind a pipe.
var formatter = lazyregexp.New(`^(?:tap-.+|.+-tap|faucet|colortape|snazzy|tee|cat|pino-pretty)$`)

// anyRun gives the calls of a program by any script, in the order of their names.
func (m manifest) anyRun(program string) (found []call) {
	for _, name := range slices.Sorted(maps.Keys(m.Scripts)) {
		found = append(found, m.runs(name, program)...)
	}
	return found
}
