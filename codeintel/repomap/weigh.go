package repomap

import (
	"math"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/search"
)

// How likely a request is about a file, by what speaks for it.
const (
	priorTarget  = 1.2
	priorPath    = 1.1
	priorDefines = 0.8
	priorHit     = 1.0 // the first that search finds; others less
	priorUses    = 0.35
	priorBeside  = 0.8 // of the prior of the code that tests are of, and the other way round
	hitFade      = 0.3
	mostSources  = 16
	mostHits     = 14
	bestBeside   = 6 // files whose counterparts are looked for
)

// candidates are the files of which something may be shown, the likeliest first.
func (e *excerpting) candidates() []*source {
	m, prior := e.mapper, map[int32]float64{}
	raise := func(number int32, p float64) { prior[number] = max(prior[number], p) }
	for _, p := range e.request.Targets {
		if number, known := m.numbers[p]; known {
			raise(number, priorTarget)
		}
	}
	for _, number := range e.mentions.in(m.documents) {
		raise(number, priorPath)
	}
	for i := range e.request.Hits[:min(len(e.request.Hits), mostHits)] {
		if number, known := m.numbers[e.request.Hits[i].Path]; known {
			share := math.Sqrt(e.request.Hits[i].Score / max(e.request.Hits[0].Score, 1e-9))
			raise(number, priorHit*share/(1+hitFade*float64(i)))
		}
	}
	for _, name := range e.mentions.names {
		users, definers := m.holders(name)
		for _, number := range definers {
			raise(number, priorDefines/math.Sqrt(float64(len(definers))))
		}
		for _, number := range users {
			raise(number, priorUses/math.Sqrt(math.Max(1, float64(len(users))/4)))
		}
	}
	e.usedBy(raise)
	for number := range prior {
		if isProse(m.documents[number].Path) || m.documents[number].Language == "" {
			prior[number] *= 0.5
		}
	}
	e.beside(prior)
	for _, number := range e.changelogs() {
		raise(number, priorLog)
	}
	for number := range prior {
		prior[number] *= e.kind(m.documents[number].Path)
	}
	return e.read(prior)
}

// What is known from the tests that were written: the code beside them, and what they call by a name that few files define.
const (
	priorTested  = 0.9
	priorUsed    = 0.6
	gainTested   = 0.6
	mostDefiners = 4
	mostUsed     = 60 // names
)

func (e *excerpting) usedBy(raise func(number int32, p float64)) {
	for _, p := range e.request.Changed {
		if number, known := e.mapper.numbers[p]; known && search.IsTest(p) {
			for i, other := range e.mapper.counterparts(number) {
				raise(other, priorTested/float64(1+i))
			}
		}
	}
	e.used = map[string]float64{}
	for name := range codeintel.Identifiers(e.request.Uses) {
		if _, seen := e.used[name]; seen || len(name) < 4 || len(e.used) >= mostUsed {
			continue
		}
		_, definers := e.mapper.holders(name)
		definers = slices.DeleteFunc(definers, func(number int32) bool { return search.IsTest(e.mapper.documents[number].Path) })
		e.used[name] = 0
		if len(definers) == 0 || len(definers) > mostDefiners {
			continue
		}
		e.used[name] = gainTested / float64(len(definers))
		for _, number := range definers {
			raise(number, priorUsed/float64(len(definers)))
		}
	}
}

// The files that the author of tests, and the author of code, looks at.
const (
	testsForCode = 0.45
	codeForTests = 0.6
)

func (e *excerpting) kind(name string) float64 {
	switch test := search.IsTest(name); {
	case e.request.Tests && !test:
		return codeForTests
	case !e.request.Tests && test:
		return testsForCode
	}
	return 1
}

// beside adds the tests of code that is likely meant, and the code of such tests.
func (e *excerpting) beside(prior map[int32]float64) {
	ranked := rankedBy(prior)
	for _, number := range ranked[:min(len(ranked), bestBeside)] {
		for i, other := range e.mapper.counterparts(number) {
			prior[other] = max(prior[other], priorBeside*prior[number]/float64(1+i))
		}
	}
}

func rankedBy(prior map[int32]float64) []int32 {
	numbers := make([]int32, 0, len(prior))
	for number := range prior {
		numbers = append(numbers, number)
	}
	slices.SortFunc(numbers, func(a, b int32) int {
		if prior[a] != prior[b] {
			if prior[a] > prior[b] {
				return -1
			}
			return 1
		}
		return int(a - b)
	})
	return numbers
}

const priorLog = 0.25

// changelogs are the files at the top in which a change is noted.
func (e *excerpting) changelogs() (numbers []int32) {
	for i := range e.mapper.documents {
		if isChangelog(e.mapper.documents[i].Path) {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers[:min(len(numbers), 2)]
}

func isChangelog(name string) bool {
	base := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return (path.Dir(name) == "." || path.Dir(name) == "docs") && (base == "changelog" || base == "changes" || base == "history" || base == "news")
}

// read reads the likeliest files and cuts them into units.
func (e *excerpting) read(prior map[int32]float64) (files []*source) {
	for _, number := range rankedBy(prior) {
		if len(files) == mostSources {
			break
		}
		d := &e.mapper.documents[number]
		text := e.mapper.read(number)
		if len(text) == 0 || slices.Contains(e.request.Changed, d.Path) && search.IsTest(d.Path) {
			continue // what the run has written is shown as that
		}
		f := &source{number: number, path: d.Path, prior: prior[number], lines: slices.Collect(strings.Lines(string(text)))}
		var symbols []codeintel.Symbol
		if d.Outline != nil {
			symbols = d.Outline.Symbols
		}
		f.units = unitsOf(f.lines, symbols)
		if isChangelog(d.Path) {
			f.units = newest(f.lines)
		}
		files = append(files, f)
	}
	return files
}

// newest are the places of a changelog where a change is noted: its beginning, and the end of its first chapter.
func newest(lines []string) []unit {
	const around = 10
	begin := unit{last: min(around, len(lines)) - 1}
	headings := 0
	for i, line := range lines {
		is := strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") || i+1 < len(lines) && isRule(lines[i+1]) && !isBlank(line)
		if !is || !strings.ContainsAny(line, "0123456789") && !strings.Contains(strings.ToLower(line), "unreleased") {
			continue
		}
		if headings++; headings == 2 {
			return []unit{begin, {first: max(0, i-around), last: i}}
		}
	}
	return []unit{begin}
}

// isRule reports whether a line underlines a heading.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && strings.Trim(line, line[:1]) == "" && strings.Contains("=-~^", line[:1])
}

// What speaks for a unit.
const (
	unitBase    = 0.04
	gainLines   = 1.0 // all words of the request stand in it, and in no other
	gainName    = 1.2 // its name is the request
	gainDefined = 1.2 // it defines what the request names
	gainNamed   = 0.9 // it is named after that, as tests are
	gainUsed    = 0.35
	gainQuoted  = 0.8
	gainSymbol  = 0.5 // search found it first
	gainChunk   = 0.15
	gainFirst   = 0.5 // of a changelog
)

// units weighs the units of all files.
func (e *excerpting) units() {
	symbols := e.symbolGains()
	for _, f := range e.files {
		words := make([]map[string]bool, len(f.units))
		texts := make([]string, len(f.units))
		in := map[string]int{}
		for i, u := range f.units {
			texts[i] = strings.Join(f.lines[u.first:u.last+1], "")
			words[i] = map[string]bool{}
			for word := range codeintel.Words(texts[i]) {
				words[i][word] = true
			}
			for _, t := range e.terms {
				if words[i][t.word] {
					in[t.word]++
				}
			}
		}
		for i, u := range f.units {
			score := unitBase + e.textual(u, firstLine(texts[i]), words[i], in, len(f.units)) + e.literal(u, texts[i])
			for _, name := range u.names {
				score += symbols[f.path+"\x00"+name] + e.used[name]
			}
			score += e.chunk(f, u)
			if isChangelog(f.path) {
				score = 0
				if i < 2 {
					score = gainFirst
				}
			}
			e.steps = append(e.steps, glance{file: f, unit: i, score: f.prior * score, weight: f.prior * score})
		}
	}
	e.byScore()
}

// textual is how much of a request stands in a unit, and in its names.
func (e *excerpting) textual(u unit, first string, words map[string]bool, in map[string]int, of int) (score float64) {
	for _, t := range e.terms {
		if words[t.word] {
			score += gainLines * t.weight * math.Log(1+float64(of)/float64(in[t.word])) / math.Log(1+float64(of))
		}
	}
	best := 0.0
	names := u.names
	if len(names) == 0 {
		names = []string{first}
	}
	for _, name := range names {
		named := slices.Collect(codeintel.Words(name))
		hit, share := 0, 0.0
		for _, t := range e.terms {
			if slices.Contains(named, t.word) {
				hit, share = hit+1, share+t.weight
			}
		}
		if len(named) > 0 {
			best = max(best, share*math.Sqrt(float64(hit)/float64(len(named))))
		}
	}
	return score + gainName*best
}

// firstLine is the first line that has something: of a test without a symbol, its title.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// literal is what a unit gains by what the request says literally.
func (e *excerpting) literal(u unit, text string) (score float64) {
	used := 0.0
	for _, name := range e.mentions.names {
		switch {
		case slices.Contains(u.names, name):
			score += gainDefined
		case slices.ContainsFunc(u.names, func(n string) bool { return strings.Contains(strings.ToLower(n), strings.ToLower(name)) }):
			score += gainNamed
		case strings.Contains(text, name):
			used += gainUsed
		}
	}
	for _, quote := range e.mentions.quotes {
		if strings.Contains(text, quote) {
			score += gainQuoted
		}
	}
	return min(score, 2*gainDefined) + min(used, 3*gainUsed)
}

// symbolGains are those of the definitions that search found, by path and name.
func (e *excerpting) symbolGains() map[string]float64 {
	gains := map[string]float64{}
	for i := range e.request.Symbols {
		s := &e.request.Symbols[i]
		key := s.Path + "\x00" + s.Symbol.Name
		gains[key] = max(gains[key], gainSymbol*s.Score/max(e.request.Symbols[0].Score, 1e-9))
	}
	return gains
}

// chunk is what a unit gains that has the lines that search found best.
func (e *excerpting) chunk(f *source, u unit) float64 {
	for i := range e.request.Hits[:min(len(e.request.Hits), mostHits)] {
		h := &e.request.Hits[i]
		if h.Path == f.path && h.FirstLine > 0 && u.first < h.LastLine && u.last+1 >= h.FirstLine {
			return gainChunk
		}
	}
	return 0
}
