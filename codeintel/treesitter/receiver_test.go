//go:build cgo

package treesitter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

func TestOutline_MethodOutsideOfItsTypeNamesIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		language     codeintel.Language
		method       string
		want         string
	}{
		{"an impl", "impl<T: Ord> Cache<T> {\n    fn new() {}\n}\n", codeintel.LanguageRust, "new", "Cache<T>"},
		{"an impl of a trait", "impl fmt::Display for Cache {\n    fn fmt(&self) {}\n}\n", codeintel.LanguageRust, "fmt", "Cache"},
		{"no impl", "fn new() {}\n", codeintel.LanguageRust, "new", ""},
		{"a scope", "int ui::Box::size() const {\n    return 0;\n}\n", codeintel.LanguageCPP, "size", "ui::Box"},
		{"a scope of a template", "template <typename T>\nT Box<T>::get() {\n    return value;\n}\n", codeintel.LanguageCPP, "get", "Box<T>"},
		{"an extension of Kotlin", "fun <T> List<T>.second(): T = get(1)\n", codeintel.LanguageKotlin, "second", "List<T>"},
		{"an extension of Swift", "extension Array where Element: Equatable {\n    func second() {}\n}\n", codeintel.LanguageSwift, "second", "Array"},
		{"a table", "function queue.items:push(item)\nend\n", codeintel.LanguageLua, "push", "queue.items"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			outline, err := new(treesitter.Outliner).Outline(t.Context(), test.language, test.source)
			require.NoError(t, err)
			require.Len(t, outline.Symbols, 1)
			require.Equal(t, test.method, outline.Symbols[0].Name)
			require.Equal(t, test.want, outline.Symbols[0].Receiver)
			require.Equal(t, test.want != "", outline.Symbols[0].Kind == codeintel.Method)
		})
	}
}
