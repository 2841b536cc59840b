package search

// letters is a set of the letters, digits and other marks of a name, whatever their case: what is not in the set of a name
// is not in it.
type letters uint32

// lettersOf gives each letter of ASCII and "_" a bit of its own; digits share four, and all else shares one. So a set may
// report what is missing as present, but never the other way round.
func lettersOf(name string) letters {
	var set letters
	for i := range len(name) {
		set |= letterBits[name[i]]
	}
	return set
}

var letterBits = makeLetterBits()

func makeLetterBits() (bits [256]letters) {
	for b := range bits {
		switch c := byte(b); {
		case 'a' <= c && c <= 'z':
			bits[b] = 1 << (c - 'a')
		case 'A' <= c && c <= 'Z':
			bits[b] = 1 << (c - 'A')
		case c == '_':
			bits[b] = 1 << 26
		case '0' <= c && c <= '9':
			bits[b] = 1 << (27 + (c-'0')%4)
		default:
			bits[b] = 1 << 31
		}
	}
	return bits
}

// has reports whether all letters of another set are in this one.
func (l letters) has(other letters) bool { return other&^l == 0 }
