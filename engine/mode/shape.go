package mode

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// The form of a sentence, by its beginning, regardless of its subject.

// asking begin a question even without a question mark.
var asking = []string{"why", "how", "what", "what's", "which", "who", "who's", "whose", "is", "are", "does", "did", "was", "were", "isn't", "aren't", "doesn't"}

// askingWithMark begin a question only with a question mark: "when the cart is empty, it fails" is none.
var askingWithMark = []string{"where", "when", "do", "don't", "has", "have", "had", "can", "can't", "could", "should", "would", "will", "may", "must", "am"}

// suggesting begin a request in the form of a question.
var suggesting = []string{"how about", "what about", "what if we", "why not", "why don't", "why do we not", "should we not", "shouldn't we", "can we", "could we", "can i have", "could i have", "may i have"}

// polite matches polite words before a request.
var polite = lazyregexp.New(`^(?:(?:please|kindly|now|then|and|so|hey|hi|hello|ok|okay)[, ]+|(?:can|could|would|will) you[, ]+|i(?:'d| would) like you to )+`)

// formWeighs returns the weight of the form of a question: its beginning, and its mark.
func formWeighs(marked bool) int {
	if marked {
		return 5
	}
	return 3
}

// question returns how strongly the form of a text indicates a question, and by which word; 0 means not at all. A question with
// an instruction is none: "why is it slow? make it faster".
func question(text string) (weight int, opening string) {
	for _, sentence := range sentences(text) {
		marked := strings.HasSuffix(sentence, "?")
		sentence = polite.ReplaceAllString(sentence, "")
		first, _, _ := strings.Cut(strings.TrimRight(sentence, "?"), " ")
		first = strings.Trim(first, ",:\"'")
		switch {
		case tellsToDo(first) && !(marked && slices.Contains(askingWithMark, first)):
			return 0, ""
		case slices.ContainsFunc(suggesting, func(s string) bool { return strings.HasPrefix(sentence, s) }):
			return 0, ""
		case slices.Contains(asking, first), marked && slices.Contains(askingWithMark, first):
			if n := formWeighs(marked); n > weight {
				weight, opening = n, first
			}
		}
	}
	return weight, opening
}

// tellsToDo reports whether a sentence that begins with the word is an instruction.
func tellsToDo(first string) bool { return slices.Contains(imperatives, first) }

// reporting begin a sentence that describes a state.
var reporting = []string{"the", "it", "this", "that", "these", "those", "there", "when", "if", "after", "sometimes", "my", "our"}

// finite are verbs that describe a state near the beginning of a sentence.
var finite = []string{"is", "are", "was", "were", "get", "gets", "does", "doesn't", "do", "don't", "isn't", "aren't", "can't", "cannot", "never", "always", "still", "should", "shows"}

// wishing begin a sentence that describes a wanted state.
var wishing = []string{"we need", "i need", "i want", "we want", "i'd like", "i would like", "there should be", "it should be possible", "users should be able", "let "}

// reports reports whether a text describes a state, without a question or an instruction: such a user wants it changed.
func reports(text string) bool {
	if slices.ContainsFunc(wishing, func(w string) bool { return strings.HasPrefix(text, w) }) {
		return false
	}
	words := strings.Fields(text)
	if len(words) < 3 || tellsToDo(words[0]) {
		return false
	}
	return slices.Contains(reporting, words[0]) || slices.ContainsFunc(words[1:min(len(words), 4)], func(w string) bool { return slices.Contains(finite, w) })
}

var oneSentence = lazyregexp.New(`[^.!?;\n]+(?:\.\w[^.!?;\s]*[^.!?;\n]*)*[.!?;]?`)

// sentences returns those of a text, each with its final mark. A period in a name, as in a.go, ends none.
func sentences(text string) (all []string) {
	for _, s := range oneSentence.FindAllString(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}
