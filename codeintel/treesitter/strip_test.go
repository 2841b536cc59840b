//go:build cgo

package treesitter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

func stripped(t *testing.T, language codeintel.Language, source string) (string, bool) {
	t.Helper()
	code, known, err := new(treesitter.Outliner).Strip(t.Context(), language, source)
	require.NoError(t, err)
	return code, known
}

// Comments and blanks leave the same code.
func TestStrip_CommentsAreNoCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language      codeintel.Language
		before, after string
	}{
		"go":                  {codeintel.LanguageGo, "package p\n\nfunc F() int {\n\treturn 1\n}\n", "// Package p is one.\npackage p\n\n// F is one.\nfunc F() int {\n\t/* it\n\tis */ return 1 // one\n}\n"},
		"go, a package alone": {codeintel.LanguageGo, "", "// Package p is one.\npackage p\n"},
		"python": {codeintel.LanguagePython, "import os\nclass C:\n    def f(self):\n        return 1\n",
			"\"\"\"A module.\"\"\"\nimport os  # for f\n\nclass C:\n    # of ours\n    \"\"\"A class.\"\"\"\n    def f(self):\n        '''One.'''\n        return 1\n"},
		"python, a package alone": {codeintel.LanguagePython, "", "\"\"\"A package.\"\"\"\n"},
		"javascript":              {codeintel.LanguageJavaScript, "export function f() { return 1 }\n", "/** One. */\nexport function f() {\n  // it is\n  return 1\n}\n"},
		"typescript":              {codeintel.LanguageTypeScript, "export const f = (a: number) => a\n", "/** @param a one */\nexport const f = (a: number) => a // same\n"},
		"rust":                    {codeintel.LanguageRust, "pub fn f() -> i32 { 1 }\n", "//! A crate.\n/// One.\n///\n/// ```\n/// f();\n/// ```\npub fn f() -> i32 { /* it */ 1 }\n"},
		"java":                    {codeintel.LanguageJava, "class A { int f() { return 1; } }\n", "/** A. */\nclass A {\n  // one\n  int f() { return 1; }\n}\n"},
		"c++":                     {codeintel.LanguageCPP, "template <class T> T f(T t) { return t; }\n", "/// Same.\ntemplate <class T> T f(T t) {\n  return t; // same\n}\n"},
		"bash":                    {codeintel.LanguageBash, "#!/bin/sh\necho a\n", "#!/bin/sh\n# Says a.\necho a # a\n"},
		"ruby":                    {codeintel.LanguageRuby, "def f\n  1\nend\n", "# One.\ndef f\n  1 # one\nend\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, known := stripped(t, c.language, c.before)
			require.True(t, known)
			after, known := stripped(t, c.language, c.after)
			require.True(t, known)
			require.Equal(t, before, after)
		})
	}
}

// The negative twins: what does something else is other code, however small it is, and whatever it looks like.
func TestStrip_LeavesCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language      codeintel.Language
		before, after string
	}{
		"go, a number":                  {codeintel.LanguageGo, "package p\n\nvar A = 1\n", "package p\n\nvar A = 2\n"},
		"go, a line end":                {codeintel.LanguageGo, "package p\n\nfunc f() { return\ng() }\n", "package p\n\nfunc f() { return g() }\n"},
		"go, a string":                  {codeintel.LanguageGo, "package p\n\nvar A = \" \"\n", "package p\n\nvar A = \"  \"\n"},
		"go, a string like a comment":   {codeintel.LanguageGo, "package p\n\nvar A = \"// a\"\n", "package p\n\nvar A = \"// b\"\n"},
		"go, a directive":               {codeintel.LanguageGo, "package p\n\nvar a string\n", "package p\n\n//go:embed a.txt\nvar a string\n"},
		"go, a constraint":              {codeintel.LanguageGo, "package p\n\nvar a string\n", "//go:build linux\n\npackage p\n\nvar a string\n"},
		"go, a preamble":                {codeintel.LanguageGo, "package p\n\n// int f();\nimport \"C\"\n", "package p\n\n// int g();\nimport \"C\"\n"},
		"python, what is nested":        {codeintel.LanguagePython, "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"},
		"python, a string with a name":  {codeintel.LanguagePython, "a = \"\"\"A.\"\"\"\n", "a = \"\"\"B.\"\"\"\n"},
		"python, a string further down": {codeintel.LanguagePython, "a = 1\n", "a = 1\n\"no docstring\"\n"},
		"python, an f-string":           {codeintel.LanguagePython, "a = 1\n", "f\"{launch()}\"\na = 1\n"},
		"python, blanks in a string":    {codeintel.LanguagePython, "a = ' '\n", "a = '  '\n"},
		"javascript, a line end":        {codeintel.LanguageJavaScript, "function f() { return 1 }\n", "function f() { return\n1 }\n"},
		"javascript, a template":        {codeintel.LanguageJavaScript, "a = `// x`\n", "a = `// y`\n"},
		"javascript, strictness":        {codeintel.LanguageJavaScript, "f()\n", "'use strict'\nf()\n"},
		"bash, another shell":           {codeintel.LanguageBash, "#!/bin/sh\necho a\n", "#!/bin/bash\necho a\n"},
		"bash, a heredoc":               {codeintel.LanguageBash, "cat <<E\n# a\nE\n", "cat <<E\n# b\nE\n"},
		"ruby, a switch":                {codeintel.LanguageRuby, "f 'a'\n", "# frozen_string_literal: true\nf 'a'\n"},
		"rust, an attribute":            {codeintel.LanguageRust, "fn f() {}\n", "#[inline]\nfn f() {}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, known := stripped(t, c.language, c.before)
			require.True(t, known)
			after, known := stripped(t, c.language, c.after)
			require.True(t, known)
			require.NotEqual(t, before, after)
		})
	}
}

func TestStrip_TextThatCannotBeParsedIsUnknown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language codeintel.Language
		source   string
	}{
		"no language":   {"", "all: build\n"},
		"no grammar":    {codeintel.LanguageYAML, "a: 1 # one\n"},
		"a broken text": {codeintel.LanguagePython, "def f(:\n"},
		"broken go":     {codeintel.LanguageGo, "package p\nfunc {\n"},
		"data":          {codeintel.LanguageJavaScript, "a\x00b"},
	} {
		_, known := stripped(t, c.language, c.source)
		require.False(t, known, name)
	}
}
