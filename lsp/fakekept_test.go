package lsp_test

import (
	"context"
	"path/filepath"
	"slices"

	"forge/api/service"
	"forge/engine"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
)

// fakeStore is what a fake engine has stored: runs that were interrupted.
type fakeStore struct {
	service.RunStore

	batches     service.BatchStore
	costs       service.CostStore
	gates       service.Gates
	untrusted   bool
	interrupted []history.Run
	stopping    func() bool        // whether another process still works on these; nil is no
	ended       func() history.Run // a run that has ended; nil is none
	told        []event.Event      // by each of them
	resume      func(id string, asker event.Asker) (*execution.Run, error)
}

func (k fakeStore) DoctorFolder(_ context.Context, root string) []checks.Check {
	return []checks.Check{{Name: "go test", State: checks.CheckOK, Detail: "would check " + filepath.Base(root)}}
}

func (k fakeStore) Trusted(string) (bool, error) { return !k.untrusted, nil }

func (k fakeStore) Resumable(context.Context, string) ([]history.Run, error) { return nil, nil }

func (k fakeStore) Interrupted(context.Context, string) ([]history.Run, error) {
	if k.stopping != nil && k.stopping() {
		return nil, nil
	}
	return slices.Clone(k.interrupted), nil
}

// all are its runs.
func (k fakeStore) all() []history.Run {
	if k.ended == nil {
		return k.interrupted
	}
	return append(slices.Clone(k.interrupted), k.ended())
}

func (k fakeStore) Events(_ context.Context, id string, since int) ([]event.Event, error) {
	if !slices.ContainsFunc(k.all(), func(r history.Run) bool { return r.ID == id }) {
		return nil, history.ErrNoRun
	}
	return k.told[since:], nil
}

func (k fakeStore) Find(_ context.Context, id string) (history.Run, error) {
	if k.ended == nil || k.ended().ID != id {
		return history.Run{}, history.ErrNoRun
	}
	return k.ended(), nil
}

func (k fakeStore) Offered(context.Context, string) (*proposal.Proposal, string, error) {
	return nil, "", execution.ErrNothingOffered
}

func (k fakeStore) Resume(_ context.Context, id string, asker event.Asker, _ execution.Limits) (*execution.Run, error) {
	return k.resume(id, asker)
}

func (k fakeStore) Again(context.Context, string, string, workspace.Snapshot) (engine.Request, error) {
	return engine.Request{}, history.ErrNoRun
}
