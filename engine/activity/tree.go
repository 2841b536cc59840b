package activity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sync"
	"syscall"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/internal/failpoint"
	"forge/patch"
)

// Tree is a scratch tree.
type Tree interface {
	gate.Tree
	patch.Files
	// List returns the sorted paths of the snapshot's files and of those that were applied, without files left by tools.
	List(context.Context) ([]string, error)
	// Apply writes a change set into the tree.
	Apply(patch.ChangeSet) error
	// Changes returns the differences from the tree's snapshot.
	Changes(context.Context) (patch.ChangeSet, error)
	// Reset makes the tree equal to its snapshot again.
	Reset(context.Context) error
	// Close removes the tree.
	Close() error
}

// Trees are the scratch trees of one run: as many as it uses concurrently, created on demand and in the
// state that a caller asks for. Close removes them.
type Trees struct {
	// Open creates a tree of a snapshot.
	Open func(ctx context.Context, base string) (Tree, error)

	mu   sync.Mutex // guards idle and all
	idle []*scratch
	all  []*scratch
}

// scratch is a tree with its state. Its caller owns it.
type scratch struct {
	tree  Tree
	state step.State
	clean bool // it contains only the files of state
	warm  bool // gates ran in it: what their tools keep for a tree is there
}

// In runs a function in a tree in a given state; the function must keep that state.
func (t *Trees) In(ctx context.Context, s step.State, do func(Tree) error) error {
	d, err := t.take(ctx, s, false)
	if err != nil {
		return err
	}
	defer t.putBack(d)
	return do(d.tree)
}

// littered runs a function in a tree in a given state; the function may leave any files in it.
func (t *Trees) littered(ctx context.Context, s step.State, do func(Tree) error) error {
	d, err := t.take(ctx, s, false)
	if err != nil {
		return err
	}
	defer t.putBack(d)
	d.clean = false
	return do(d.tree)
}

// gated runs a gate in a tree in a given state, if possible one in which others ran.
func (t *Trees) gated(ctx context.Context, s step.State, g gate.Gate, do func(Tree) error) error {
	d, err := t.take(ctx, s, true)
	if err != nil {
		return err
	}
	defer t.putBack(d)
	d.clean = d.clean && gate.OnlyReads(g)
	d.warm = true
	return do(d.tree)
}

// take returns a tree in a given state: an unused one, or a new one. The error is *flow.UnableError if the machine is at fault,
// and not the state.
func (t *Trees) take(ctx context.Context, s step.State, warm bool) (*scratch, error) {
	d := t.unused(s, warm)
	if d == nil {
		tree, err := t.Open(ctx, s.Base)
		if err != nil {
			return nil, &flow.UnableError{Cause: err}
		}
		d = &scratch{tree: tree, state: step.State{Base: s.Base}, clean: true}
		t.mu.Lock()
		t.all = append(t.all, d)
		t.mu.Unlock()
	}
	if err := d.become(ctx, s); err != nil {
		t.putBack(d)
		return nil, err
	}
	return d, nil
}

// unused takes an idle tree of the snapshot, or returns nil. With warm, it prefers a warm one, and among equals one that only needs more changes;
// otherwise it prefers one that only needs more changes, and among equals a cold one, to leave the warm ones to gates.
func (t *Trees) unused(s step.State, warm bool) *scratch {
	t.mu.Lock()
	defer t.mu.Unlock()
	best, most := -1, -1
	for i, d := range t.idle {
		if d.state.Base != s.Base {
			continue
		}
		if fit := d.fits(s, warm); fit > most {
			best, most = i, fit
		}
	}
	if best < 0 {
		return nil
	}
	d := t.idle[best]
	t.idle = append(t.idle[:best], t.idle[best+1:]...)
	return d
}

// fits rates a tree for a state, higher is better.
func (d *scratch) fits(s step.State, warm bool) int {
	first, second := d.leadsTo(s), d.warm == warm
	if warm {
		first, second = second, first
	}
	switch {
	case first && second:
		return 3
	case first:
		return 2
	case second:
		return 1
	}
	return 0
}

func (t *Trees) putBack(d *scratch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, d)
}

// leadsTo reports whether the tree only needs more changes to reach a state.
func (d *scratch) leadsTo(s step.State) bool {
	n := len(d.state.Changes)
	return d.clean && n <= len(s.Changes) && (n == 0 || reflect.DeepEqual(d.state.Changes, s.Changes[:n]))
}

// become brings the tree to a state.
func (d *scratch) become(ctx context.Context, s step.State) error {
	if !d.leadsTo(s) {
		d.clean = false
		if err := d.tree.Reset(ctx); err != nil {
			return &flow.UnableError{Cause: fmt.Errorf("reset the scratch tree: %w", err)}
		}
		d.state, d.clean = step.State{Base: s.Base}, true
	}
	for _, set := range s.Changes[len(d.state.Changes):] {
		if err := d.tree.Apply(set); err != nil {
			d.clean = false
			return blame(fmt.Errorf("write into the scratch tree: %w", err))
		}
		d.state = d.state.With(set)
		failpoint.Hit(FailpointTreeWritten)
	}
	return nil
}

// blame distinguishes errors of this machine from states that no machine can write, such as a file below a file.
func blame(err error) error {
	for _, fault := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, fault) {
			return &flow.UnableError{Cause: err}
		}
	}
	return err
}

// Close removes the trees. No tree may be in use.
func (t *Trees) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, d := range t.all {
		errs = append(errs, d.tree.Close())
	}
	t.all, t.idle = nil, nil
	return errors.Join(errs...)
}

// write brings a tree to a state, and returns its differences from the snapshot.
func (k Kit) write(ctx context.Context, s step.State) (changes patch.ChangeSet, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		changes, err = t.Changes(ctx)
		return err
	})
	return changes, err
}

// files lists the files of a tree.
func (k Kit) files(ctx context.Context, s step.State) (list step.Listing, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		paths, err := t.List(ctx)
		list = listing(paths)
		return err
	})
	return list, err
}

// read returns the content of a file.
func (k Kit) read(ctx context.Context, c step.ReadCall) (text step.Text, err error) {
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		content, err := t.ReadFile(c.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		text = step.Text{Exists: true, Content: content}
		return err
	})
	return text, err
}
