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
var Wrappers = []string{"c8", "nyc", "cross-env", "npx", "env", "dotenv", "dotenvx", "env-cmd", "exec", "pnpm", "yarn", "npm", "bunx", "node"}

// Runs returns the calls of some programs in a script, including the scripts it calls. Commands that only a shell can run
// (pipes, variables, substitutions) are omitted.
func (m Manifest) Runs(script string, programs ...string) []Call {
	return m.calls(script, programs, MaxDepth)
}

func (m Manifest) calls(script string, programs []string, depth int, more ...Word) (found []Call) {
	if depth == 0 {
		return nil
	}
	for _, command := range m.given(script, more) {
		words := command.Words
		if !command.Sound {
			continue
		}
		if others, more := m.called(words); len(others) > 0 {
			for _, other := range others {
				found = append(found, m.calls(other, programs, depth-1, more...)...)
			}
			continue
		}
		if c, ok := CallOf(words, programs); ok {
			found = append(found, c)
		}
	}
	return found
}

// called returns the scripts that a command runs, and the words that it calls them with: "npm run x", "yarn x --ci", "run-s x y",
// "c8 -- npm run x".
func (m Manifest) called(words []Word) (scripts []string, more []Word) {
	words = unwrapped(words)
	if slices.ContainsFunc(words, func(w Word) bool { return otherPackage.MatchString(w.Text) }) {
		return nil, nil
	}
	plain := plainWords(words)
	if len(plain) < 2 {
		return nil, nil
	}
	switch plain[0] {
	case "npm-run-all", "run-s", "run-p":
		for _, name := range plain[1:] {
			scripts = append(scripts, m.named(name)...)
		}
		return scripts, nil
	case "npm", "pnpm", "yarn", "bun":
		return m.managed(words, plain)
	}
	return nil, nil
}

// managed returns the script that a command of a package manager runs. plain are its words without options.
func (m Manifest) managed(words []Word, plain []string) (scripts []string, more []Word) {
	word, name := plain[1], plain[1]
	switch _, is := m.Scripts[name]; {
	case name == "run" || name == "run-script":
		if len(plain) < 3 {
			return nil, nil
		}
		word, name = plain[2], plain[2]
	case (name == "test" || name == "t") && plain[0] != "bun": // which has its own runner
		name = "test"
	case plain[0] != "npm" && (is && !ownCommand.MatchString(plain[0]+" "+name) || strings.Contains(name, ":")):
	default:
		return nil, nil
	}
	return []string{name}, handed(words, plain[0] == "npm", word)
}

// ownCommand matches the commands of yarn, pnpm and bun, which they prefer to a script of that name.
var ownCommand = lazyregexp.New(`^(?:bun build|\w+ (?:a|access|add|audit|bin|cache|ci|config|constraints|create|dedupe|deploy|dlx|env|exec|explain|fetch|global|help|i|import|info|init|install|link|` +
	`list|ln|login|logout|ls|node|npm|outdated|owner|pack|patch|plugin|pm|policies|prune|publish|rb|rebuild|remove|repl|rm|root|search|server|set|setup|stage|store|tag|team|test|unlink|unplug|` +
	`up|update|upgrade|upgrade-interactive|version|why|workspaces?|x))$`)

// handed returns the words that a script is called with: those after its name, for npm only those after "--".
func handed(words []Word, npm bool, name string) []Word {
	at := slices.IndexFunc(words[1:], func(w Word) bool { return w.Text == "--" || !npm && w.Text == name }) + 1
	if at == 0 {
		return nil
	}
	if rest := words[at+1:]; len(rest) == 0 || rest[0].Text != "--" {
		return rest
	}
	return words[at+2:]
}

// given returns the commands of a script, of which the last one gets the words that the script is called with; none does at the end of a pipe.
func (m Manifest) given(script string, more []Word) []Command {
	all := commands(m.Scripts[script])
	if last := len(all) - 1; last >= 0 && !strings.Contains(m.Scripts[script], "|") {
		all[last].Words = append(all[last].Words, more...)
	}
	return all
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

// otherPackage matches options that run scripts of other packages.
var otherPackage = lazyregexp.New(`^(?:-w|-ws|-r|-C|--workspaces?|--recursive|--filter|--prefix|--dir|--cwd)(?:=|$)`)

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

// Flat returns the commands of a script, including those of the scripts that it calls. The script is called with more words.
func (m Manifest) Flat(script string, depth int, more ...Word) (all []Command) {
	if depth == 0 {
		return nil
	}
	for _, c := range slices.Concat(m.given("pre"+script, nil), m.given(script, more), m.given("post"+script, nil)) {
		others, with := m.called(c.Words)
		for _, other := range others {
			all = append(all, m.Flat(other, depth-1, with...)...)
		}
		if len(others) == 0 {
			all = append(all, c)
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
