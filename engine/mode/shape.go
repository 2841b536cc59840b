package mode

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// The form of a sentence, by how it begins, whatever it is about.

// asking begin a question also where no question mark ends it.
var asking = []string{"why", "how", "what", "what's", "which", "who", "who's", "whose", "is", "are", "does", "did", "was", "were", "isn't", "aren't", "doesn't"}

// askingWithMark begin a question where a question mark ends it; else they begin something else: "when the cart is empty, it fails".
var askingWithMark = []string{"where", "when", "do", "don't", "has", "have", "had", "can", "can't", "could", "should", "would", "will", "may", "must", "am"}

// suggesting begin what sounds like a question and asks for something.
var suggesting = []string{"how about", "what about", "what if we", "why not", "why don't", "why do we not", "should we not", "shouldn't we", "can we", "could we", "can i have", "could i have", "may i have"}

// polite is what may stand before what is to be done.
var polite = lazyregexp.New(`^(?:(?:please|kindly|now|then|and|so|hey|hi|hello|ok|okay)[, ]+|(?:can|could|would|will) you[, ]+|i(?:'d| would) like you to )+`)

// formWeighs is what the form of a question weighs beside its words: how it begins, and its mark.
func formWeighs(marked bool) int {
	if marked {
		return 5
	}
	return 3
}

// question says how much the form of a text speaks for a question, and by which word; 0 is not at all. One that also tells to do
// something is none: "why is it slow? make it faster".
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

// tellsToDo reports whether a sentence that begins with the word tells to do something.
func tellsToDo(first string) bool { return slices.Contains(imperatives, first) }

// reporting begin a sentence that tells how something is.
var reporting = []string{"the", "it", "this", "that", "these", "those", "there", "when", "if", "after", "sometimes", "my", "our"}

// finite are words that tell how something is where they stand near the beginning of a sentence.
var finite = []string{"is", "are", "was", "were", "get", "gets", "does", "doesn't", "do", "don't", "isn't", "aren't", "can't", "cannot", "never", "always", "still", "should", "shows"}

// wishing begin a sentence that says what is to be there.
var wishing = []string{"we need", "i need", "i want", "we want", "i'd like", "i would like", "there should be", "it should be possible", "users should be able", "let "}

// reports reports whether a text tells how something is, and neither asks nor tells to do something: people who do that want it to be
// otherwise.
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

// sentences are those of a text, each with the mark that ends it. A point in a name, as in a.go, ends none.
func sentences(text string) (all []string) {
	for _, s := range oneSentence.FindAllString(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}
