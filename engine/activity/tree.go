package activity

import (
	"context"
	"errors"
	"fmt"
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
	// List returns the paths of the snapshot's files and of those that were applied, sorted; not what
	// tools left behind.
	List(context.Context) ([]string, error)
	// Apply writes a change set into the tree.
	Apply(patch.ChangeSet) error
	// Changes returns what differs from the snapshot the tree was made of.
	Changes(context.Context) (patch.ChangeSet, error)
	// Reset makes the tree equal to its snapshot again.
	Reset(context.Context) error
	// Close removes the tree.
	Close() error
}

// Trees are the scratch trees of one run: as many as it works in at once, made when they are needed and
// equal to the state that whoever takes one asks for. Close removes them.
type Trees struct {
	// Open makes a tree of a snapshot.
	Open func(ctx context.Context, base string) (Tree, error)

	mu   sync.Mutex // guards idle and all
	idle []*scratch
	all  []*scratch
}

// scratch is a tree, and what is in it. It belongs to its caller.
type scratch struct {
	tree  Tree
	state step.State
	clean bool // nothing but state is in it
}

// In does something in a tree that is equal to a state, and leaves it so.
func (t *Trees) In(ctx context.Context, s step.State, do func(Tree) error) error {
	d, err := t.take(ctx, s)
	if err != nil {
		return err
	}
	defer t.putBack(d)
	return do(d.tree)
}

// littered does something in a tree that is equal to a state, and that may leave anything in it.
func (t *Trees) littered(ctx context.Context, s step.State, do func(Tree) error) error {
	d, err := t.take(ctx, s)
	if err != nil {
		return err
	}
	defer t.putBack(d)
	d.clean = false
	return do(d.tree)
}

// take gives a tree that is equal to a state: one that nobody is using, or else a new one. The error is *flow.UnableError where
// the machine is at fault, and not the state.
func (t *Trees) take(ctx context.Context, s step.State) (*scratch, error) {
	d := t.unused(s)
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

// unused takes an idle tree of the snapshot, rather one that is what is wanted already.
func (t *Trees) unused(s step.State) *scratch {
	t.mu.Lock()
	defer t.mu.Unlock()
	best := -1
	for i, d := range t.idle {
		if d.state.Base == s.Base && (best < 0 || d.leadsTo(s)) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	d := t.idle[best]
	t.idle = append(t.idle[:best], t.idle[best+1:]...)
	return d
}

func (t *Trees) putBack(d *scratch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, d)
}

// leadsTo reports whether the tree only needs more changes to be equal to a state.
func (d *scratch) leadsTo(s step.State) bool {
	n := len(d.state.Changes)
	return d.clean && n <= len(s.Changes) && (n == 0 || reflect.DeepEqual(d.state.Changes, s.Changes[:n]))
}

// become makes the tree equal to a state.
func (d *scratch) become(ctx context.Context, s step.State) error {
	if !d.leadsTo(s) {
		d.clean = false
		if err := d.tree.Reset(ctx); err != nil {
			return &flow.UnableError{Cause: fmt.Errorf("make the scratch tree clean: %w", err)}
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

// blame reports what only this machine cannot write now from what can be written nowhere, as a file below a file.
func blame(err error) error {
	for _, fault := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, fault) {
			return &flow.UnableError{Cause: err}
		}
	}
	return err
}

// Close removes the trees. Nobody uses one any more.
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

// write makes a tree equal to a state, and gives what differs from its snapshot.
func (k Kit) write(ctx context.Context, s step.State) (changes patch.ChangeSet, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		changes, err = t.Changes(ctx)
		return err
	})
	return changes, err
}
