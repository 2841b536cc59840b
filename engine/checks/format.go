package checks

import (
	"context"
	"strings"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/gate"
)

// Format formats files of a tree in place, each with the innermost project of its language. A formatter that fails leaves the
// files as they are: the gates report what is wrong with them.
func (c *Checkers) Format(ctx context.Context, tree activity.Tree, paths []string) error {
	all, err := tree.List(ctx)
	if err != nil {
		return err
	}
	for _, l := range c.languages {
		if l.Format == nil {
			continue
		}
		roots := l.Roots(all, tree.ReadFile)
		for _, dir := range roots {
			if inside := below(dir, roots, paths); len(inside) > 0 {
				_ = l.Format(ctx, gate.InDir(tree, dir), inside) // see above
			}
		}
	}
	return ctx.Err()
}

// below returns the paths in a folder that are in no deeper one of the roots, relative to the folder.
func below(dir string, roots, paths []string) (inside []string) {
	for _, path := range paths {
		innermost, found := "", false
		for _, root := range roots {
			if (root == "" || strings.HasPrefix(path, root+"/")) && (!found || len(root) > len(innermost)) {
				innermost, found = root, true
			}
		}
		if found && innermost == dir {
			inside = append(inside, strings.TrimPrefix(strings.TrimPrefix(path, dir), "/"))
		}
	}
	return inside
}

// Checker returns the checker of syntax, or nil if the outliner has none.
func (c *Checkers) Checker() codeintel.Checker {
	checker, _ := c.outliner.(codeintel.Checker)
	return checker
}

// Stripper removes comments from code; nil if no outliner can.
func (c *Checkers) Stripper() codeintel.Stripper {
	stripper, _ := c.outliner.(codeintel.Stripper)
	return stripper
}
