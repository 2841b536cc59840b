package treesitter

import (
	"strings"

	"forge/codeintel"
)

// Limits of one statement that is split: how many imports it has, and how deep its braces are.
const (
	maxTree  = 1000
	maxLevel = 16
)

// splitTree turns an import of several names into one for each: "a::{b, c::*}" into "a::b" and "a::c::*". Names that
// are given to them ("as", "=>") are left out, and "self" is what precedes it.
func splitTree(i codeintel.Import, separator string) []codeintel.Import {
	var all []codeintel.Import
	prefixes := []string{""}
	text := strings.ReplaceAll(i.Path, "\n", " ")
	for text != "" && len(all) < maxTree {
		end := strings.IndexAny(text, "{},")
		part := text
		if end >= 0 {
			part = text[:end]
		}
		part = withoutAlias(part)
		top := prefixes[len(prefixes)-1]
		if end >= 0 && text[end] == '{' {
			if len(prefixes) == maxLevel {
				break
			}
			prefixes = append(prefixes, top+part)
		} else if part != "" {
			all = append(all, codeintel.Import{Path: withoutSelf(top+part, separator), Names: i.Names, Span: i.Span})
		}
		if end < 0 {
			break
		}
		if text[end] == '}' && len(prefixes) > 1 {
			prefixes = prefixes[:len(prefixes)-1]
		}
		text = text[end+1:]
	}
	return all
}

func withoutAlias(name string) string {
	name, _, _ = strings.Cut(name, " as ")
	name, _, _ = strings.Cut(name, "=>")
	return strings.Join(strings.Fields(name), "")
}

func withoutSelf(path, separator string) string {
	if rest, cut := strings.CutSuffix(path, separator+"self"); cut {
		return rest
	}
	return path
}

// splitRustUse is splitTree for Rust.
func splitRustUse(i codeintel.Import, _ string) []codeintel.Import { return splitTree(i, "::") }

// withStar includes the star of an import of everything.
func withStar(i codeintel.Import, statement string) []codeintel.Import {
	if strings.HasSuffix(strings.TrimRight(statement, "; \t\r\n"), "*") && !strings.HasSuffix(i.Path, "*") {
		i.Path += ".*"
	}
	return []codeintel.Import{i}
}

// splitPHPUse reads "use function A\{b, c as d}", of which the grammar has the first name only.
func splitPHPUse(i codeintel.Import, statement string) []codeintel.Import {
	text, use := strings.CutPrefix(statement, "use")
	if !use {
		i.Path = strings.TrimPrefix(i.Path, "/")
		return []codeintel.Import{i}
	}
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
	text = strings.TrimPrefix(strings.TrimPrefix(text, "function "), "const ")
	i.Path = text
	return splitTree(i, `\`)
}
