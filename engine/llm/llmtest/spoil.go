package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Spoil names a way in which models get an answer wrong that should be one JSON object. Where several steps ask the
// same, a script says what is right once and how it is spoiled.
type Spoil string

// The ways to spoil an answer. Those marked with + are still the answer, to a reader that is not too narrow.
const (
	SpoilFenced        Spoil = "fenced"         // + in a code fence
	SpoilProse         Spoil = "prose"          // + with words around it
	SpoilThinking      Spoil = "thinking"       // + behind a block of thinking
	SpoilHuge          Spoil = "huge"           // + with 5 MB in a field that nobody asked for
	SpoilMalformed     Spoil = "malformed"      // a quote is wrong
	SpoilCut           Spoil = "cut"            // the second half is missing, and the finish reason says that it is whole
	SpoilTrailingComma Spoil = "trailing-comma" // behind the last member
	SpoilComment       Spoil = "comment"        // // as in JavaScript
	SpoilNaN           Spoil = "nan"            // a number that JSON does not know
	SpoilWrongType     Spoil = "wrong-type"     // texts are numbers, anything else is a text
	SpoilTwice         Spoil = "two-objects"    // it stands there twice
	SpoilTwoKeys       Spoil = "two-keys"       // every member stands there twice
	SpoilList          Spoil = "list"           // it is the element of a list
	SpoilEmpty         Spoil = "empty-object"   // no member is there
	SpoilNothing       Spoil = "nothing"        // there is no answer at all
)

// Spoils are all the ways.
func Spoils() []Spoil {
	return []Spoil{
		SpoilFenced, SpoilProse, SpoilThinking, SpoilHuge, SpoilMalformed, SpoilCut, SpoilTrailingComma, SpoilComment, SpoilNaN,
		SpoilWrongType, SpoilTwice, SpoilTwoKeys, SpoilList, SpoilEmpty, SpoilNothing,
	}
}

// Harmless tells the ways that leave the answer in the text.
func (s Spoil) Harmless() bool {
	return slices.Contains([]Spoil{SpoilFenced, SpoilProse, SpoilThinking, SpoilHuge}, s)
}

func (s Spoil) check(text string) error {
	if s == "" {
		return nil
	}
	if !slices.Contains(Spoils(), s) {
		return fmt.Errorf("there is no way %q to spoil an answer: it is one of %q", s, Spoils())
	}
	if o, ok := object(text); !ok || len(o) < 4 {
		return fmt.Errorf("what is to be spoiled (%s) is no JSON object with members", s)
	}
	return nil
}

// huge is how much a huge answer has too much, in bytes.
const huge = 5 << 20

// apply spoils the text of one JSON object with members.
func (s Spoil) apply(text string) string {
	text = strings.TrimSpace(text)
	switch inside := text[1 : len(text)-1]; s {
	case SpoilFenced, SpoilProse, SpoilThinking, SpoilHuge:
		return s.dress(text, inside)
	case SpoilMalformed:
		return "{'" + strings.TrimPrefix(inside, `"`) + "}"
	case SpoilCut:
		return text[:len(text)/2]
	case SpoilTrailingComma:
		return "{" + inside + ",}"
	case SpoilComment:
		return "{ // the answer\n" + inside + "}"
	case SpoilNaN:
		return `{"confidence":NaN,` + inside + "}"
	case SpoilWrongType:
		return wrongTypes(text)
	case SpoilTwice:
		return text + "\n" + text
	case SpoilTwoKeys:
		return "{" + inside + "," + inside + "}"
	case SpoilList:
		return "[" + text + "]"
	case SpoilEmpty:
		return "{}"
	default: // SpoilNothing
		return ""
	}
}

// dress puts something around an answer, or into it, that does no harm.
func (s Spoil) dress(text, inside string) string {
	switch s {
	case SpoilFenced:
		return "```json\n" + text + "\n```"
	case SpoilProse:
		return "Sure! Here is what you asked for:\n\n" + text + "\n\nLet me know if there is anything else."
	case SpoilThinking:
		return "<think>An object, then: {\"is it\": this}?</think>\n" + text
	default: // SpoilHuge
		return `{"padding":"` + strings.Repeat("x", huge) + `",` + inside + "}"
	}
}

// wrongTypes changes the type of every member.
func wrongTypes(text string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(text), &members) // checked when the script was made
	for name, value := range members {
		if _, isText := value.(string); isText {
			members[name] = 42
		} else {
			members[name] = "forty-two"
		}
	}
	return string(encode(members))
}
