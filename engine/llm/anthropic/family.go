package anthropic

import (
	"slices"
	"strconv"
	"strings"
)

// family is what the models of one line and generation take. Their names tell it: an account's list of models would,
// but at the price of a call before each first call. What a name promises and a model refuses comes back as
// llm.KindUnsupported.
//
// Source: https://platform.claude.com/docs/en/about-claude/models/overview and the migration guides it leads to.
type family struct {
	temperature bool // it takes one
	format      bool // it keeps to a schema by itself; others are made to call a tool
	forces      bool // a tool can be forced on it
	adaptive    bool // it settles by itself how much it thinks, and is told an effort; others are given a budget
	calm        calm
}

// calm is what keeps a model from thinking.
type calm int

const (
	calmUnasked      calm = iota // it thinks when it is told to
	calmDisabled                 // thinking is switched off
	calmBetweenTools             // it is left out, but for notes between calls of tools
	calmNever                    // it always thinks: little at a low effort
)

// version of a model: 405 is 4.5. The unknown are the newest.
const newest = 9900

// familyOf tells the family of a model. Models of others, behind servers that speak Anthropic's protocol, take what
// the first models took.
func familyOf(model string) family {
	line, version, known := parse(model)
	if !known {
		return family{temperature: true, forces: true}
	}
	first := line == "fable" || line == "mythos" // the lines that think always
	return family{
		temperature: version < 407 && !first,
		format:      version >= 405,
		forces:      version < 501 || !first && (version < 505 || line == "haiku"),
		adaptive:    version >= 406,
		calm:        calmOf(line, version),
	}
}

func calmOf(line string, version int) calm {
	switch {
	case line == "fable", line == "mythos":
		return calmNever
	case version < 500:
		return calmUnasked
	case version < 505 && (line == "opus" || line == "sonnet"), version < 600 && line == "haiku":
		return calmDisabled
	case version < 600 && line == "sonnet":
		return calmBetweenTools
	default:
		return calmNever // the one way that no model refuses
	}
}

// parse reads names as Anthropic and the clouds that resell it write them: claude-3-5-sonnet-20241022,
// claude-opus-4-1, anthropic/claude-opus-4.5, us.anthropic.claude-sonnet-4-20250514-v1:0, claude-haiku-4-5@20251001.
func parse(model string) (line string, version int, known bool) {
	_, rest, known := strings.Cut(strings.ToLower(model), "claude-")
	if !known {
		return "", 0, false
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-._@:/", r) })
	for _, word := range words {
		if slices.Contains([]string{"opus", "sonnet", "haiku", "fable", "mythos", "instant"}, word) {
			line = word
		}
	}
	at := slices.IndexFunc(words, isVersion)
	if at < 0 {
		return line, newest, true
	}
	major, _ := strconv.Atoi(words[at])
	version = 100 * major
	if at+1 < len(words) && isVersion(words[at+1]) {
		minor, _ := strconv.Atoi(words[at+1])
		version += minor
	}
	return line, version, true
}

// isVersion tells a part of a version from a date.
func isVersion(word string) bool {
	_, err := strconv.ParseUint(word, 10, 8)
	return err == nil && len(word) <= 2
}
