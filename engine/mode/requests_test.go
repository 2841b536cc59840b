package mode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requests are what people write, with the kind that the user would say it is. Most of them are not in the words of the table.
var requests = []struct {
	text string
	kind Kind
}{
	// something does not do what it should
	{"fix the off-by-one in Sum", KindBugfix},
	{"the total is wrong when the cart is empty", KindBugfix},
	{"login crashes on an empty password", KindBugfix},
	{"users get logged out after a minute, they should stay for an hour", KindBugfix},
	{"the date picker shows yesterday instead of today", KindBugfix},
	{"Parse hangs forever on an unterminated string", KindBugfix},
	{"clicking save twice stores the order two times", KindBugfix},
	{"negative amounts slip through the check in pay.go", KindBugfix},
	{"Close never returns if the queue is full", KindBugfix},
	{"it no longer compiles since the last commit", KindBugfix},
	{"prevent the nil dereference in handler.go", KindBugfix},
	{"stop swallowing the result of Close in store.go", KindBugfix},
	{"rounding is incorrect for refunds", KindBugfix},
	{"correct the sign of the discount", KindBugfix},

	// something is to be there that is not
	{"add a Sum function to package stats, with tests", KindFeature},
	{"implement pagination for the orders endpoint", KindFeature},
	{"support YAML as an input format", KindFeature},
	{"can you add a --verbose flag?", KindFeature},
	{"could you please implement retries in client.go?", KindFeature},
	{"we need an endpoint that lists invoices by month", KindFeature},
	{"let users export their data as CSV", KindFeature},
	{"give Money a String method", KindFeature},
	{"show a progress bar while files are copied", KindFeature},
	{"print the version with -v", KindFeature},
	{"make the timeout configurable", KindFeature},
	{"send a mail when an order ships", KindFeature},
	{"accept dates in ISO format, too", KindFeature},
	{"return 404 for unknown users", KindFeature},

	// the same, in another form
	{"refactor the parser into two files", KindRefactor},
	{"rename Total to Sum everywhere", KindRefactor},
	{"extract the rate table into its own package", KindRefactor},
	{"get rid of the global variable in config.go", KindRefactor},
	{"this function is far too long, break it into pieces", KindRefactor},
	{"merge the two almost identical loops in walk.go", KindRefactor},
	{"replace the switch with a table", KindRefactor},
	{"pull the SQL out of the handlers", KindRefactor},
	{"turn these callbacks into an interface", KindRefactor},

	// the same, for less
	{"make the search faster", KindOptimisation},
	{"the index takes a minute to load, it should take a second", KindOptimisation},
	{"reduce the memory usage of the cache", KindOptimisation},
	{"avoid reading the whole file into memory in load.go", KindOptimisation},
	{"cache the result of the lookup, it is asked for all the time", KindOptimisation},
	{"startup is too slow", KindOptimisation},

	// tests alone
	{"write unit tests for pay.go", KindTest},
	{"raise the coverage of package money", KindTest},
	{"cover the error paths of Parse", KindTest},
	{"check that Round works for negative amounts in round_test.go", KindTest},

	// what surrounds the code
	{"set up CI with GitHub Actions", KindSetup},
	{"add a Dockerfile", KindSetup},
	{"upgrade to Go 1.26", KindSetup},
	{"pin the versions in requirements.txt", KindSetup},
	{"bump lodash to 4.17.21", KindSetup},

	// something is to be known
	{"is there an Add?", KindAnalysis},
	{"does Parse support comments?", KindAnalysis},
	{"does this project support Windows?", KindAnalysis},
	{"why is the build slow", KindAnalysis},
	{"why does the login fail on Mondays?", KindAnalysis},
	{"how does the cache know that a file was changed?", KindAnalysis},
	{"how are refunds rounded", KindAnalysis},
	{"what happens if two people save at once?", KindAnalysis},
	{"where are the prices stored?", KindAnalysis},
	{"which files import pay.go?", KindAnalysis},
	{"who calls Settle?", KindAnalysis},
	{"when is the index rebuilt?", KindAnalysis},
	{"are the migrations run on startup?", KindAnalysis},
	{"can Parse fail?", KindAnalysis},
	{"is it safe to call Close twice?", KindAnalysis},
	{"do we have tests for refunds?", KindAnalysis},
	{"has anybody fixed the crash in Round?", KindAnalysis},
	{"should Total be rounded before tax is added?", KindAnalysis},
	{"explain the parser in patch/parse.go", KindAnalysis},
	{"tell me what main.go does", KindAnalysis},
	{"can you explain how errors are handled here?", KindAnalysis},
	{"walk me through the startup of the server", KindAnalysis},
	{"compare the two caches in store.go and memo.go", KindAnalysis},
	{"I do not understand why Round returns a string", KindAnalysis},

	// about nothing in the folder
	{"hello", KindConversation},
	{"thanks, that was great", KindConversation},
	{"what is a monad?", KindConversation},
	{"how are you?", KindConversation},
	{"good morning!", KindConversation},
	{"who are you?", KindConversation},
}

// inItsWords reports whether a request has a word of the row of its kind.
func inItsWords(text string, kind Kind) bool {
	for _, row := range keywords {
		for _, w := range row.words {
			if row.kind == kind && has(strings.ToLower(text), w) {
				return true
			}
		}
	}
	return false
}

// How often the rules say what the user says is measured, and may not become less.
func TestRequests_ClassifiesUserTexts(t *testing.T) {
	t.Parallel()
	right, inWords, rightInWords := 0, 0, 0
	for _, r := range requests {
		c := Classify(Request{Text: r.text})
		known := inItsWords(r.text, r.kind)
		if known {
			inWords++
		}
		if c.Kind == r.kind {
			right++
			if known {
				rightInWords++
			}
			continue
		}
		require.NotEqual(t, IsSure, c.Certainty(), "%q is %s, and nothing may be sure that it is %s", r.text, r.kind, c.Kind)
		t.Logf("%q is %s, and taken for %s (%.2f, %s)", r.text, r.kind, c.Kind, c.Confidence, c.Certainty())
	}
	others := len(requests) - inWords
	t.Logf("right: %d of %d; in the words of the table %d of %d, in others %d of %d", right, len(requests), rightInWords, inWords, right-rightInWords, others)
	require.GreaterOrEqual(t, len(requests), 60)
	require.GreaterOrEqual(t, 5*right, 4*len(requests), "four of five")
	require.GreaterOrEqual(t, 2*others, len(requests), "half of them are in words that the table does not have")
}
