package anthropic

import (
	"slices"
	"strconv"
	"strings"
)

// family is the set of features that models of one line and generation support. It is derived from their names,
// because the account's list of models would cost a call. If a model rejects a feature nevertheless, the failure is
// llm.KindUnsupported.
//
// Source: https://platform.claude.com/docs/en/about-claude/models/overview and the migration guides it leads to.
type family struct {
	temperature bool // it accepts one
	format      bool // it follows a schema directly; others must call a tool
	forces      bool // it accepts a forced tool
	adaptive    bool // it chooses how much to think, and accepts an effort; others get a budget
	calm        calm
	most        int64 // the largest limit of an answer; 0 is unknown
}

// calm is how to keep a model from thinking.
type calm int

const (
	calmUnasked      calm = iota // it thinks only if asked to
	calmDisabled                 // thinking can be disabled
	calmBetweenTools             // disabled, except for notes between tool calls
	calmNever                    // it always thinks: little at a low effort
)

// newest is the assumed version of unknown models; 405 is 4.5.
const newest = 9900

// familyOf returns the family of a model. Other vendors' models, behind compatible servers, count as the first models.
func familyOf(model string) family {
	line, version, known := parse(model)
	if !known {
		return family{temperature: true, forces: true}
	}
	first := line == "fable" || line == "mythos" // the lines that always think
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
		return calmNever // the one form that no model rejects
	}
}

// parse parses names in the forms of Anthropic and of the clouds that resell it: claude-3-5-sonnet-20241022,
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

// isVersion reports whether a word is part of a version, and not a date.
func isVersion(word string) bool {
	_, err := strconv.ParseUint(word, 10, 8)
	return err == nil && len(word) <= 2
}
