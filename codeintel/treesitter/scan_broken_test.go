package treesitter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// TestScanBroken gives the scanner what a person has just typed half of: what follows is still found, where it belongs.
func TestScanBroken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		language codeintel.Language
		source   string
		want     string
	}{
		{"csharp: an event without a name", codeintel.LanguageCSharp, "class A { event { } }\nclass B { }\ndelegate {\n}\n", "A B"},
		{"javascript: an annotation without a name", codeintel.LanguageJavaScript, "export @(x) class A {}\nclass B {}\n", "B"},
		{"kotlin: an annotation without a name", codeintel.LanguageKotlin, "public @(x) class A {}\nclass B {}\n", "B"},
		{"rust: no end of a function", codeintel.LanguageRust, "fn a() {\n    if x {\n\nfn b() {}\nstruct C { d: u8 }\n", "a b C C.d"},
		{"rust: no end of parameters", codeintel.LanguageRust, "fn a(x: u8\n\nfn b() {}\n", "a b"},
		{"rust: no end of a text", codeintel.LanguageRust, "fn a() { let s = \"x;\n", "a"},
		{"java: no end of a method", codeintel.LanguageJava, "class A {\n  void b() {\n    if (x) {\n  public void c() {}\n}\n", "A A.b A.c"},
		{"java: a call without semicolon", codeintel.LanguageJava, "class A {\n  void b() { c( }\n  void d() {}\n}\n", "A A.b A.d"},
		{"c: no end of a function", codeintel.LanguageC, "int a(void) {\n  if (x) {\n\nstatic int b(void) {\n}\n", "a b"},
		{"c: only words", codeintel.LanguageC, "not a program at all", ""},
		{"cpp: no end of a method", codeintel.LanguageCPP, "class A {\n  void b() {\n    if (x) {\n  static void c();\n};\n", "A A.b A.c"},
		{"csharp: no end of a method", codeintel.LanguageCSharp, "class A {\n  void B() {\n    if (x) {\n\n  public void C() {}\n}\n", "A A.B A.C"},
		{"ruby: no end of a method", codeintel.LanguageRuby, "class A\n  def b\n    if x\n  def c\n  end\nend\n", "A A.b A.c"},
		{"php: no end of a method", codeintel.LanguagePHP, "<?php\nclass A {\n  function b() {\n    if (x) {\n  function c() {}\n}\n", "A A.b A.c"},
		{"kotlin: no end of a function", codeintel.LanguageKotlin, "fun a() {\n    if (x) {\n\nfun b() = 1\n", "a b"},
		{"kotlin: a value is missing", codeintel.LanguageKotlin, "val a =\nfun b() = 1\n", "a b"},
		{"swift: no end of parameters", codeintel.LanguageSwift, "func a(x: Int\nfunc b() {}\n", "a b"},
		{"scala: no end of a body", codeintel.LanguageScala, "object A {\n  def b() = {\n    if (x) {\n  def c() = 1\n}\n", "A A.b A.c"},
		{"typescript: no end of a function", codeintel.LanguageTypeScript, "function a() {\n  if (x) {\n\nexport function b() {}\n", "a b"},
		{"javascript: no end of a call", codeintel.LanguageJavaScript, "app.use(\n\nfunction b() {}\n", "b"},
		{"python: no end of brackets", codeintel.LanguagePython, "def a(x,\n\ndef b(): pass\nclass C:\n  d = [1,\n  def e(self): pass\n", "a b C C.d C.e"},
		{"bash: no end of a function", codeintel.LanguageBash, "a() {\n  if x; then\nb() {\n  :\n}\n", "a b"},
		{"lua: no end of a function", codeintel.LanguageLua, "function a()\n  if x then\n\nfunction b() end\n", "a b"},
		{"sql: no end of columns", codeintel.LanguageSQL, "CREATE TABLE a (\n  id INT,\n\nCREATE TABLE b (c INT);\n", "a a.id b b.c"},
		{"markdown: no end of code", codeintel.LanguageMarkdown, "# A\n```\n# B\n", "A"},
		{"yaml: a tab", codeintel.LanguageYAML, "a:\n\tb: 1\nc: {\nd: 1\n", "a c d"},
		{"toml: no end of a list", codeintel.LanguageTOML, "a = [\n[b]\nc = 1\n", "a b b.c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			outline := treesitter.Scan(test.language, test.source)
			checkOutline(t, test.source, outline)
			require.Equal(t, test.want, strings.Join(paths("", outline.Symbols), " "))
		})
	}
}

// paths returns the names of symbols with those around them, in order.
func paths(around string, symbols []codeintel.Symbol) []string {
	var all []string
	for _, s := range symbols {
		all = append(all, around+s.Name)
		all = append(all, paths(around+s.Name+".", s.Children)...)
	}
	return all
}
