package gitdir

import (
	"context"
	"fmt"
	"slices"
)

// Committed is a file of a snapshot as the commit has it that the user has checked out.
type Committed struct {
	Path    string
	Mode    string // empty: the commit does not have the file
	Content []byte
}

// moduleMode is the mode of a submodule, which is no file of the folder.
const moduleMode = "160000"

// Dirty compares the commit that the user has checked out with a snapshot, and returns every differing file as it is committed, ordered
// by path: also those that Uncommitted omits because a proposal cannot show them. What is missing because of a sparse checkout, and what a
// partial clone has not fetched, is not among them. A file that only differs by the effect of git's filters
// does not count. known is false as for Uncommitted.
func (h *History) Dirty(ctx context.Context, snapshot string) (files []Committed, known bool, err error) {
	o, ok := findOrigin(h.dir.Root)
	if !ok || len(o.head) != len(snapshot) {
		return nil, false, nil
	}
	dir, err := h.repository(ctx, o)
	if err == nil {
		files, err = h.dirty(ctx, dir, o, snapshot)
	}
	if err != nil {
		return nil, false, fmt.Errorf("compare %s with its last commit: %w", h.dir.Root, err)
	}
	return files, true, nil
}

func (h *History) dirty(ctx context.Context, dir string, o origin, snapshot string) (files []Committed, err error) {
	changed, err := h.compared(ctx, dir, o, snapshot)
	if err != nil {
		return nil, err
	}
	isNew := func(d difference) bool { return d.before == Leaf{} } // its content is not needed
	texts, err := h.textsOf(ctx, dir, o, slices.DeleteFunc(slices.Clone(changed), isNew))
	if err != nil {
		return nil, err
	}
	var links []string // their targets are not among the texts
	for _, d := range changed {
		if d.before.Mode == LinkMode {
			links = append(links, d.before.ID)
		}
	}
	targets, err := h.objects(ctx, dir, o, links)
	if err != nil {
		return nil, err
	}
	changed = slices.DeleteFunc(changed, func(d difference) bool {
		change, ok := d.change(texts)
		_, known := targets[d.before.ID]
		unfetched := d.unfetched(texts) || d.before.Mode == LinkMode && !known
		return d.before.Mode == moduleMode || unfetched || ok && onlyStoredOtherwise(change)
	})
	for _, d := range changed {
		content, plain := texts[d.before.ID]
		if !plain {
			content = targets[d.before.ID]
		}
		files = append(files, Committed{Path: d.path, Mode: d.before.Mode, Content: content})
	}
	return files, nil
}
