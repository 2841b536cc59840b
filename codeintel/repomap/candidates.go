package repomap

import (
	"maps"
	"math"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/search"
	"forge/internal/lazyregexp"
)

// priors are how likely a request is about each file.
type priors map[int32]float64

func (p priors) raise(number int32, to float64) { p[number] = max(p[number], to) }

// ranked are the files, the likeliest first.
func (p priors) ranked() []int32 {
	numbers := slices.Collect(maps.Keys(p))
	slices.SortFunc(numbers, func(a, b int32) int {
		switch {
		case p[a] > p[b]:
			return -1
		case p[a] < p[b]:
			return 1
		}
		return int(a - b)
	})
	return numbers
}

// candidates are the files of which something may be shown, the likeliest first.
func (e *excerpting) candidates() []*source {
	p, meant := priors{}, map[int32]bool{}
	for _, path := range e.request.Targets {
		if number, known := e.mapper.numbers[path]; known {
			p.raise(number, priorTarget)
			meant[number] = true
		}
	}
	e.plan(p, meant)
	for _, number := range e.mentions.in(e.mapper.documents) {
		p.raise(number, priorPath)
		meant[number] = true
	}
	e.found(p)
	e.usedBy(p)
	for number := range p {
		switch d := &e.mapper.documents[number]; {
		case meant[number]:
		case search.IsAside(d.Path):
			p[number] *= asideShare
		case isProse(d.Path) || d.Language == "":
			p[number] *= proseShare
		}
	}
	e.partners(p)
	for _, number := range e.mapper.changelogs() {
		p.raise(number, priorLog)
	}
	for number := range p {
		if !meant[number] {
			p[number] *= e.kind(e.mapper.documents[number].Path)
		}
	}
	return e.read(p)
}

// found are the files that search found, and those that define or use what the request names.
func (e *excerpting) found(p priors) {
	for i := range e.request.Hits[:min(len(e.request.Hits), mostHits)] {
		if number, known := e.mapper.numbers[e.request.Hits[i].Path]; known {
			share := math.Sqrt(e.request.Hits[i].Score / max(e.request.Hits[0].Score, 1e-9))
			p.raise(number, priorHit*share/(1+hitFade*float64(i)))
		}
	}
	for _, name := range e.mentions.names {
		users, definers := e.mapper.holders(name)
		for _, number := range definers {
			p.raise(number, priorDefines/math.Sqrt(float64(len(definers))))
		}
		for _, number := range users {
			p.raise(number, priorUses/math.Sqrt(math.Max(1, float64(len(users))/4)))
		}
	}
}

// usedBy are the files that define what the tests call which were written, by names that few files define.
func (e *excerpting) usedBy(p priors) {
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
			p.raise(number, priorUsed/float64(len(definers)))
		}
	}
}

// partners adds the tests of code that is likely meant, the code of such tests, and what else goes with them: by their names, and by
// the history of the folder.
func (e *excerpting) partners(p priors) {
	before, written := priors{}, map[int32]bool{}
	for _, number := range p.ranked()[:min(len(p), mostSought)] {
		if path := e.mapper.documents[number].Path; !isProse(path) {
			before[number] = p[number]
		}
	}
	for _, path := range e.request.Changed {
		if number, known := e.mapper.numbers[path]; known && search.IsTest(path) {
			before[number], written[number] = priorWritten, true
		}
	}
	sums := priors{}
	for _, number := range before.ranked() {
		of := map[int32]float64{}
		for i, other := range e.mapper.counterparts(number) {
			of[other] = priorBeside / float64(1+i)
			e.tested[other] = e.tested[other] || written[number]
		}
		path := e.mapper.documents[number].Path
		for _, partner := range e.with(path) {
			other, known := e.mapper.numbers[partner.Path]
			switch {
			case !known:
			case search.IsTest(partner.Path) != search.IsTest(path) || isProse(partner.Path):
				of[other] = max(of[other], priorPartner*partner.Share)
			default:
				of[other] = max(of[other], priorComrade*partner.Share)
			}
		}
		for other, share := range of {
			sums[other] += before[number] * share
		}
	}
	for number, sum := range sums {
		p[number] = max(p[number], min(sum, 1)) + partnerGain*min(p[number], sum)
	}
}

// with are the files that were changed together with one.
func (e *excerpting) with(path string) []search.Partner {
	if e.request.Partners == nil {
		return nil
	}
	return e.request.Partners(path)
}

// kind is the weight of a file of its kind for the author of tests, and for that of code.
func (e *excerpting) kind(name string) float64 {
	switch test := search.IsTest(name); {
	case e.request.Tests && !test:
		return codeForTests
	case test && !e.request.Tests && e.request.Uses != "":
		return testsForUses
	case test && !e.request.Tests:
		return testsForCode
	}
	return 1
}

// read reads the likeliest files and cuts them into units.
func (e *excerpting) read(p priors) (files []*source) {
	for _, number := range p.ranked() {
		if len(files) == mostSources {
			break
		}
		d := &e.mapper.documents[number]
		text := e.mapper.read(number)
		if len(text) == 0 || slices.Contains(e.request.Changed, d.Path) && search.IsTest(d.Path) {
			continue // what the run has written is shown as that
		}
		f := &source{number: number, path: d.Path, prior: p[number], lines: slices.Collect(strings.Lines(string(text)))}
		if f.prior < priorPath && generated.Match(text[:min(len(text), mostHead)]) {
			f.prior *= generatedShare
		}
		gain := e.own[number]
		if e.tested[number] {
			gain = max(gain, gainBeside)
		}
		f.base = gain * min(1, smallFile/float64(len(f.lines)))
		var symbols []codeintel.Symbol
		if d.Outline != nil {
			symbols = d.Outline.Symbols
		}
		f.units = unitsOf(f.lines, symbols)
		if isChangelog(d.Path) {
			if f.units = newest(f.lines); len(f.units) == 0 {
				continue
			}
		}
		files = append(files, f)
	}
	return files
}

// generated is what the head of a file says that a program has written.
// https://pkg.go.dev/cmd/go#hdr-Generate_Go_files_by_processing_source
var generated = lazyregexp.New(`(?i:generated)[^\n]*DO NOT EDIT|@generated`)

// mostHead is where a file says that, in bytes.
const mostHead = 2 << 10

// How likely a request is about a file, by what speaks for it.
const (
	priorTarget    = 1.2
	priorPath      = 1.1
	priorDefines   = 0.8
	priorHit       = 1.0 // the first that search finds; others less
	priorUses      = 0.35
	priorUsed      = 0.6 // what tests call by a name that few files define
	priorWritten   = 0.9 // a test that the run has written: it is not shown, and its code is
	priorBeside    = 0.8 // of the prior of the code that tests are of, and the other way round, by their names
	priorPartner   = 0.9 // the same, if each change of the one changed the other
	priorComrade   = 0.5 // of code that was changed together with other code
	partnerGain    = 0.3 // of what is likely for more than one reason
	priorLog       = 0.2 // of a changelog
	hitFade        = 0.3
	asideShare     = 0.3 // of examples and data
	proseShare     = 0.5
	generatedShare = 0.3  // of what a program has written, and the request does not name
	testsForCode   = 0.45 // what tests count for the author of code
	testsForUses   = 0.2  // the same where the tests of the request are written
	codeForTests   = 0.7
)

const (
	mostSources  = 18
	mostHits     = 14
	mostSought   = 8  // files whose counterparts and partners are looked for
	mostDefiners = 4  // of a name that tests use
	mostUsed     = 60 // names
)
