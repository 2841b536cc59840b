package mode

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// keywords have a weight for a kind. Earlier rows win ties.
var keywords = []struct {
	kind   Kind
	weight int // of each word
	words  []string
}{
	{KindBugfix, 3, []string{"fix", "bug", "broken", "crash", "crashes", "fails", "failing", "error", "wrong", "incorrect", "regression", "panic", "exception", "mend", "repair", "off by one", "off-by-one", "does not work", "doesn't work",
		"no longer", "stopped working", "hang", "hangs", "freezes", "leak", "leaks", "deadlock", "race condition", "misbehaves", "failure", "faulty"}},
	{KindDocumentation, 3, []string{"document", "documents", "documentation", "docs", "readme", "docstring", "docstrings", "doc comment", "doc comments", "changelog", "typo", "typos", "spelling"}},
	{KindRefactor, 3, []string{"refactor", "restructure", "rename", "extract", "inline", "clean up", "cleanup", "simplify", "deduplicate", "move", "split up", "reorganise", "reorganize", "restructuring", "get rid of", "merge", "decouple", "unify", "tidy"}},
	{KindOptimisation, 3, []string{"optimise", "optimize", "faster", "slow", "performance", "speed up", "latency", "memory usage", "allocations", "throughput"}},
	{KindSetup, 2, []string{"install", "set up", "setup", "configure", "initialise", "initialize", "scaffold", "bootstrap", "ci", "dockerfile", "upgrade",
		"bump", "pin", "dependency", "dependencies", "lockfile"}},
	{KindFeature, 2, []string{"add", "implement", "create", "build", "support", "introduce", "new", "feature", "allow", "enable", "extend", "write", "put"}},
	{KindTest, 2, []string{"test", "tests", "coverage", "unit test", "unit tests", "integration test", "integration tests"}},
	{KindAnalysis, 2, []string{"explain", "analyse", "analyze", "why", "how does", "what does", "describe", "review", "understand", "summarise", "summarize", "find out", "where is", "audit",
		"tell me", "walk me through", "compare", "do not understand", "don't understand", "how do", "what happens"}},
}

// risks are words of requests in which faults are expensive.
var risks = []string{"delete", "drop", "migration", "migrate", "database", "schema", "auth", "authentication", "password", "security", "payment", "billing",
	"production", "deploy", "encrypt", "permission", "concurrency", "transaction", "public api", "breaking"}

// top returns the kind with the highest weight of keywords in a text, the weight, and the keywords.
func top(text string) (best Kind, weight int, found []string) {
	best = KindFeature
	for _, row := range keywords {
		var words []string
		for _, w := range row.words {
			if has(text, w) {
				words = append(words, w)
			}
		}
		if n := row.weight * len(words); n > weight {
			best, weight, found = row.kind, n, words
		}
	}
	return best, weight, found
}

func risk(text string) (n int) {
	for _, w := range risks {
		if has(text, w) {
			n++
		}
	}
	return n
}

// has reports whether a text contains a word, or words, not as part of a longer one.
func has(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(word)
		if (start == 0 || !inWord(text[start-1])) && (end == len(text) || !inWord(text[end])) {
			return true
		}
		from = end
	}
}

func inWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// place matches what a request may name in a folder: a path, a name in backquotes, a call, a name in camel case or with
// underscores.
var place = lazyregexp.New("[\\w.-]+(?:/[\\w.-]+)+/?|[\\w.-]+/|\\b[\\w-]+\\.[a-z][a-z0-9]{0,4}\\b|`[^`\\n]+`|\\b\\w+\\(\\)|\\b[a-z]+[A-Z]\\w*|\\b[A-Z][a-z0-9]+[A-Z]\\w*|\\b\\w+_\\w+\\b")

// places returns what a request names in the folder, without duplicates; the user's focus comes first.
func places(r Request) (found []string) {
	if r.Focus != "" {
		found = append(found, r.Focus)
	}
	for _, p := range place.FindAllString(r.Text, -1) {
		if p = strings.Trim(p, "`"); !slices.Contains(found, p) && !abbreviation(p) {
			found = append(found, p)
		}
	}
	return found
}

// abbreviation reports whether an apparent file is an abbreviation, or two words around a slash.
func abbreviation(p string) bool {
	return slices.Contains([]string{"e.g", "i.e", "and/or", "etc", "vs"}, strings.TrimSuffix(strings.ToLower(p), "."))
}

// imperatives begin an instruction.
var imperatives = []string{"make", "change", "update", "remove", "delete", "use", "run", "show", "list", "let", "turn", "replace", "convert", "check", "handle", "return",
	"print", "log", "document", "format", "generate", "apply", "revert", "undo", "open", "read", "find", "search", "please", "do", "set", "get", "give", "try",
	"fix", "mend", "repair", "refactor", "restructure", "rename", "extract", "inline", "simplify", "deduplicate", "move", "merge", "optimise", "optimize", "add",
	"implement", "create", "build", "support", "introduce", "allow", "enable", "extend", "write", "put", "test", "cover", "install", "configure", "upgrade", "bump", "pin"}

// aboutFolder are words that can only refer to the folder.
var aboutFolder = []string{"code", "repo", "repository", "file", "files", "folder", "function", "method", "class", "package", "module", "project", "branch", "commit", "line"}

// social matches words and questions of small talk.
var social = lazyregexp.New(`^(?:hello|hi|hey|thanks|thank you|good (?:morning|afternoon|evening|night)|bye|goodbye|great|nice|cool|ok|okay|yes|no|sorry)\b|\b(?:are|do|can|did|were) you\b|^what(?:'s| is| are) (?:an? )?[\w-]+\?*$`)

// chats reports whether a text without keywords and places is small talk: it is short, names nothing of the folder, contains no
// instruction, and is a greeting or the like, or asks for the meaning of a word.
func chats(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > chatLength || !social.MatchString(text) || slices.ContainsFunc(aboutFolder, func(w string) bool { return has(text, w) }) {
		return false
	}
	for _, sentence := range sentences(text) {
		words := strings.Fields(polite.ReplaceAllString(sentence, ""))
		if len(words) > 0 && tellsToDo(strings.Trim(words[0], ",:")) {
			return false
		}
	}
	return true
}

// small are words of work that needs no review if there is little of it.
var small = []string{"typo", "spelling", "comment", "whitespace", "wording"}

const trivialLength = 120 // bytes

func trivial(text string) bool {
	return len(text) <= trivialLength && slices.ContainsFunc(small, func(w string) bool { return has(text, w) })
}

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
