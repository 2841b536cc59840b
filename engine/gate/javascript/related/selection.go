// Package related finds the files of tests that a change concerns, for runners that do not do that themselves: which files a call of a runner
// executes, and which of these import what has changed.
//
//	npm.Call ─► Select ─► Selection ─► ConcernedBy (imports) ─► Selection.To ─► npm.Call
//
// Invariants: a narrowed call executes no file that the call would not execute; what a change concerns is the same on both sides of it. If either cannot be
// told, the caller runs everything.
//
// Left out on purpose: names of files that code computes.
package related

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate/javascript/npm"
	"forge/internal/lazyregexp"
)

// Selection is what a call says of the files that a runner executes.
//
// Invariant: a suite that is narrowed executes no file that all of it would not execute.
type Selection struct {
	rest  []npm.Word                // the words that name no files
	Takes func(file string) bool    // whether the runner executes a file
	names func([]string) []npm.Word // how files are named for it; nil: by their paths
	loads []string                  // what it loads before them, as the call names it
}

// selectors read the calls of runners. Not ok is a call of which it cannot be told which files it names.
var selectors = map[string]func(p *npm.Project, c npm.Call) (s Selection, ok bool){
	"mocha": mochaFiles, "ava": avaFiles, "tap": tapFiles, "tape": tapeFiles, "uvu": uvuFiles, "node": nodeFiles, "tsx": nodeFiles,
}

// Select reads a call of a runner, in which no option is left that changes what is printed. Not ok: it cannot be told which files it names.
func Select(p *npm.Project, c npm.Call) (s Selection, ok bool) {
	read, is := selectors[c.Program]
	if !is {
		return s, false
	}
	if s, ok = read(p, c); !ok {
		return s, false
	}
	for _, entry := range c.Env {
		if options, is := strings.CutPrefix(entry, "NODE_OPTIONS="); is {
			s.loads = append(s.loads, strings.FieldsFunc(options, func(r rune) bool { return r == '=' || r == ' ' })...)
		}
	}
	return s, true
}

// To is a call that executes some files only.
func (s Selection) To(c npm.Call, files []string) npm.Call {
	names := s.names
	if names == nil {
		names = WordsOf
	}
	c.Args = append(slices.Clip(s.rest), names(files)...)
	return c
}

// WordsOf names files by their paths.
func WordsOf(files []string) (words []npm.Word) {
	for _, file := range files {
		words = append(words, npm.Word{Text: npm.Here(filepath.FromSlash(file)), Quoted: true})
	}
	return words
}

// options are those of a runner: which have a value as the next word, which have none, and which change what files are executed in a way that
// nobody here reads.
type options struct{ valued, flags, unsure []string }

// flagName is how options are called that have no value.
var flagName = lazyregexp.New(`^--(?:no|experimental|trace|enable|allow|expose|harmony|preserve)-|^-[A-Z]?$`)

// split tells the words that name files from options and their values. Not ok: a word may be either.
func (o options) split(words []npm.Word) (rest, named []npm.Word, ok bool) {
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i].Text, "=")
		next := i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-")
		switch {
		case name == "--":
			return rest, append(named, words[i+1:]...), true
		case !strings.HasPrefix(name, "-"):
			named = append(named, words[i])
		case slices.Contains(o.unsure, name):
			return nil, nil, false
		case slices.Contains(o.valued, name) && !joined && next:
			rest = append(rest, words[i], words[i+1])
			i++
		case joined || !next || slices.Contains(o.flags, name) || flagName.MatchString(name):
			rest = append(rest, words[i])
		default:
			return nil, nil, false
		}
	}
	return rest, named, true
}

// values are those of some options, and all words but these options.
func (o options) values(words []npm.Word, names ...string) (values []string, others []npm.Word) {
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i].Text, "=")
		valued := !joined && slices.Contains(o.valued, name) && i+1 < len(words)
		taken := slices.Contains(names, name)
		switch {
		case taken && valued:
			values = append(values, words[i+1].Text)
		case taken && joined:
			values = append(values, value)
		case valued:
			others = append(others, words[i], words[i+1])
		default:
			others = append(others, words[i])
		}
		if valued {
			i++
		}
	}
	return values, others
}

// loaded are the values of options: some are files that are loaded before the tests.
func loaded(words []npm.Word) (names []string) {
	for i, w := range words {
		_, value, joined := strings.Cut(w.Text, "=")
		switch {
		case joined:
			names = append(names, value)
		case !strings.HasPrefix(w.Text, "-") && i > 0:
			names = append(names, w.Text)
		}
	}
	return names
}

// isFolder reports whether a path of a project is one of a folder.
func isFolder(p *npm.Project, name string) bool {
	info, err := os.Stat(filepath.Join(p.Dir, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// unreadable is what patterns have that are not read here. "**" is read where it stands for folders.
var unreadable = lazyregexp.New(`[\[\]()!\\]|\.\.|[^/]\*\*|\*\*[^/]|^/|^~`)

// taking are the files that words name: files, patterns, and folders if folder says which of their files they stand for. Not ok: one of them
// cannot be read.
func taking(p *npm.Project, words []string, folder func(dir, file string) bool) (takes func(file string) bool, ok bool) {
	folders := map[string]bool{}
	for i, w := range words {
		w = path.Clean(w)
		words[i], folders[w] = w, isFolder(p, w)
		if unreadable.MatchString(w) || !filepath.IsLocal(w) || folder == nil && folders[w] {
			return nil, false
		}
	}
	return func(file string) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			switch {
			case folders[word]:
				return (word == "." || strings.HasPrefix(file, word+"/")) && folder(word, file)
			case strings.ContainsAny(word, "*?{"):
				return !strings.HasPrefix(path.Base(file), ".") && npm.Matches(word, file)
			}
			return file == word
		})
	}, true
}
