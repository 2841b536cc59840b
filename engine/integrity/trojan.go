package integrity

import (
	"slices"
	"strings"
	"unicode"

	"forge/patch"
)

// Characters that make a text look different from what a compiler or a model reads: "Trojan Source" (CVE-2021-42574, CVE-2021-42694),
// and text that is hidden in tag characters or variation selectors.

// deceives returns why an added line of a change may read differently from what it is, as a clause for users, or "".
func deceives(c patch.FileChange) string {
	if c.Kind == patch.Delete {
		return ""
	}
	if c.Kind == patch.Create || c.Kind == patch.Move {
		if why := misnamed(c.Path); why != "" {
			return why
		}
	}
	before := map[string]bool{}
	for line := range strings.SplitSeq(c.Before, "\n") {
		before[line] = true
	}
	for line := range strings.SplitSeq(c.After, "\n") {
		if isASCII(line) || before[line] {
			continue
		}
		if why := deception(line); why != "" {
			return why
		}
	}
	return ""
}

// misnamed returns why a path may be mistaken for another one, or "".
func misnamed(name string) string {
	runes := []rune(name)
	switch {
	case isASCII(name):
		return ""
	case mixesAlphabets(runes), slices.ContainsFunc(runes, isWide):
		return "its name has letters of another alphabet that look like Latin ones"
	}
	return deception(name)
}

// isWide reports whether a character is a wide form of an ASCII character.
func isWide(r rune) bool { return r >= 0xff01 && r <= 0xff5e }

// isASCII reports whether a line has printable ASCII characters, tabs and a carriage return at its end only: nearly every line.
func isASCII(line string) bool {
	line = strings.TrimSuffix(line, "\r")
	for i := range len(line) {
		if b := line[i]; b >= unicode.MaxASCII || b < ' ' && b != '\t' {
			return false
		}
	}
	return true
}

// deception returns why a line is deceptive, or "".
func deception(line string) string {
	runes := []rune(strings.TrimSuffix(line, "\r"))
	for i, r := range runes {
		switch {
		case isBidi(r):
			return "it has characters that reorder what is shown, so that it reads differently from what is executed"
		case isHidden(r) && !joins(runes, i):
			return "it has characters that are not shown, in which text can be hidden"
		case unicode.IsControl(r) && r != '\t' && r != '\f':
			return "it has control characters, which can hide text in a terminal"
		}
	}
	if mixesAlphabets(runes) {
		return "a word of it mixes Latin letters with letters of another alphabet that look the same"
	}
	return ""
}

// isBidi reports whether a character changes the direction of text.
func isBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// isHidden reports whether a character has no shape of its own.
func isHidden(r rune) bool {
	switch {
	case r >= 0xe0000 && r <= 0xe0fff: // tags, and the supplement of variation selectors
	case r >= 0x200b && r <= 0x200d, r >= 0x2060 && r <= 0x2064, r >= 0x206a && r <= 0x206f, r == 0xfeff: // zero width
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x180e, r == 0x034f: // fillers
	default:
		return false
	}
	return true
}

// joins reports whether a character without shape is part of writing: a joiner between two letters of a script that needs it, or
// within an emoji; a byte order mark at the beginning; a tag within the flag of a region.
func joins(runes []rune, i int) bool {
	r := runes[i]
	if i == 0 {
		return r == 0xfeff
	}
	before := runes[i-1]
	switch {
	case r == 0x200c || r == 0x200d:
		return i+1 < len(runes) && (needsJoiners(before) && needsJoiners(runes[i+1]) || r == 0x200d && isPictured(before) && isPictured(runes[i+1]))
	case r >= 0xe0020 && r <= 0xe007f:
		return before == 0x1f3f4 || before >= 0xe0020 && before < 0xe007f && flagBegins(runes[:i])
	}
	return false
}

// flagBegins reports whether the tags at the end of a text follow a black flag: at most six, as in the flag of Scotland.
func flagBegins(runes []rune) bool {
	const longest = 6
	for n := 1; n <= longest && n < len(runes); n++ {
		if at := runes[len(runes)-1-n]; at == 0x1f3f4 {
			return true
		}
	}
	return false
}

// needsJoiners reports whether a letter is of a script in which joiners change its form.
func needsJoiners(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar)
}

// isPictured reports whether a character is part of an emoji: a picture, its variation selector or the tone of its skin.
func isPictured(r rune) bool {
	return unicode.In(r, unicode.So) || r == 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff
}

// lookalikes are the Cyrillic and Greek letters that look like Latin ones in most fonts (Unicode's confusables.txt).
const lookalikes = "асеіјорѕухһԁԛԝАВЕЅІЈКМНОРСТХУԌ" + "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"

// mixesAlphabets reports whether a word has Latin letters and letters that only look Latin, and no other letters: those make it a
// word of another language.
func mixesAlphabets(runes []rune) bool {
	latin, alike, other := false, false, false
	for _, r := range append(runes[:len(runes):len(runes)], ' ') {
		switch {
		case strings.ContainsRune(lookalikes, r):
			alike = true
		case unicode.Is(unicode.Latin, r):
			latin = true
		case unicode.IsLetter(r):
			other = true
		case !unicode.IsDigit(r) && r != '_':
			if latin && alike && !other {
				return true
			}
			latin, alike, other = false, false, false
		}
	}
	return false
}
