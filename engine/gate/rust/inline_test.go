package rust

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// Tests in files of code are found without a compiler, whatever stands around them and in them.
func TestInline_FindsTestsInCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"none":       {"pub fn a() -> u8 {\n    1\n}\n// #[test]\n/* #[cfg(test)] /* mod tests {} */ */\nconst A: &str = \"#[test] fn a() {}\";\n", nil},
		"a module":   {"fn a() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn b() { assert_eq!('}', '\\'') }\n}\nfn c() {}\n", []string{"#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn b() { assert_eq!('}', '\\'') }\n}"}},
		"raw texts":  {"fn a() -> &'static str { r##\"}\"#[test] fn x() {} \"## }\n#[test]\nfn b() { let _ = (r##\"}\"#\"##, b\"}\\\"\", br\"}\", 'a', '}', '\\u{7d}', b'}'); }\n", []string{"#[test]\nfn b() { let _ = (r##\"}\"#\"##, b\"}\\\"\", br\"}\", 'a', '}', '\\u{7d}', b'}'); }"}},
		"lifetimes":  {"fn a<'a>(x: &'a str) -> &'a str { x }\n#[test]\nfn b<'b>() {}\n", []string{"#[test]\nfn b<'b>() {}"}},
		"its marks":  {"/// What it proves.\n#[tokio::test(flavor = \"multi_thread\")]\n#[ignore]\nasync fn a() {}\n", []string{"/// What it proves.\n#[tokio::test(flavor = \"multi_thread\")]\n#[ignore]\nasync fn a() {}"}},
		"declared":   {"#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nmod code;\n", []string{"#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;"}},
		"wrapped":    {"#[cfg(any())]\nmod off {\n    #[test]\n    fn a() {}\n}\n", []string{"#[cfg(any())] mod off: #[test]\n    fn a() {}"}},
		"in a macro": {"proptest! {\n    #[test]\n    fn a(x in 0..5) { x; }\n}\n", []string{"proptest !: #[test]\n    fn a(x in 0..5) { x; }"}},
		"other code": {"#[cfg(not(test))]\nuse a::{b, c};\n#[cfg(all(test, unix))]\nconst X: [u8; 1] = { [1] };\nfn d() { if cfg!(test) { e() } }\n",
			[]string{"#[cfg(not(test))]\nuse a::{b, c};", "#[cfg(all(test, unix))]\nconst X: [u8; 1] = { [1] };", "cfg!(test)"}},
		"only while tested": {"#[cfg_attr(all(test, unix), automock)]\n#[derive(Debug)]\npub trait Store {\n    fn get(&self) -> u8;\n}\n/// ```\n/// x\n/// ```\n#[cfg_attr(test, derive(PartialEq))]\nstruct A;\n#![cfg_attr(not(test), no_std)]\n",
			[]string{"#[cfg_attr(all(test, unix), automock)]", "example ```\n/// x\n/// ```", "#[cfg_attr(test, derive(PartialEq))]", "#![cfg_attr(not(test), no_std)]"}},
		"made a test": {"#[cfg_attr(feature = \"a\", tokio::test)]\n#[cfg_attr(not(feature = \"a\"), should_panic(expected = \"x\"), test)]\nfn a() {}\n#[cfg_attr(test, allow(x))]\n#[test]\nfn b() {}\n#[cfg_attr(unix, cfg(test))]\nmod c {}\n#[cfg_attr(miri, ignore)]\nfn d() {}\n",
			[]string{"#[cfg_attr(feature = \"a\", tokio::test)]\n#[cfg_attr(not(feature = \"a\"), should_panic(expected = \"x\"), test)]\nfn a() {}", "#[cfg_attr(test, allow(x))]\n#[test]\nfn b() {}", "#[cfg_attr(unix, cfg(test))]\nmod c {}"}},
		"a field":        {"struct A {\n    #[cfg(test)]\n    pub x: [u8; 2],\n    y: u8,\n}\n", []string{"#[cfg(test)]\n    pub x: [u8; 2],"}},
		"a function":     {"#[test]\npub(crate) extern \"C\" fn a<A, B>(x: A, y: B) where A: Copy {}\nfn b() {}\n", []string{"#[test]\npub(crate) extern \"C\" fn a<A, B>(x: A, y: B) where A: Copy {}"}},
		"the file":       {"#![cfg(test)]\nfn a() {}\n", []string{"#![cfg(test)]\nfn a() {}\n"}},
		"not tested":     {"#![cfg(not(test))]\nfn a() {}\n", []string{"#![cfg(not(test))]"}},
		"other features": {"#[cfg(feature = \"test\")]\nfn a() {}\n#[derive(Debug)]\nstruct B;\n", nil},
		"an example":     {"/// Adds.\n///\n/// ```\n/// assert_eq!(a(), 1);\n/// ```\npub fn a() -> u8 { 1 }\n", []string{"example ```\n/// assert_eq!(a(), 1);\n/// ```"}},
		"other macros":   {"#[macro_use]\nmod a;\nmacro_rules! assert_eq { () => {}; }\nuse a::quiet as assert_ne;\nfn b() { assert!(true); assert_eq!(1, 1); c.assert(); std::panic::take_hook(); }\n", []string{"assert_eq", "assert_ne"}},
		"not closed":     {"#[cfg(test)]\nmod tests {\n    fn a() {\n", []string{"#[cfg(test)]\nmod tests {\n    fn a() {"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, part := range inline("src/lib.rs", c.source) {
				text := c.source[part.Start:part.End]
				if part.In != "" {
					text = part.In + ": " + text
				}
				if part.Example {
					text = "example " + strings.TrimPrefix(text, "/// ")
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
		})
	}
	require.Empty(t, inline("README.md", "#[test] fn a() {}"))
}

// An error of the compiler in tests is red, also where they stand beside the code.
func TestRed_IncludesTestsThatDoNotCompile(t *testing.T) {
	t.Parallel()
	after := gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{{Path: "src/lib.rs", Line: 9, Rule: ruleInline + "E0425", Message: "cannot find function"}}}
	red, reason := Red(gate.Report{Verdict: gate.Pass, Executed: 1}, after)
	require.True(t, red, reason)
	after.Findings[0].Rule = "E0425"
	red, _ = Red(gate.Report{Verdict: gate.Pass, Executed: 1}, after)
	require.False(t, red)
}

// Parts lie in the text, in order, and none in another.
func FuzzInline(f *testing.F) {
	f.Add("#[cfg(test)]\nmod tests { #[test] fn a() { r#\"}\"#; } }\n/// ```\n/// x\n/// ```\nfn b<'a>() { if cfg!(test) {} }\n")
	f.Add("#![cfg(test)]/*\"'")
	f.Fuzz(func(t *testing.T, source string) {
		at := 0
		for _, part := range inline("a.rs", source) {
			require.LessOrEqual(t, at, part.Start)
			require.Less(t, part.Start, part.End)
			require.LessOrEqual(t, part.End, len(source))
			at = part.End
		}
	})
}
