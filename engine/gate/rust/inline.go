package rust

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
)

// inline returns the parts of a source that belong to the tests: every item with an attribute about tests, such as #[cfg(test)],
// #[test] or #[cfg(not(test))], with its attributes and documentation; each #[cfg_attr(test, …)] of other code and each cfg!(test), which
// change code while it is tested; other macros with the names of assertions; and examples in documentation. It does not expand macros.
func inline(file, source string) []gate.Part {
	if path.Ext(file) != ".rs" {
		return nil
	}
	r := reader{source: source, tokens: tokens(source), first: -1}
	for r.at < len(r.tokens) {
		if r.wholeFile() {
			return []gate.Part{{End: len(source)}}
		}
		r.step()
	}
	r.boundary()
	slices.SortFunc(r.parts, func(a, b gate.Part) int { return a.Start - b.Start })
	return r.parts
}

// reader reads the tokens of a source.
type reader struct {
	source string
	tokens []token
	at     int
	parts  []gate.Part

	first  int         // beginning of the attributes and documentation of the next item; -1: it has none so far
	tested bool        // one of its attributes is about tests
	shows  []gate.Part // examples in its documentation, and attributes that it has only while it is tested
	cfg    string      // its attributes with conditions
	begun  int         // its first token
	within []string    // the enclosing conditions, modules and macros, outermost first
}

// word returns a token's text; after the last token, "".
func (r *reader) word(at int) string {
	if at < 0 || at >= len(r.tokens) {
		return ""
	}
	return r.source[r.tokens[at].start:r.tokens[at].end]
}

// step reads an attribute, documentation, a whole item of the tests, or one other token.
func (r *reader) step() {
	word := r.word(r.at)
	switch {
	case word == "#" && (r.word(r.at+1) == "[" || r.word(r.at+1) == "!" && r.word(r.at+2) == "["):
		r.attribute()
		return
	case strings.HasPrefix(word, "//"):
		r.documentation()
		return
	case r.tested:
		end := r.itemEnd()
		r.add(r.first, r.tokens[end-1].end)
		r.at, r.shows = end, nil
		r.boundary()
		return
	case word == "cfg" && r.word(r.at+1) == "!":
		if end := r.closing(r.at + 2); r.speaksOf("test", r.at+2, end) {
			r.add(r.tokens[r.at].start, r.tokens[end-1].end)
			r.at = end
			return
		}
	case r.renamesJudge():
		r.add(r.tokens[r.at].start, r.tokens[r.at].end)
	case word == "{":
		r.within = append(r.within, r.context())
	case word == "}" && len(r.within) > 0:
		r.within = r.within[:len(r.within)-1]
	}
	r.at++
	if slices.Contains([]string{"{", "}", ";", ","}, word) {
		r.boundary()
	}
}

// renamesJudge reports whether another macro gets the name of an assertion: it would shadow the standard one in all tests of the
// file.
func (r *reader) renamesJudge() bool {
	before, word := r.word(r.at-1), r.word(r.at)
	if before == "!" && r.word(r.at-2) == "macro_rules" {
		return slices.Contains([]string{"assert", "assert_eq", "assert_ne", "panic"}, word)
	}
	return slices.Contains([]string{"assert", "assert_eq", "assert_ne"}, word) &&
		slices.Contains([]string{"as", "::", ":", "{", ","}, before) && slices.Contains([]string{";", ",", "}"}, r.word(r.at+1))
}

// boundary begins a new item.
func (r *reader) boundary() {
	r.parts = append(r.parts, r.shows...)
	r.first, r.tested, r.shows, r.cfg, r.begun = -1, false, nil, "", r.at
}

func (r *reader) add(start, end int) {
	r.parts = append(r.parts, gate.Part{Start: start, End: end, In: r.around()})
}

// around returns the context of the current token.
func (r *reader) around() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(r.within), func(s string) bool { return s == "" }), " > ")
}

// context names the block that begins here, if it can prevent the compilation of its content: a module, a macro, or a block with a
// condition.
func (r *reader) context() string {
	named := ""
	for at := r.begun; at < r.at; at++ {
		if word := r.word(at); word == "mod" || r.word(at+1) == "!" {
			named = word + " " + r.word(at+1)
		}
	}
	return strings.TrimSpace(r.cfg + named)
}

// attribute reads one attribute, outer or inner.
func (r *reader) attribute() {
	start, open := r.at, r.at+1
	inner := r.word(open) == "!"
	if inner {
		open++
	}
	end := r.closing(open)
	itself := gate.Part{Start: r.tokens[start].start, End: r.tokens[end-1].end, In: r.around()}
	about, conditional := r.aboutTests(open+1, end), strings.HasPrefix(r.word(open+1), "cfg")
	switch changes := conditional && r.speaksOf("test", open+1, end); {
	case inner && (about || changes):
		r.parts = append(r.parts, itself)
	case !inner:
		r.begin(start)
		if r.tested = r.tested || about; changes {
			r.shows = append(r.shows, itself)
		}
		if conditional {
			r.cfg += r.source[itself.Start:itself.End] + " "
		}
	}
	r.at = end
}

// begin records the beginning of the next item.
func (r *reader) begin(at int) {
	if r.first < 0 {
		r.first = r.tokens[at].start
	}
}

// makesTest are the names of attributes that turn a function into a test.
var makesTest = []string{"test", "bench", "rstest", "test_case", "test_matrix", "quickcheck", "wasm_bindgen_test", "test_log"}

// aboutTests reports whether the attribute between two tokens is about tests; one with a condition is if one of those that it adds is.
func (r *reader) aboutTests(from, to int) bool {
	switch r.word(from) {
	case "cfg":
		return r.speaksOf("test", from, to)
	case "cfg_attr":
		for from += 2; from < to; from++ {
			switch r.word(from) {
			case "(", "[", "{":
				from = r.closing(from) - 1
			case ",":
				if r.aboutTests(from+1, to) {
					return true
				}
			}
		}
	}
	for ; from < to && !slices.Contains([]string{"(", "=", "]"}, r.word(from)); from++ {
		if slices.Contains(makesTest, r.word(from)) {
			return true
		}
	}
	return false
}

// speaksOf reports whether a word is between two tokens.
func (r *reader) speaksOf(word string, from, to int) bool {
	for ; from < to; from++ {
		if r.word(from) == word {
			return true
		}
	}
	return false
}

// wholeFile reports whether #![cfg(test)] is here: then the whole file is tests.
func (r *reader) wholeFile() bool {
	for i, word := range []string{"#", "!", "[", "cfg", "(", "test", ")", "]"} {
		if r.word(r.at+i) != word {
			return false
		}
	}
	return len(r.within) == 0
}

// closing returns the token after the bracket that closes the one at a token, or the end.
func (r *reader) closing(open int) int {
	depth := 0
	for at := open; at < len(r.tokens); at++ {
		switch r.word(at) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth <= 0 {
			return at + 1
		}
	}
	return len(r.tokens)
}

var (
	modifiers  = []string{"pub", "async", "unsafe", "extern", "default"}
	statements = []string{"use", "static", "const", "type", "let"}
	blocks     = []string{"fn", "mod", "struct", "impl", "enum", "trait", "union", "macro_rules"}
)

// itemEnd returns the token after the item that begins here: after its block or its final sign.
func (r *reader) itemEnd() int {
	kind := r.kind()
	for at := r.at; at < len(r.tokens); {
		switch word := r.word(at); {
		case word == ";" || word == "," && kind == "":
			return at + 1
		case word == ")" || word == "]" || word == "}":
			return max(at, r.at+1) // end of the enclosing block
		case word == "{" && !slices.Contains(statements, kind):
			return r.closing(at)
		case word == "(" || word == "[" || word == "{":
			at = r.closing(at)
		default:
			at++
		}
	}
	return len(r.tokens)
}

// kind returns the keyword of the item that begins here; empty for a field, an arm, an expression.
func (r *reader) kind() string {
	for at := r.at; ; at++ {
		switch word := r.word(at); {
		case word == "const" && slices.Contains([]string{"fn", "unsafe", "async", "extern"}, r.word(at+1)):
		case slices.Contains(blocks, word) || slices.Contains(statements, word):
			return word
		case word == "(" && r.word(at-1) == "pub":
			at = r.closing(at) - 1
		case strings.HasPrefix(word, `"`): // in extern "C"
		case !slices.Contains(modifiers, word):
			return ""
		}
	}
}

// documentation takes lines of it that follow each other, with the examples in them.
func (r *reader) documentation() {
	r.begin(r.at)
	open := -1
	for ; strings.HasPrefix(r.word(r.at), "//"); r.at++ {
		line := strings.TrimLeft(r.word(r.at), "/! \t")
		switch {
		case !strings.HasPrefix(line, "```"):
		case open < 0:
			open = r.at
		default:
			r.shows = append(r.shows, gate.Part{Start: r.tokens[open].start, End: r.tokens[r.at].end, In: r.around(), Example: true})
			open = -1
		}
	}
}
