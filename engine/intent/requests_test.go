package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requests are what people write, with the kind that a person would say it is. Most of them are not in the words of the table.
var requests = []struct {
	text string
	kind Kind
}{
	// something does not do what it should
	{"fix the off-by-one in Sum", Bugfix},
	{"the total is wrong when the cart is empty", Bugfix},
	{"login crashes on an empty password", Bugfix},
	{"users get logged out after a minute, they should stay for an hour", Bugfix},
	{"the date picker shows yesterday instead of today", Bugfix},
	{"Parse hangs forever on an unterminated string", Bugfix},
	{"clicking save twice stores the order two times", Bugfix},
	{"negative amounts slip through the check in pay.go", Bugfix},
	{"Close never returns if the queue is full", Bugfix},
	{"it no longer compiles since the last commit", Bugfix},
	{"prevent the nil dereference in handler.go", Bugfix},
	{"stop swallowing the result of Close in store.go", Bugfix},
	{"rounding is incorrect for refunds", Bugfix},
	{"correct the sign of the discount", Bugfix},

	// something is to be there that is not
	{"add a Sum function to package stats, with tests", Feature},
	{"implement pagination for the orders endpoint", Feature},
	{"support YAML as an input format", Feature},
	{"can you add a --verbose flag?", Feature},
	{"could you please implement retries in client.go?", Feature},
	{"we need an endpoint that lists invoices by month", Feature},
	{"let users export their data as CSV", Feature},
	{"give Money a String method", Feature},
	{"show a progress bar while files are copied", Feature},
	{"print the version with -v", Feature},
	{"make the timeout configurable", Feature},
	{"send a mail when an order ships", Feature},
	{"accept dates in ISO format, too", Feature},
	{"return 404 for unknown users", Feature},

	// the same, in another form
	{"refactor the parser into two files", Refactor},
	{"rename Total to Sum everywhere", Refactor},
	{"extract the rate table into its own package", Refactor},
	{"get rid of the global variable in config.go", Refactor},
	{"this function is far too long, break it into pieces", Refactor},
	{"merge the two almost identical loops in walk.go", Refactor},
	{"replace the switch with a table", Refactor},
	{"pull the SQL out of the handlers", Refactor},
	{"turn these callbacks into an interface", Refactor},

	// the same, for less
	{"make the search faster", Optimisation},
	{"the index takes a minute to load, it should take a second", Optimisation},
	{"reduce the memory usage of the cache", Optimisation},
	{"avoid reading the whole file into memory in load.go", Optimisation},
	{"cache the result of the lookup, it is asked for all the time", Optimisation},
	{"startup is too slow", Optimisation},

	// tests alone
	{"write unit tests for pay.go", Test},
	{"raise the coverage of package money", Test},
	{"cover the error paths of Parse", Test},
	{"check that Round works for negative amounts in round_test.go", Test},

	// what surrounds the code
	{"set up CI with GitHub Actions", Setup},
	{"add a Dockerfile", Setup},
	{"upgrade to Go 1.26", Setup},
	{"pin the versions in requirements.txt", Setup},
	{"bump lodash to 4.17.21", Setup},

	// something is to be known
	{"is there an Add?", Analysis},
	{"does Parse support comments?", Analysis},
	{"does this project support Windows?", Analysis},
	{"why is the build slow", Analysis},
	{"why does the login fail on Mondays?", Analysis},
	{"how does the cache know that a file was changed?", Analysis},
	{"how are refunds rounded", Analysis},
	{"what happens if two people save at once?", Analysis},
	{"where are the prices stored?", Analysis},
	{"which files import pay.go?", Analysis},
	{"who calls Settle?", Analysis},
	{"when is the index rebuilt?", Analysis},
	{"are the migrations run on startup?", Analysis},
	{"can Parse fail?", Analysis},
	{"is it safe to call Close twice?", Analysis},
	{"do we have tests for refunds?", Analysis},
	{"has anybody fixed the crash in Round?", Analysis},
	{"should Total be rounded before tax is added?", Analysis},
	{"explain the parser in patch/parse.go", Analysis},
	{"tell me what main.go does", Analysis},
	{"can you explain how errors are handled here?", Analysis},
	{"walk me through the startup of the server", Analysis},
	{"compare the two caches in store.go and memo.go", Analysis},
	{"I do not understand why Round returns a string", Analysis},

	// about nothing in the folder
	{"hello", Conversation},
	{"thanks, that was great", Conversation},
	{"what is a monad?", Conversation},
	{"how are you?", Conversation},
	{"good morning!", Conversation},
	{"who are you?", Conversation},
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

// How often the rules say what a person says is measured, and may not become less.
func TestWhatPeopleWrite(t *testing.T) {
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
