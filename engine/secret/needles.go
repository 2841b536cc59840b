package secret

import "strings"

// needles finds any of many texts in one pass over another: a table of their first bytes yields the places to compare.
type needles struct {
	table  [tableSize / 64]uint64
	groups map[uint16][]needle // by their first bytes
	key    func(s string) uint16
	width  int  // number of bytes for key: no needle is shorter
	fold   bool // case-insensitive
}

// needle is a text to find; for base64, the surrounding base64 belongs to it.
type needle struct {
	text    string
	name    string
	value   string // the value of which text is a form
	encoded bool
}

const (
	keyBytes  = 3
	tableSize = 1 << 16
)

func newNeedles(all []needle) *needles {
	n := &needles{groups: map[uint16][]needle{}, width: keyBytes, key: keyOfThree}
	for _, x := range all {
		if len(x.text) == keyBytes-1 {
			n.width, n.key = keyBytes-1, keyOfTwo
		}
	}
	for _, x := range all {
		if len(x.text) < n.width {
			continue
		}
		key := n.key(x.text)
		n.groups[key] = append(n.groups[key], x)
		n.table[key/64] |= 1 << (key % 64)
	}
	return n
}

// folding is newNeedles for texts in lower case, which also match ASCII capitals. A kelvin sign is no k here, unlike in a
// case-insensitive expression.
func folding(all []needle) *needles {
	n := newNeedles(all)
	n.fold = true
	return n
}

// The keys of upper and lower case are equal: distinguishing more would cost more than it saves.
const folded = 0x20

func keyOfTwo(s string) uint16 { return uint16(s[0]|folded) | uint16(s[1]|folded)<<8 }

func keyOfThree(s string) uint16 {
	return uint16(s[0]|folded) ^ uint16(s[1]|folded)<<4 ^ uint16(s[2]|folded)<<9
}

// at returns the next possible place of a needle from i on, or the end of the text.
func (n *needles) at(text string, i int) int {
	if n.width < keyBytes {
		for ; i+n.width <= len(text); i++ {
			if key := keyOfTwo(text[i:]); n.table[key/64]&(1<<(key%64)) != 0 {
				return i
			}
		}
		return len(text)
	}
	if i+keyBytes > len(text) {
		return len(text)
	}
	first, second := uint16(text[i]|folded), uint16(text[i+1]|folded)
	for j := i + keyBytes - 1; j < len(text); j++ { // like keyOfThree, reading each byte once
		third := uint16(text[j] | folded)
		if key := first ^ second<<4 ^ third<<9; n.table[key/64]&(1<<(key%64)) != 0 {
			return j - keyBytes + 1
		}
		first, second = second, third
	}
	return len(text)
}

// begins reports whether a text begins with a needle.
func (n *needles) begins(text, needle string) bool {
	if !n.fold {
		return strings.HasPrefix(text, needle)
	}
	if len(text) < len(needle) {
		return false
	}
	for i := range len(needle) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != needle[i] {
			return false
		}
	}
	return true
}

// find returns every place of a needle, the longest one for equal places.
func (n *needles) find(text string) (found []span) {
	if len(n.groups) == 0 {
		return nil
	}
	for i := n.at(text, 0); i < len(text); i = n.at(text, i+1) {
		var best needle
		for _, x := range n.groups[n.key(text[i:])] {
			if len(x.text) > len(best.text) && n.begins(text[i:], x.text) {
				best = x
			}
		}
		if best.text == "" {
			continue
		}
		s := span{i, i + len(best.text), best.name, best.value}
		if best.encoded {
			s = widened(text, s)
		}
		found = append(found, s)
		i = s.end - 1
	}
	return found
}

// widened extends a place in base64 to the surrounding base64.
func widened(text string, s span) span {
	for s.start > 0 && isBase64(text[s.start-1]) {
		s.start--
	}
	for s.end < len(text) && isBase64(text[s.end]) {
		s.end++
	}
	return s
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// places returns the places of each needle in a text, by its name, in order.
func (n *needles) places(text string) map[string][]int {
	found := map[string][]int{}
	for i := n.at(text, 0); i < len(text); i = n.at(text, i+1) {
		for _, x := range n.groups[n.key(text[i:])] {
			if n.begins(text[i:], x.text) {
				found[x.name] = append(found[x.name], i)
			}
		}
	}
	return found
}
