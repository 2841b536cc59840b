package repomap

import "strings"

// How says how much of a file a section shows.
type How string

// The ways to show files, the fullest first.
const (
	Full       How = "full"       // the whole text
	Windows    How = "windows"    // some of its lines, each run of them below its numbers
	Signatures How = "signatures" // a line for each symbol
	OnlyPath   How = "path"       // nothing: the file is there and did not fit
	InMap      How = "map"        // of the section that is a map of many files
)

// Tier is a class of sections: all of a lower one go before any of a higher one.
type Tier int

// The tiers of a pack.
const (
	TierTarget     Tier = iota + 1 // what the request is to change
	TierDirect                     // what the targets import, or use of their own package
	TierTransitive                 // what that imports, and who imports the targets
	TierMap                        // the rest of the folder
)

// tiers says how the files of a tier may be shown, the fullest way that fits.
var tiers = map[Tier]struct {
	name       string
	importance float64
	ways       []How
}{
	TierTarget:     {"target", 1, []How{Full, Signatures, OnlyPath}},
	TierDirect:     {"direct dependency", .5, []How{Full, Signatures}},
	TierTransitive: {"transitive dependency", .1, []How{Signatures}},
	TierMap:        {"map", 0, []How{InMap}},
}

// Section is one file of a pack, or its map.
type Section struct {
	Name       string // what it is to the targets, for users: "target", "direct dependency", …, "map"
	Tier       Tier
	Importance float64 // of its tier, 1 to 0
	Path       string  // empty for a map
	Text       string  // without the path, which is for the reader to put before it
	Tokens     int     // of the path on a line of its own and the text
	How        How
}

// Pack is what a model is shown of a folder.
type Pack struct {
	Sections []Section // by tier, the most important first
	Tokens   int       // of all sections
	Found    bool      // of excerpts: what the request is about was found
	Left     []string  // targets and direct dependencies of which nothing fitted
}

// maxMapBudget bounds the map of a pack, in tokens.
const maxMapBudget = 2048

// foundTargets is how many files are targets if a request names none.
const foundTargets = 3

// Bounds that keep one file from taking the place of all others.
const (
	// fileShare is the part of what is left that a file may take which is no target.
	fileShare = 4
	// mapShare is the part of what the targets leave that is kept for the map.
	mapShare = 8
)

// Pack fills a budget: the targets, what they need, the signatures around that, and a map of the rest. Files are taken
// one after the other, and each gets as much as is left for it: its full text, else its signatures, else nothing. So a
// greater budget never shows less of a file unless it shows more of one before it. A dependency takes at most a quarter
// of what is left, and an eighth of what the targets leave is kept for the map.
func (m *Mapper) Pack(request Request) Pack {
	p := packing{mapper: m, room: request.Budget, seen: make([]bool, len(m.documents))}
	targets := m.targets(request)
	p.add(TierTarget, targets)
	kept := min(maxMapBudget, p.room/mapShare)
	p.room -= kept
	k := m.neighbours(targets)
	p.add(TierDirect, k.direct)
	p.add(TierTransitive, k.transitive)
	p.room += kept
	p.addMap(request)
	return p.pack
}

// targets returns the documents that a request wants to change.
func (m *Mapper) targets(request Request) []int32 {
	paths, most := request.Targets, len(request.Targets)
	if most == 0 {
		most = foundTargets
		paths = append(paths, request.Open[:min(1, len(request.Open))]...)
		for i := range request.Hits {
			paths = append(paths, request.Hits[i].Path)
		}
	}
	var targets []int32
	seen := map[int32]bool{}
	for _, path := range paths {
		if number, known := m.numbers[path]; known && !seen[number] && len(targets) < most {
			seen[number] = true
			targets = append(targets, number)
		}
	}
	return targets
}

// packing is a pack that is being filled.
type packing struct {
	mapper *Mapper
	pack   Pack
	room   int    // tokens that are left
	seen   []bool // documents that are in the pack; a map need not repeat them
}

func (p *packing) add(tier Tier, files []int32) {
	for _, number := range files {
		if !p.addFile(tier, number) && tier <= TierDirect {
			p.pack.Left = append(p.pack.Left, p.mapper.documents[number].Path)
		}
	}
}

// addFile adds a file in the fullest way that fits, and reports whether one did.
func (p *packing) addFile(tier Tier, number int32) bool {
	room := p.room
	if tier != TierTarget {
		room /= fileShare
	}
	for _, how := range tiers[tier].ways {
		if text, known := p.mapper.text(number, how, room); known && p.put(tier, p.mapper.documents[number].Path, text, how, room) {
			p.seen[number] = true
			return true
		}
	}
	return false
}

// put adds a section if it fits into the room for it.
func (p *packing) put(tier Tier, path, text string, how How, room int) bool {
	s := Section{Name: tiers[tier].name, Tier: tier, Importance: tiers[tier].importance, Path: path, Text: text, How: how}
	s.Tokens = Tokens(text)
	if path != "" {
		s.Tokens = Tokens(path + "\n" + text)
	}
	if s.Tokens > room {
		return false
	}
	p.room -= s.Tokens
	p.pack.Tokens += s.Tokens
	p.pack.Sections = append(p.pack.Sections, s)
	return true
}

func (p *packing) addMap(request Request) {
	request.Budget = min(p.room, maxMapBudget)
	if drawn := p.mapper.mapWithout(request, p.seen); drawn.Text != "" {
		p.put(TierMap, "", drawn.Text, InMap, p.room)
	}
}

// bytesPerToken is what the text of a token has at most: characters of four bytes.
const bytesPerToken = charactersPerToken * 4

// text is a file as it may be shown in room tokens; false if there is nothing to show, or surely too much.
func (m *Mapper) text(number int32, how How, room int) (string, bool) {
	document := &m.documents[number]
	switch how {
	case Full:
		if document.Size > room*bytesPerToken {
			return "", false
		}
		text, err := m.view.ReadFile(document.Path)
		return strings.ToValidUTF8(string(text), "\uFFFD"), err == nil
	case Signatures:
		text := m.catalog(number).signatures()
		return text, text != ""
	case OnlyPath, InMap, Windows:
	}
	return "", true
}

// signatures are the lines of all symbols.
func (c *catalog) signatures() string {
	var b strings.Builder
	for i := range c.entries {
		for _, signature := range c.entries[i].signatures {
			b.WriteString(signature + "\n")
		}
	}
	return b.String()
}
