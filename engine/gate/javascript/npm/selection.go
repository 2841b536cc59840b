package npm

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Selection is the set of files that a call of a runner executes. It finds the test files that a change concerns, for runners without this
// feature.
//
// Invariants: a narrowed call executes no file that the call would not execute; what a change concerns is the same on both sides of
// it. If either is unknown, the caller runs everything. Names of files that code computes are left out on purpose.
type Selection struct {
	rest  []Word                 // the words that name no files
	Takes func(file string) bool // whether the runner executes a file
	names func([]string) []Word  // how to name files for the runner; nil: by their paths
	loads []string               // files that it loads before them, as the call names them
}

// selectors interpret the calls of runners. Not ok: the files of the call are unknown.
var selectors = map[string]func(p *Project, c Call) (s Selection, ok bool){
	"mocha": mochaFiles, "ava": avaFiles, "tap": tapFiles, "tape": tapeFiles, "uvu": uvuFiles, "node": nodeFiles, "tsx": nodeFiles,
}

// Select interprets a call of a runner, without options that change the output. Not ok: the files of the call are unknown.
func Select(p *Project, c Call) (s Selection, ok bool) {
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

// To returns a call that executes some files only.
func (s Selection) To(c Call, files []string) Call {
	names := s.names
	if names == nil {
		names = WordsOf
	}
	c.Args = append(slices.Clip(s.rest), names(files)...)
	return c
}

// WordsOf returns words that name files by path.
func WordsOf(files []string) (words []Word) {
	for _, file := range files {
		words = append(words, Word{Text: Here(filepath.FromSlash(file)), Quoted: true})
	}
	return words
}

// options are those of a runner: with a value in the next word, without one, and those with an unsupported effect on the choice of
// files.
type options struct{ valued, flags, unsure []string }

// flagName matches options without a value.
var flagName = lazyregexp.New(`^--(?:no|experimental|trace|enable|allow|expose|harmony|preserve)-|^-[A-Z]?$`)

// split separates the words that name files from options and their values. Not ok: a word may be either.
func (o options) split(words []Word) (rest, named []Word, ok bool) {
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

// values returns the values of some options, and the words without these options.
func (o options) values(words []Word, names ...string) (values []string, others []Word) {
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

// loaded returns the values of options for files that are loaded before the tests.
func loaded(words []Word) (names []string) {
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

// isFolder reports whether a path of a project is a folder.
func isFolder(p *Project, name string) bool {
	info, err := os.Stat(filepath.Join(p.Dir, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// unreadable matches unsupported patterns. "**" is supported if it stands for folders.
var unreadable = lazyregexp.New(`[\[\]()!\\]|\.\.|[^/]\*\*|\*\*[^/]|^/|^~`)

// taking returns the files that words name: files, patterns, and folders if folder decides which of their files are included. Not
// ok: one of the words is unsupported.
func taking(p *Project, words []string, folder func(dir, file string) bool) (takes func(file string) bool, ok bool) {
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
				return !strings.HasPrefix(path.Base(file), ".") && Matches(word, file)
			}
			return file == word
		})
	}, true
}
