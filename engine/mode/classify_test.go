package mode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClassify_KindScopeAndCertainty(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		kind  Kind
		scope string
		sure  bool
	}{
		"fix the crash in pay/total.go when the cart is empty":           {KindBugfix, "pay", true},
		"add Sum to the calculator":                                      {KindFeature, ".", false},
		"refactor internal/pay/pay.go: extract Rate and rename Total":    {KindRefactor, "internal/pay", true},
		"optimise the slow search in index.go, its latency is a problem": {KindOptimisation, ".", true},
		"explain how does the parser in patch/parse.go work":             {KindAnalysis, "patch", false},
		"set up and configure CI":                                        {KindSetup, ".", true},
		"raise test coverage, with unit tests":                           {KindTest, ".", true},
		"hello, how are you?":                                            {KindConversation, ".", true},
		"thanks, that was great":                                         {KindConversation, ".", true},
		"what is a monad?":                                               {KindConversation, ".", true},
		"make it green":                                                  {KindFeature, ".", false},
		"is there a function for this?":                                  {KindAnalysis, ".", true},
		"please be nice":                                                 {KindFeature, ".", false},
		"prefix the postfix":                                             {KindFeature, ".", false}, // no keyword is a part of a word
		"the login is broken, fix the error in `auth.go`, it is a security regression": {KindBugfix, ".", true},
		"":                         {KindFeature, ".", false},
		strings.Repeat("la ", 200): {KindFeature, ".", false}, // too long for a chat
	} {
		c := Classify(Request{Text: text})
		require.Equal(t, want.kind, c.Kind, text)
		require.Equal(t, want.scope, c.Scope, text)
		require.Equal(t, want.sure, c.Sure(), "%s: %v", text, c.Confidence)
	}
}

// The formula, figure by figure.
func TestClassify_Confidence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"add it":              0.6 * 2 / 5,
		"fix it":              0.6 * 3 / 5,
		"fix the bug":         0.6,
		"fix the bug in a.go": 0.6 + 0.2/3,
		"fix the bug in a.go, b.go, c.go and d.go":  0.6 + 0.2,
		"fix the bug in the database":               0.6 + 0.2/5,
		"fix a.go b.go c.go: delete drop migration": 0.6*3/5 + 0.2 + 0.2*3/5,
	} {
		require.InDelta(t, want, Classify(Request{Text: text}).Confidence, 1e-9, text)
	}
}

func TestClassify_DerivesTheRequiredWork(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind][2]bool{
		KindBugfix: {true, true}, KindFeature: {true, true}, KindRefactor: {true, true}, KindOptimisation: {false, true}, KindTest: {false, true}, KindSetup: {false, true},
		KindAnalysis: {false, false}, KindConversation: {false, false},
	} {
		c := Classify(Request{Text: "x", Kind: kind})
		require.Equal(t, want, [2]bool{c.RequiresTests, c.RequiresReview}, kind)
		require.InDelta(t, 1, c.Confidence, 0, "the user said so")
	}
	require.False(t, Classify(Request{Text: "fix the typo in a.go"}).RequiresReview, "it is trivial")
	require.True(t, Classify(Request{Text: "fix the typo in a.go" + strings.Repeat(" and more", 20)}).RequiresReview, "the twin")
}

func TestClassify_AModelNamesTheKind(t *testing.T) {
	t.Parallel()
	unsure := Classify(Request{Text: "add it"})
	named := unsure.Named("setup")
	require.Equal(t, KindSetup, named.Kind)
	require.InDelta(t, 0.75, named.Confidence, 1e-9)
	require.False(t, named.RequiresTests)
	require.Equal(t, unsure, unsure.Named("poetry"), "the twin")
}

func TestClassify_FocusIsTheScope(t *testing.T) {
	t.Parallel()
	require.Equal(t, "feature:pay/rates", Classify(Request{Text: "add it to x/y.go", Focus: "pay/rates/a.go"}).Key())
	require.Equal(t, "feature:x", Classify(Request{Text: "add it to x/y.go"}).Key())
}

func TestClassify_AnyTextIsOneKind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := Request{Text: rapid.String().Draw(t, "text"), Focus: rapid.SampledFrom([]string{"", "a.go", "a/b.go"}).Draw(t, "focus")}
		c := Classify(r)
		require.Contains(t, Kinds(), c.Kind)
		require.True(t, c.Confidence >= 0 && c.Confidence <= 1+1e-9)
		require.Equal(t, c, Classify(r))
		require.NotEmpty(t, c.Scope)
	})
}

// A question is one by how it begins, whatever its words; what only sounds like one is not.
func TestClassify_Questions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kind{
		"is there an Add?":                            KindAnalysis,
		"Is there an Add":                             KindAnalysis,
		"does Parse support YAML?":                    KindAnalysis,
		"why is Sum wrong?":                           KindAnalysis,
		"I changed a.go. How does it get built now?":  KindAnalysis,
		"can you explain why Sum is wrong?":           KindAnalysis,
		"can you fix Sum?":                            KindBugfix,
		"could you please rename Sum?":                KindRefactor,
		"why is Sum wrong? fix it":                    KindBugfix,
		"why don't we add a Sum?":                     KindFeature,
		"how about a new flag?":                       KindFeature,
		"can we support YAML?":                        KindFeature,
		"when the cart is empty, Sum crashes":         KindBugfix,
		"where it says Sum, it should add: implement": KindFeature,
		"how are you?":                                KindConversation,
		"what is a monad?":                            KindConversation,
		"what is a.go?":                               KindAnalysis,
	} {
		require.Equal(t, want, Classify(Request{Text: text}).Kind, text)
	}
}

// Users see in words how sure a kind is.
func TestClassify_Certainty(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Certainty{
		"fix the off-by-one in Sum": IsSure, "is there an Add?": IsSure, "fix Sum": IsProbable, "add Sum": IsProbable, "make it green": IsUnsure, "": IsUnsure, "hello": IsSure,
	} {
		require.Equal(t, want, Classify(Request{Text: text}).Certainty(), text)
	}
	require.Equal(t, IsSure, Classify(Request{Text: "x", Kind: KindBugfix}).Certainty(), "the user said so")
	require.Equal(t, IsSure, Classify(Request{Text: "make it green"}).Named("bugfix").Certainty(), "a model said so")
}
