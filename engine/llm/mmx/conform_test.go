package mmx_test

import (
	"testing"

	"forge/engine/llm"
	"forge/engine/llm/conform"
	"forge/engine/llm/mmx"
	"forge/engine/llm/wire"
)

// beyond are the checks of what a program between us and the provider cannot do, and why.
var beyond = map[string]string{
	"pieces as they come":          "mmx prints an answer when it is whole",
	"whole is what is streamed":    "mmx prints an answer when it is whole",
	"any form of the stream":       "mmx reads the stream",
	"cancel in the answer":         "mmx prints an answer when it is whole",
	"finish by filter":             "the provider's word for it is that of a refusal",
	"who asks arrives":             "mmx sends headers of its own",
	"temperature arrives":          "MiniMax takes no temperature of 0",
	"schema arrives":               "mmx has no schemas",
	"thinking arrives":             "mmx has no say in it",
	"what is stable is marked":     "mmx has no marks",
	"key only in a header":         "mmx puts it there; TestAnswer_NothingPrivateIsAnArgument sees to our side",
	"tool choice arrives":          "mmx has no choice of tools",
	"failed statuses":              "mmx has a few exit statuses instead: TestFailure_HowMmxEnds",
	"moments to call again":        "mmx does not tell them",
	"silence in the answer":        "mmx prints an answer when it is whole",
	"quota":                        "mmx has an exit status for it: TestFailure_HowMmxEnds",
	"events of nothing":            "an answer without an end is a truncated one: TestAnswer_Ends",
	"cut at every byte":            "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
	"ended at every byte":          "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
	"tool calls cut at every byte": "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
}

// TestConform_Conformance runs the checks of all adapters through a program that speaks to the scripted model as mmx does to
// MiniMax.
func TestConform_Conformance(t *testing.T) {
	t.Parallel()
	f := pretend(t, "", "", "relay")
	adapter := conform.Adapter{
		Name:  "mmx",
		Lacks: []conform.Ability{conform.Streams, conform.CacheMarks, conform.RawTools},
		New: func(o wire.Options) llm.Model {
			own := f.options()
			own.Key, own.Model, own.BaseURL, own.Region = o.Key, o.Model, o.BaseURL, "global"
			own.Timeout, own.Now = min(o.HeaderTimeout, o.IdleTimeout), o.Now
			return mmx.New(own)
		},
	}
	for _, name := range conform.Names() {
		if beyond[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := conform.Check(t.Context(), adapter, name); err != nil {
				t.Error(err)
			}
		})
	}
}
