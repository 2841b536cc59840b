package event_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/llm"
)

func TestRemedy_IsFoundInAWrappedError(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want event.Remedy
	}{
		"no error":                   {nil, ""},
		"any other error":            {errors.New("401 key limit model"), ""},
		"one with a remedy":          {fmt.Errorf("start: %w", event.NewRemedied(event.RemedyTrust, "the folder is not trusted")), event.RemedyTrust},
		"a failed call":              {fmt.Errorf("ask: %w", &llm.Error{Kind: llm.KindAuth, Model: "m"}), event.RemedyKey},
		"a call with another remedy": {event.WithRemedy(event.RemedyWait, &llm.Error{Kind: llm.KindAuth, Model: "m"}), event.RemedyWait},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, event.RemedyOf(tc.err))
		})
	}
	require.NoError(t, event.WithRemedy(event.RemedyKey, nil))
}

// Every failure of a call has a remedy, also one that is added later.
func TestRemedy_ExistsForEachKindOfFailedCall(t *testing.T) {
	t.Parallel()
	kinds := kindsOf(t)
	require.Contains(t, kinds, llm.KindAuth)
	for _, kind := range append(kinds, "no model") {
		require.Contains(t, event.Remedies, event.RemedyOfCall(kind), kind)
	}
	require.Empty(t, event.RemedyOfCall(""))
	require.Empty(t, event.RemedyOfCall("timeout"), "a failure of an activity that asks no model")
}

// kindsOf reads the constants of the type llm.Kind from its file.
func kindsOf(t *testing.T) (kinds []llm.Kind) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "../llm/error.go", nil, 0)
	require.NoError(t, err)
	checked, _ := (&types.Config{Importer: importer.Default(), Error: func(error) {}}).Check("llm", set, []*ast.File{file}, nil)
	for _, name := range checked.Scope().Names() {
		if value, is := checked.Scope().Lookup(name).(*types.Const); is && value.Type().String() == "llm.Kind" {
			kinds = append(kinds, llm.Kind(constant.StringVal(value.Val())))
		}
	}
	return kinds
}
