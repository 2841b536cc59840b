package secret

import "strings"

// needles finds any of many texts in one pass over another, however many they are: where the first bytes of one of them
// may stand is looked up in a table, and only there they are compared.
type needles struct {
	table  [tableSize / 64]uint64
	groups map[uint16][]needle // by their first bytes
}

// needle is a text to be found; of base64, what stands around it belongs to it, too.
type needle struct {
	text    string
	name    string
	value   string // whose form text is
	encoded bool
}

const (
	keyBytes  = 2 // no needle is shorter
	tableSize = 1 << 16
)

func newNeedles(all []needle) *needles {
	n := &needles{groups: map[uint16][]needle{}}
	for _, x := range all {
		if len(x.text) < keyBytes {
			continue
		}
		key := keyOf(x.text)
		n.groups[key] = append(n.groups[key], x)
		n.table[key/64] |= 1 << (key % 64)
	}
	return n
}

func keyOf(s string) uint16 { return uint16(s[0]) | uint16(s[1])<<8 }

// find gives every place where one of the needles stands, of several at one place the longest.
func (n *needles) find(text string) (found []span) {
	if len(n.groups) == 0 {
		return nil
	}
	for i := 0; i+keyBytes <= len(text); i++ {
		key := keyOf(text[i:])
		if n.table[key/64]&(1<<(key%64)) == 0 {
			continue
		}
		var best needle
		for _, x := range n.groups[key] {
			if len(x.text) > len(best.text) && strings.HasPrefix(text[i:], x.text) {
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

// widened is a place in base64 with all of the base64 that it is a part of.
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

// places tells where each needle stands in a text, by its name, in order.
func (n *needles) places(text string) map[string][]int {
	found := map[string][]int{}
	for i := 0; i+keyBytes <= len(text); i++ {
		key := keyOf(text[i:])
		if n.table[key/64]&(1<<(key%64)) == 0 {
			continue
		}
		for _, x := range n.groups[key] {
			if strings.HasPrefix(text[i:], x.text) {
				found[x.name] = append(found[x.name], i)
			}
		}
	}
	return found
}

// lower is a text with small letters for capital ones of ASCII, and as long, so that places stay what they are. A kelvin
// sign is no k here, as it is to an expression that ignores case.
func lower(text string) string {
	small := []byte(text)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}
