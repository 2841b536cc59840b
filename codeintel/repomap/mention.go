package repomap

import (
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/index"
	"forge/internal/lazyregexp"
)

// mentions are what a request says literally: names as code writes them, paths, and texts in quotes such as messages of errors.
type mentions struct {
	names  []string
	quotes []string
	paths  []string
}

var (
	// codeMention finds what is in backticks, and what is called or is a part of something.
	codeMention = lazyregexp.New("`([^`\n]{1,120})`|\\b([A-Za-z_]\\w*)\\(|\\.([A-Za-z_]\\w+)|\\b([A-Za-z_]\\w+)\\.[A-Za-z_]")
	quoted      = lazyregexp.New(`"([^"\n]{6,160})"|'([^'\n]{6,160})'|“([^”\n]{6,160})”`)
	pathMention = lazyregexp.New(`[\w@.-]+(?:/[\w@.-]+)+|\w[\w-]*(?:\.\w+)*\.[A-Za-z]\w{0,4}\b`)
)

// mostMentions bounds what is looked for of each kind.
const mostMentions = 24

func mentionsIn(text string) (m mentions) {
	for _, found := range codeMention.FindAllStringSubmatch(text, -1) {
		for i, group := range found[1:] {
			if i == 0 && strings.ContainsAny(group, " \t") {
				m.quotes = appendNew(m.quotes, group)
			}
			for name := range codeintel.Identifiers(group) {
				m.names = appendName(m.names, name)
			}
		}
	}
	for name := range codeintel.Identifiers(text) {
		if isWritten(name) {
			m.names = appendName(m.names, name)
		}
	}
	for _, found := range quoted.FindAllStringSubmatch(text, -1) {
		for _, group := range found[1:] {
			if group != "" {
				m.quotes = appendNew(m.quotes, group)
			}
		}
	}
	for _, found := range pathMention.FindAllString(text, -1) {
		m.paths = appendNew(m.paths, found)
	}
	return m
}

// isWritten reports whether a word is a name as code writes it, with capitals inside or "_", and not a plain word.
func isWritten(name string) bool {
	inside := strings.Trim(name, "_")
	return len(name) > 2 && (strings.Contains(inside, "_") || inside != name ||
		strings.ToLower(inside[1:]) != inside[1:] && strings.ToUpper(inside) != inside)
}

func appendName(names []string, name string) []string {
	if len(name) < 3 || name[0] >= '0' && name[0] <= '9' {
		return names
	}
	return appendNew(names, name)
}

func appendNew(list []string, text string) []string {
	if len(list) >= mostMentions || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// in returns the paths of documents that a request names, or the ends of which it names.
func (m mentions) in(documents []index.Document) (numbers []int32) {
	for _, mention := range m.paths {
		for i := range documents {
			before, is := strings.CutSuffix(documents[i].Path, strings.TrimPrefix(mention, "./"))
			if is && (before == "" || strings.HasSuffix(before, "/")) {
				numbers = append(numbers, int32(i))
			}
		}
	}
	return numbers
}

// mostHolders is how many files may have a name, or define it, for all of them to be looked at.
const mostHolders = 60

// holders returns the documents that have a name in their lines, and those that may define it. A name that occurs everywhere is no evidence.
func (m *Mapper) holders(name string) (users, definers []int32) {
	words := codeintel.WordsOf(name)
	if len(words) == 0 {
		return nil, nil
	}
	lines, symbols := m.view.Holders(words[0])
	for _, number := range symbols {
		c := m.catalog(int32(number))
		if slices.ContainsFunc(c.entries, func(e entry) bool { return e.name == name }) {
			definers = append(definers, int32(number))
		}
	}
	if len(lines) > mostHolders {
		return nil, definers[:min(len(definers), mostHolders)]
	}
	for _, number := range lines {
		users = append(users, int32(number))
	}
	slices.Sort(users)
	slices.Sort(definers)
	return users, definers
}
