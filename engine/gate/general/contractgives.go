package general

import (
	"context"
	"slices"

	"forge/codeintel"
)

// answer is whether a file exports a name, if known.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// gives reports whether a file exports a name, its own or one that it imports. seen are the files on the way.
func (c *checker) gives(ctx context.Context, file, name string, seen map[string]bool) (answer, error) {
	if seen[file] {
		return no, nil
	}
	seen[file] = true
	bound, err := c.bindings(ctx, file)
	switch {
	case err != nil:
		return unknown, err
	case slices.Contains(bound.Exports, name):
		return yes, nil
	case !bound.Known || bound.Open:
		return unknown, nil
	}
	if added, err := c.isAdded(ctx, file); err != nil || added {
		return unknown, err
	}
	all := no
	for _, path := range bound.Reexports {
		targets := c.graph.Find(file, codeintel.Import{Path: path})
		if len(targets) == 0 {
			all = unknown
			continue
		}
		if name == codeintel.DefaultName {
			continue
		}
		if a, err := c.gives(ctx, targets[0], name, seen); err != nil || a == yes {
			return a, err
		} else if a == unknown {
			all = unknown
		}
	}
	return all, nil
}

// names returns all known exports of a file, for users.
func (c *checker) names(ctx context.Context, file string, seen map[string]bool) ([]string, error) {
	if seen[file] {
		return nil, nil
	}
	seen[file] = true
	bound, err := c.bindings(ctx, file)
	all := slices.Clone(bound.Exports)
	for _, path := range bound.Reexports {
		for _, target := range c.graph.Find(file, codeintel.Import{Path: path}) {
			more, err := c.names(ctx, target, seen)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, err
}

// isAdded reports whether another file adds names to a file. It is computed when the first name is missing.
func (c *checker) isAdded(ctx context.Context, file string) (bool, error) {
	if c.added != nil {
		return c.added[file], nil
	}
	added := map[string]bool{}
	for _, name := range c.Paths {
		if !BindsNames(name) || isPython(name) {
			continue
		}
		bound, err := c.bindings(ctx, name)
		if err != nil {
			return false, err
		}
		for _, path := range bound.Adds {
			for _, target := range c.graph.Find(name, codeintel.Import{Path: path}) {
				added[target] = true
			}
		}
	}
	c.added = added
	return added[file], nil
}
