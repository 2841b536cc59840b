package javascript

import (
	"maps"
	"slices"
	"strings"
)

// strangers are programs that run tests and that Forge cannot read; the words are those that have to follow, if any.
var strangers = map[string]string{
	"ava": "", "tap": "", "tape": "", "uvu": "", "jasmine": "", "qunit": "", "karma": "", "lab": "", "borp": "",
	"bun": "test", "deno": "test", "react-scripts": "test", "craco": "test", "ng": "test",
}

// unread are the programs that the script "test" runs tests with and that Forge does not start: strangers, and those of commands that
// only a shell can make sense of, such as a pipe.
func (p *project) unread() []string {
	found := p.manifest.unread("test", maxDepth)
	slices.Sort(found)
	return slices.Compact(found)
}

func (m manifest) unread(script string, depth int) (found []string) {
	if depth == 0 {
		return nil
	}
	all, lost := commands(m.Scripts[script])
	for _, words := range all {
		for _, other := range called(words) {
			found = append(found, m.unread(other, depth-1)...)
		}
		if name, is := stranger(words); is {
			found = append(found, name)
		}
	}
	for _, words := range lost {
		if name, is := stranger(words); is {
			found = append(found, name)
		} else if c, is := callOf(words, runnerNames()); is {
			found = append(found, c.program)
		}
	}
	return found
}

// stranger is the program that a command runs tests with, if it is a stranger: "ava", "node node_modules/.bin/ava", and not the word of
// an option, as in "npx mocha --reporter tap".
func stranger(words []word) (name string, is bool) {
	if _, is := callOf(words, runnerNames()); is {
		return "", false
	}
	c, is := callOf(words, append(known(), slices.Collect(maps.Keys(strangers))...))
	if !is {
		return "", false
	}
	if c.program == "node" || c.program == "tsx" {
		at := slices.IndexFunc(c.args, func(w word) bool { return strings.Contains(w.text, "node_modules/") })
		if at < 0 {
			return "", false
		}
		c.program, c.args = programOf(c.args[at].text), c.args[at+1:]
	}
	word, is := strangers[c.program]
	return c.program, is && (word == "" || len(c.args) > 0 && c.args[0].text == word)
}

// isStrange reports whether one of the programs is a stranger.
func isStrange(programs []string) bool {
	return slices.ContainsFunc(programs, func(name string) bool {
		_, is := strangers[name]
		return is
	})
}
