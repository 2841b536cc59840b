package lsp_test

import (
	"context"
	"path/filepath"
	"slices"

	"forge/api/service"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/proposal"
)

// fakeStore is what a fake engine has stored: runs that were interrupted.
type fakeStore struct {
	service.RunStore

	batches     service.BatchStore
	costs       service.CostStore
	gates       service.Gates
	untrusted   bool
	interrupted []engine.RunInfo
	told        []event.Event // by each of them
	resume      func(id string, asker event.Asker) (*engine.Run, error)
}

func (k fakeStore) DoctorFolder(_ context.Context, root string) []engine.Check {
	return []engine.Check{{Name: "go test", State: engine.CheckOK, Detail: "would check " + filepath.Base(root)}}
}

func (k fakeStore) Trusted(string) (bool, error) { return !k.untrusted, nil }

func (k fakeStore) Resumable(context.Context, string) ([]engine.RunInfo, error) { return nil, nil }

func (k fakeStore) Interrupted(context.Context, string) ([]engine.RunInfo, error) {
	return slices.Clone(k.interrupted), nil
}

func (k fakeStore) Events(_ context.Context, id string, since int) ([]event.Event, error) {
	if !slices.ContainsFunc(k.interrupted, func(r engine.RunInfo) bool { return r.ID == id }) {
		return nil, engine.ErrNoRun
	}
	return k.told[since:], nil
}

func (k fakeStore) Offered(context.Context, string) (*proposal.Proposal, string, error) {
	return nil, "", engine.ErrNothingOffered
}

func (k fakeStore) Resume(_ context.Context, id string, asker event.Asker, _ engine.Limits) (*engine.Run, error) {
	return k.resume(id, asker)
}
