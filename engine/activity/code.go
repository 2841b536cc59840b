package activity

import (
	"context"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/engine/step"
)

// code returns the sorted paths of files whose code differs between two states of the tree. Documents and comments are not code. A
// change that may be code counts as code, unless the call asks for certain ones.
func (k Kit) code(ctx context.Context, c step.CodeCall) (changed []string, err error) {
	before, err := k.textsOf(ctx, c.Before, c.Paths)
	if err != nil {
		return nil, err
	}
	after, err := k.textsOf(ctx, c.After, c.Paths)
	if err != nil {
		return nil, err
	}
	paths := slices.Clone(c.Paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if isDocument(p) || before.text(p) == after.text(p) {
			continue
		}
		same, known, err := k.sameCode(ctx, codeintel.LanguageOf(p), before.text(p), after.text(p))
		if err != nil {
			return nil, err
		}
		if !same && (known || !c.Certain) {
			changed = append(changed, p)
		}
	}
	return changed, nil
}

// sameCode reports whether two texts are known to behave the same, and whether that can be decided.
func (k Kit) sameCode(ctx context.Context, language codeintel.Language, a, b string) (same, known bool, err error) {
	if k.Stripper == nil {
		return false, false, nil
	}
	left, known, err := k.Stripper.Strip(ctx, language, a)
	if err != nil || !known {
		return false, false, err
	}
	right, known, err := k.Stripper.Strip(ctx, language, b)
	return known && left == right, known, err
}

// documents are the extensions of files that are read by users, and not executed.
var documents = strings.Fields(".md .markdown .rst .adoc .asciidoc .org .tex .txt .png .jpg .jpeg .gif .svg .webp .pdf")

// isDocument reports whether a file is a document for readers, by its name. Some texts are input of tools.
func isDocument(name string) bool {
	base := strings.ToLower(path.Base(name))
	if base == "cmakelists.txt" || strings.Contains(base, "requirements") || strings.Contains(base, "constraints") {
		return false
	}
	bare := slices.Contains([]string{"readme", "license", "licence", "notice", "authors", "changelog", "contributing"}, base)
	return bare || slices.Contains(documents, path.Ext(base))
}
