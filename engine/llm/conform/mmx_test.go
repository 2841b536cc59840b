package conform_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/mmx"
	"forge/engine/llm/wire"
	"forge/engine/sandbox"
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
	"key only in a header":         "mmx puts it there; TestAnswer_NothingPrivateIsAnArgument checks our side",
	"tool choice arrives":          "mmx has no choice of tools",
	"failed statuses":              "mmx has a few exit statuses instead: TestFailure_ClassifiesExitStatus",
	"moments to call again":        "mmx does not tell them",
	"silence in the answer":        "mmx prints an answer when it is whole",
	"quota":                        "mmx has an exit status for it: TestFailure_ClassifiesExitStatus",
	"events of nothing":            "an answer without an end is a truncated one: TestAnswer_Ends",
	"cut at every byte":            "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
	"ended at every byte":          "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
	"tool calls cut at every byte": "a process for each byte; TestAnswer_NoPartIsTakenForTheWhole does without",
}

// TestMMX_Conformance runs the checks of all adapters through a program that speaks to the scripted model as mmx does to
// MiniMax.
func TestMMX_Conformance(t *testing.T) {
	t.Parallel()
	adapter := mmxAdapter(t)
	for _, name := range Names() {
		if beyond[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := Check(t.Context(), adapter, name); err != nil {
				t.Error(err)
			}
		})
	}
}

// mmxAdapter returns the adapter for mmx with a link to the test binary, which TestMain makes relay, as its program.
func mmxAdapter(t *testing.T) Adapter {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	program, scratch := filepath.Join(t.TempDir(), "mmx"), t.TempDir()
	require.NoError(t, os.Symlink(self, program))
	environ := append(os.Environ(), "HTTPS_PROXY=http://proxy.example:3128", "SECRET_TOKEN="+key)
	return Adapter{
		Name:  "mmx",
		Lacks: []Ability{Streams, CacheMarks, RawTools},
		New: func(o wire.Options) llm.Model {
			return mmx.New(mmx.Options{
				Program: program, Runner: sandbox.New(sandbox.Options{Environ: environ}), Environ: environ, Scratch: scratch,
				Key: o.Key, Model: o.Model, BaseURL: o.BaseURL,
				Timeout: min(o.HeaderTimeout, o.IdleTimeout), Now: o.Now,
			})
		},
	}
}
