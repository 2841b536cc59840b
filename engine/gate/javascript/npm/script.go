package npm

import (
	"maps"
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Call is a program that a script starts.
type Call struct {
	Program string
	Args    []Word
	Env     []string // "NAME=value"
}

// Word is a word of a script.
type Word struct {
	Text   string
	Quoted bool // not subject to the shell's expansion
}

// MaxDepth limits how deep scripts may call each other.
const MaxDepth = 5

// Wrappers start the program that their last words name; their purpose (coverage, variables) does not matter to a gate.
var Wrappers = []string{"c8", "nyc", "cross-env", "npx", "env", "dotenv", "exec", "pnpm", "yarn", "npm", "bunx", "node"}

// Runs returns the calls of some programs in a script, including the scripts it calls. Commands that only a shell can run
// (pipes, variables, substitutions) are omitted.
func (m Manifest) Runs(script string, programs ...string) []Call {
	return m.calls(script, programs, MaxDepth)
}

func (m Manifest) calls(script string, programs []string, depth int) (found []Call) {
	if depth == 0 {
		return nil
	}
	for _, command := range commands(m.Scripts[script]) {
		words := command.Words
		if !command.Sound {
			continue
		}
		if others := m.called(words); len(others) > 0 {
			for _, other := range others {
				found = append(found, m.calls(other, programs, depth-1)...)
			}
			continue
		}
		if c, ok := CallOf(words, programs); ok {
			found = append(found, c)
		}
	}
	return found
}

// called returns the scripts that a command runs: "npm run x", "yarn x", "run-s x y", "c8 -- npm run x".
func (m Manifest) called(words []Word) (scripts []string) {
	words = unwrapped(words)
	if slices.ContainsFunc(words, func(w Word) bool { return elsewhere.MatchString(w.Text) }) {
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
		case (plain[1] == "test" || plain[1] == "t") && plain[0] != "bun": // which has its own runner
			return []string{"test"}
		case plain[0] == "yarn" || plain[0] == "pnpm":
			if strings.Contains(plain[1], ":") {
				return plain[1:2]
			}
		}
	}
	return nil
}

// plainWords returns the words that are not options, up to those for another program.
func plainWords(words []Word) (plain []string) {
	for _, w := range words {
		if w.Text == "--" {
			break
		}
		if !strings.HasPrefix(w.Text, "-") {
			plain = append(plain, w.Text)
		}
	}
	return plain
}

// elsewhere matches options that run scripts of other packages.
var elsewhere = lazyregexp.New(`^(?:-w|-ws|-r|-C|--workspaces?|--recursive|--filter|--prefix|--dir|--cwd)(?:=|$)`)

// named returns the scripts that a word of run-s matches: "test:*" matches a prefix.
func (m Manifest) named(word string) (scripts []string) {
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

// unwrapped returns the command inside a wrapper, if it runs scripts; otherwise all the words.
func unwrapped(words []Word) []Word {
	wrapped := false
	for i, w := range words {
		switch name := ProgramOf(w.Text); {
		case slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "npm-run-all", "run-s", "run-p"}, name):
			return words[i:]
		case slices.Contains(Wrappers, name), strings.Contains(w.Text, "="):
			wrapped = true
		case !wrapped:
			return words
		}
	}
	return words
}

// CallOf finds a call of one of some programs in a command.
func CallOf(words []Word, programs []string) (c Call, ok bool) {
	wrapped := false
	for i, w := range words {
		name := ProgramOf(w.Text)
		switch at := strings.IndexByte(w.Text, '='); {
		case slices.Contains(programs, name) && (wrapped || len(c.Env) == i):
			c.Program, c.Args = name, words[i+1:]
			return c, true
		case at > 0 && !strings.HasPrefix(w.Text, "-") && IsName(w.Text[:at]):
			c.Env = append(c.Env, w.Text)
		case slices.Contains(Wrappers, name):
			wrapped = true
		case !wrapped:
			return Call{}, false
		}
	}
	return Call{}, false
}

// ProgramOf returns the name of a program: "./node_modules/mocha/bin/_mocha" is mocha.
func ProgramOf(text string) string {
	base := path.Base(text)
	for _, ending := range []string{".js", ".mjs", ".cjs", ".cmd"} {
		base = strings.TrimSuffix(base, ending)
	}
	return strings.TrimPrefix(base, "_")
}

// IsName reports whether a text is a valid name of a variable.
func IsName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// formatter matches programs that format the output of tests, after a pipe.
var formatter = lazyregexp.New(`^(?:tap-.+|.+-tap|faucet|colortape|snazzy|tee|cat|pino-pretty)$`)

// AnyRun returns the calls of a program in any script, in the order of the scripts' names.
func (m Manifest) AnyRun(program string) (found []Call) {
	for _, name := range slices.Sorted(maps.Keys(m.Scripts)) {
		found = append(found, m.Runs(name, program)...)
	}
	return found
}

// Flat returns the commands of a script, including those of the scripts that it calls.
func (m Manifest) Flat(script string, depth int) (all []Command) {
	if depth == 0 {
		return nil
	}
	for _, name := range []string{"pre" + script, script, "post" + script} {
		for _, c := range commands(m.Scripts[name]) {
			others := m.called(c.Words)
			for _, other := range others {
				all = append(all, m.Flat(other, depth-1)...)
			}
			if len(others) == 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// TextsOf returns the texts of words.
func TextsOf(words []Word) (all []string) {
	for _, w := range words {
		all = append(all, w.Text)
	}
	return all
}
