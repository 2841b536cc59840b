package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Corruption names a way in which models get an answer wrong that should be one JSON object. If several steps ask the same,
// a script has the correct answer once, and how to spoil it.
type Corruption string

// The ways to spoil an answer. Those marked with + are still the answer, to a reader that is not too narrow.
const (
	CorruptFenced        Corruption = "fenced"         // + in a code fence
	CorruptProse         Corruption = "prose"          // + with words around it
	CorruptThinking      Corruption = "thinking"       // + after a block of thinking
	CorruptHuge          Corruption = "huge"           // + with 5 MB in a superfluous field
	CorruptMalformed     Corruption = "malformed"      // a quote is wrong
	CorruptCut           Corruption = "cut"            // the second half is missing, and the finish reason reports a complete answer
	CorruptTrailingComma Corruption = "trailing-comma" // after the last member
	CorruptComment       Corruption = "comment"        // // as in JavaScript
	CorruptNaN           Corruption = "nan"            // a number that JSON does not know
	CorruptWrongType     Corruption = "wrong-type"     // texts are numbers, anything else is a text
	CorruptTwice         Corruption = "two-objects"    // it is written twice
	CorruptTwoKeys       Corruption = "two-keys"       // every member is written twice
	CorruptList          Corruption = "list"           // it is the element of a list
	CorruptEmpty         Corruption = "empty-object"   // no member is there
	CorruptNothing       Corruption = "nothing"        // there is no answer at all
)

// corruptions are all the ways: whether the answer is still in the text, and the text for that of one JSON object, given what its braces hold, too.
var corruptions = []struct {
	name     Corruption
	harmless bool
	apply    func(text, inside string) string
}{
	{CorruptFenced, true, func(text, _ string) string { return "```json\n" + text + "\n```" }},
	{CorruptProse, true, func(text, _ string) string {
		return "Sure! Here is what you asked for:\n\n" + text + "\n\nLet me know if there is anything else."
	}},
	{CorruptThinking, true, func(text, _ string) string { return "<think>An object, then: {\"is it\": this}?</think>\n" + text }},
	{CorruptHuge, true, func(_, inside string) string { return `{"padding":"` + strings.Repeat("x", huge) + `",` + inside + "}" }},
	{CorruptMalformed, false, func(_, inside string) string { return "{'" + strings.TrimPrefix(inside, `"`) + "}" }},
	{CorruptCut, false, func(text, _ string) string { return text[:len(text)/2] }},
	{CorruptTrailingComma, false, func(_, inside string) string { return "{" + inside + ",}" }},
	{CorruptComment, false, func(_, inside string) string { return "{ // the answer\n" + inside + "}" }},
	{CorruptNaN, false, func(_, inside string) string { return `{"confidence":NaN,` + inside + "}" }},
	{CorruptWrongType, false, func(text, _ string) string { return wrongTypes(text) }},
	{CorruptTwice, false, func(text, _ string) string { return text + "\n" + text }},
	{CorruptTwoKeys, false, func(_, inside string) string { return "{" + inside + "," + inside + "}" }},
	{CorruptList, false, func(text, _ string) string { return "[" + text + "]" }},
	{CorruptEmpty, false, func(string, string) string { return "{}" }},
	{CorruptNothing, false, func(string, string) string { return "" }},
}

// huge is how much a huge answer has too much, in bytes.
const huge = 5 << 20

// Corruptions are all the ways.
func Corruptions() (all []Corruption) {
	for _, s := range corruptions {
		all = append(all, s.name)
	}
	return all
}

// Harmless reports whether the way leaves the answer in the text.
func (s Corruption) Harmless() bool { return s.index() >= 0 && corruptions[s.index()].harmless }

func (s Corruption) index() int { return slices.Index(Corruptions(), s) }

// Check reports whether the way exists and a text can be spoiled by it: a JSON object with members. The empty way spoils nothing.
func (s Corruption) Check(text string) error {
	if s == "" {
		return nil
	}
	if s.index() < 0 {
		return fmt.Errorf("there is no way %q to spoil an answer: it is one of %q", s, Corruptions())
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || len(members) == 0 {
		return fmt.Errorf("what is to be spoiled (%s) is no JSON object with members", s)
	}
	return nil
}

// Apply spoils the text of one JSON object with members, after Check.
func (s Corruption) Apply(text string) string {
	text = strings.TrimSpace(text)
	return corruptions[s.index()].apply(text, text[1:len(text)-1])
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
	encoded, _ := json.Marshal(members) // texts and numbers
	return string(encoded)
}
