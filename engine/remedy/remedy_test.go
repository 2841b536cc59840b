package remedy_test

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

	"forge/engine/llm"
	"forge/engine/remedy"
)

func TestRemedy_IsFoundInAWrappedError(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want remedy.Remedy
	}{
		"no error":                   {nil, ""},
		"any other error":            {errors.New("401 key limit model"), ""},
		"one with a remedy":          {fmt.Errorf("start: %w", remedy.New(remedy.Trust, "the folder is not trusted")), remedy.Trust},
		"a failed call":              {fmt.Errorf("ask: %w", &llm.Error{Kind: llm.KindAuth, Model: "m"}), remedy.Key},
		"a call with another remedy": {remedy.With(remedy.Wait, &llm.Error{Kind: llm.KindAuth, Model: "m"}), remedy.Wait},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, remedy.Of(tc.err))
		})
	}
	require.NoError(t, remedy.With(remedy.Key, nil))
}

// Every failure of a call has a remedy, also one that is added later.
func TestRemedy_ExistsForEachKindOfFailedCall(t *testing.T) {
	t.Parallel()
	kinds := kindsOf(t)
	require.Contains(t, kinds, llm.KindAuth)
	for _, kind := range append(kinds, "no model") {
		require.Contains(t, remedy.All, remedy.OfCall(kind), kind)
	}
	require.Empty(t, remedy.OfCall(""))
	require.Empty(t, remedy.OfCall("timeout"), "a failure of an activity that asks no model")
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
