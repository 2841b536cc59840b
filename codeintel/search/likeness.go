package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wantedName is a name as the user types it.
type wantedName struct {
	typed  string   // without what stands before the last separator
	name   string   // the same in lower case
	owners []string // what stands before, in lower case
}

func readName(text string) wantedName {
	text = strings.NewReplacer("::", "\x00", ".", "\x00", "#", "\x00", "/", "\x00").Replace(text)
	var parts []string
	for part := range strings.SplitSeq(text, "\x00") {
		if part = strings.Join(strings.Fields(part), ""); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return wantedName{}
	}
	w := wantedName{typed: parts[len(parts)-1]}
	w.name = strings.ToLower(w.typed)
	for _, part := range parts[:len(parts)-1] {
		w.owners = append(w.owners, strings.ToLower(part))
	}
	return w
}

// How much the ways of being alike are worth. Within one, a shorter name is more alike, and one in the same case.
const (
	sameName  = 1.0
	beginsSo  = .8
	hasAtPart = .65 // from where a part of the name begins
	partsDo   = .5  // its parts begin so, one after the other
	hasInside = .35
	inOrder   = .15 // the first letter begins a part

	forLength = .1
	forCase   = .02
)

// like returns how much a name resembles the wanted one, from 0 for not at all.
func (w wantedName) like(name string) float64 {
	if len(name) < len(w.name) || !inOrderOf(name, w.name) {
		return 0
	}
	way := w.way(name)
	if way == 0 {
		return 0
	}
	score := way + forLength*float64(len(w.name))/float64(len(name))
	if strings.Contains(name, w.typed) {
		score += forCase
	}
	return score
}

func (w wantedName) way(name string) float64 {
	lower := strings.ToLower(name)
	if len(lower) != len(name) {
		name = lower // case that changes lengths: the parts are not distinguished
	}
	switch at := strings.Index(lower, w.name); {
	case lower == w.name:
		return sameName
	case at == 0:
		return beginsSo
	case w.atPart(name, lower, at):
		return hasAtPart
	case partsBegin(name, lower, w.name):
		return partsDo
	case at > 0:
		return hasInside
	case lettersFromPart(name, lower, w.name):
		return inOrder
	}
	return 0
}

// atPart reports whether the wanted name begins where a part begins; at is its first place.
func (w wantedName) atPart(name, lower string, at int) bool {
	for at >= 0 {
		if beginsPart(name, at) {
			return true
		}
		next := strings.Index(lower[at+1:], w.name)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// partsBegin reports whether the wanted letters are the beginnings of parts, each as long as can be.
func partsBegin(name, lower, wanted string) bool {
	for i := 0; i < len(name) && wanted != ""; {
		length := 0
		if beginsPart(name, i) {
			length = commonLength(lower[i:], wanted)
		}
		wanted = wanted[length:]
		i += max(length, 1)
	}
	return wanted == ""
}

// commonLength is how many bytes two texts begin with alike.
func commonLength(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// lettersFromPart reports whether the letters come in order from where a part begins with the first.
func lettersFromPart(name, lower, wanted string) bool {
	for i := range name {
		if lower[i] == wanted[0] && beginsPart(name, i) {
			return inOrderOf(lower[i:], wanted) // an earlier one holds whatever a later one does
		}
	}
	return false
}

// inOrderOf reports whether a text in lower case has its letters in a name, in order, whatever their case. For letters
// that are not ASCII it may wrongly return true.
func inOrderOf(name, lower string) bool {
	at := 0
	for i := 0; i < len(name) && at < len(lower); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == lower[at] || c >= utf8.RuneSelf && lower[at] >= utf8.RuneSelf {
			at++
		}
	}
	return at == len(lower)
}

// beginsPart reports whether a part of an identifier begins at a byte: the first, one behind a character that is no
// letter or digit, a capital behind a small letter or digit, and the last of several capitals that a small letter
// follows.
func beginsPart(name string, at int) bool {
	here, size := utf8.DecodeRuneInString(name[at:])
	if !unicode.IsLetter(here) && !unicode.IsDigit(here) {
		return false
	}
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(name[:at])
	if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
		return true
	}
	if !unicode.IsUpper(here) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(name[at+size:])
	return !unicode.IsUpper(before) || unicode.IsLower(after)
}
