package execution

import (
	"context"
	"maps"
	"slices"

	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/activity"
	"forge/engine/atlas"
	"forge/engine/step"
)

// pack chooses what a model should see, by the index of the folder. What was typed or done in the tree since is what it sees.
func (l *Execution) pack(ctx context.Context, n activity.Need) (activity.Packed, error) {
	a, complete, err := l.host.Atlas(ctx, l.params.Root)
	switch {
	case ctx.Err() != nil:
		return activity.Packed{}, ctx.Err()
	case err != nil:
		return activity.Packed{Why: "the index of the folder cannot be used: " + err.Error()}, nil //nolint:nilerr // words choose then
	case !complete:
		return activity.Packed{Why: "the folder is still being indexed"}, nil
	}
	open := slices.Sorted(maps.Keys(l.params.Unsaved))
	var targets []string
	if n.Focus != "" {
		open = append([]string{n.Focus}, slices.DeleteFunc(open, func(p string) bool { return p == n.Focus })...)
		targets = []string{n.Focus}
	}
	packed, err := a.Pack(ctx, atlas.PackRequest{
		Query: search.Query{Text: n.Task, Open: open}, Targets: targets, Budget: n.Most,
		Read: n.Tree.ReadFile, Changed: n.Changed, Tests: n.Tests, Uses: n.Uses,
	})
	if err != nil {
		return activity.Packed{}, err
	}
	return packedOf(packed, n.Tree), nil
}

var tiers = map[repomap.Tier]step.Tier{
	repomap.TierTarget: step.TierTarget, repomap.TierDirect: step.TierDependency, repomap.TierTransitive: step.TierInterface,
}

// packedOf is a pack as a run knows it. Files that are not in the tree (any more) are left out.
func packedOf(p repomap.Pack, tree activity.Tree) (packed activity.Packed) {
	packed.Found = p.Found
	for _, s := range p.Sections {
		if s.How == repomap.InMap {
			packed.Map = s.Text
			continue
		}
		if s.How == repomap.OnlyPath {
			continue // it is in the list of files
		}
		if s.How == repomap.Signatures {
			if _, err := tree.ReadFile(s.Path); err != nil {
				continue
			}
		}
		packed.Files = append(packed.Files, step.File{Path: s.Path, Text: s.Text, Tier: tiers[s.Tier], Signatures: s.How == repomap.Signatures, Windows: s.How == repomap.Windows})
	}
	return packed
}
