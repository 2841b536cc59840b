package gate

import (
	"strings"

	"forge/internal/lazyregexp"
)

// entry is one value of a TOML file.
type entry struct {
	table string // the title that it stands below: "tool.ruff"
	at    int    // which title of the file that is: tables in lists share theirs
	key   string // its own name, dots and all
	value string // without comments and what blanks are around it
}

var (
	tomlTitle = lazyregexp.New(`^\[{1,2}([^\]\n]*)\]{1,2}`)
	tomlKey   = lazyregexp.New(`^[^=\n\[\]#]+=`)
	// tomlPiece is a text, a comment, or a bracket.
	tomlPiece = lazyregexp.New(`(?s)^(?:"""(?:[^\\]|\\.)*?"""|'''.*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|^#[^\n]*|^[\[\]{}]`)
	quotes    = strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "")
)

// tomlEntries reads a TOML file, without judging it.
func tomlEntries(text string) (all []entry) {
	table, at := "", 0
	for text = strings.TrimLeft(text, " \t\r\n"); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		if m := tomlTitle.FindStringSubmatch(text); m != nil {
			table, at, text = quotes.Replace(m[1]), at+1, text[len(m[0]):]
			continue
		}
		key := tomlKey.FindString(text)
		value, length := tomlValue(text[len(key):])
		if key != "" {
			all = append(all, entry{table, at, quotes.Replace(strings.TrimSuffix(key, "=")), value})
		}
		text = text[len(key)+length:]
	}
	return all
}

// tomlValue takes a value, which ends with its line, but where a bracket or a text of several lines is open.
func tomlValue(text string) (value string, length int) {
	var kept strings.Builder
	depth := 0
	for length < len(text) && (depth > 0 || text[length] != '\n') {
		piece := tomlPiece.FindString(text[length:])
		switch {
		case piece == "":
			piece = text[length : length+1]
		case strings.ContainsAny(piece[:1], "[{"):
			depth++
		case strings.ContainsAny(piece[:1], "]}"):
			depth--
		}
		if length += len(piece); piece[0] != '#' {
			kept.WriteString(piece)
		}
	}
	return strings.Join(strings.Fields(kept.String()), " "), length
}

// path is the whole name of an entry.
func (e entry) path() string { return strings.Trim(e.table+"."+e.key, ".") }
