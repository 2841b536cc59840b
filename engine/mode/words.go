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
