//go:build cgo

package treesitter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

var (
	// declaring are kinds of nodes whose field "name" is what they declare; using are those that only look like it.
	declaring = lazyregexp.New(`declar|definition|_item$|_spec$|signature|parameter|^function|^generator_function|^method$|^class|^struct|^enum|^interface|^trait|^module|variant|alias|assignment|named_expression|singleton_method|property_element|^variable_`)
	using     = lazyregexp.New(`invocation|_call|access|keyword_argument|import|export|use_|reference|jsx|scoped|qualified`)
	// functional are kinds of nodes that names are local to.
	functional = lazyregexp.New(`^function$|function_(definition|declaration|expression|item)|^generator_function|method_(definition|declaration)|^method$|singleton_method|constructor_(declaration|body)|lambda|closure_expression|arrow_function|comprehension|generator_expression|local_function|anonymous_function|init_declaration|^subshell$|function_literal`)
	blockKinds = lazyregexp.New(`^block$|statement_block|compound_statement|^for_|enhanced_for|catch_(clause|block)|^do_block|^match_arm|^if_let|control_structure_body|^statements$`)
	holders    = lazyregexp.New(`^class$|class_(definition|declaration|body|specifier)|^impl_item|^trait_|^interface_(declaration|body)|^struct_|^enum_(declaration|specifier|item|body|class)|^object_(declaration|definition|type)|^union_|protocol_declaration|declaration_list|^interface_|^record_declaration|^module$`)
)

// isHolder reports whether what a node of a kind declares are members.
func isHolder(kind string) bool { return holders.MatchString(kind) && kind != "module" }

// isScope reports whether names that are declared in a node of a kind are local to it.
func (n *naming) isScope(kind string) bool {
	if functional.MatchString(kind) {
		return true
	}
	switch n.language {
	case codeintel.LanguagePython, codeintel.LanguagePHP, codeintel.LanguageBash:
		return false
	case codeintel.LanguageRuby:
		return kind == "block" || kind == "do_block"
	}
	return blockKinds.MatchString(kind)
}

// through are fields by which no declared name is reached: values, types, bodies.
var through = words("type default_value right return_type body size default object function condition arguments argument superclass superclasses operator")

// declares reports whether the node that is visited is a name that something declares, and how many nodes of the way are around what
// it declares.
func (n *naming) declares() (is bool, at int) {
	for i := len(n.way) - 1; i > 0; i-- {
		c, parent := n.way[i], n.way[i-1]
		switch {
		case leadsAway(c, parent):
			return false, 0
		case c.field == "name" && using.MatchString(parent.kind):
			return false, 0
		case c.field == "name" && declaring.MatchString(parent.kind):
			if n.isScope(parent.kind) || isHolder(parent.kind) {
				return true, i - 1
			}
			return true, i
		case n.binds(c, parent):
			if c.field == "declarator" && n.isScope(parent.kind) {
				return true, i - 1
			}
			return true, i
		case !passes(parent.kind):
			return false, 0
		}
	}
	return false, 0
}

// leadsAway reports whether no declared name is reached by a node of a parent.
func leadsAway(c, parent crossing) bool {
	pair := strings.Contains(parent.kind, "pair")
	return through[c.field] || c.field == "value" && !pair || c.field == "key" && pair
}

// binds reports whether a node is what its parent declares, where that is not in the field "name".
func (n *naming) binds(c, parent crossing) bool {
	switch c.field {
	case "pattern":
		return !strings.Contains(parent.kind, "pattern") && !(n.language == codeintel.LanguageRust && beginsUpper(n.name)) // a constant
	case "property":
		return strings.HasSuffix(parent.kind, "field_definition")
	case "left":
		return n.bindsLeft(parent)
	case "parameter":
		return parent.kind == "arrow_function" || parent.kind == "catch_clause"
	case "declarator":
		return strings.HasSuffix(parent.kind, "declaration") || strings.HasSuffix(parent.kind, "definition")
	case "alias":
		return parent.kind == "as_pattern"
	}
	return bindsByKind(c, parent)
}

// bindsLeft reports whether a parent declares what is on its left.
func (n *naming) bindsLeft(parent crossing) bool {
	switch parent.kind {
	case "assignment":
		return n.language == codeintel.LanguagePython || n.language == codeintel.LanguageRuby
	case "for_statement", "for_in_clause":
		return true
	case "for_in_statement":
		return parent.node.ChildByFieldName("kind") != nil
	}
	return false
}

// bindsByKind is binds in grammars without a field for the name.
func bindsByKind(c, parent crossing) bool {
	if strings.HasSuffix(parent.kind, "parameters") || parent.kind == "typed_parameter" {
		return strings.HasSuffix(c.kind, "identifier") || strings.Contains(c.kind, "pattern")
	}
	switch c.kind {
	case "simple_identifier", "type_identifier":
		return declaring.MatchString(parent.kind) && !using.MatchString(parent.kind)
	}
	return false
}

func beginsUpper(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// passes reports whether the declared name may be deeper in a node of a kind.
func passes(kind string) bool {
	return strings.Contains(kind, "pattern") || strings.HasSuffix(kind, "_declarator") || kind == "as_pattern_target" || kind == "variable_declaration"
}
