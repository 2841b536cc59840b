package lsp_test

import (
	"context"
	"path/filepath"
	"slices"

	"forge/engine"
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/lsp"
)

// fakeKept is what a fake engine keeps: runs that were interrupted. What else a server may ask for is asked of the
// real one, in test/server.
type fakeKept struct {
	lsp.Kept
	lsp.Spending
	lsp.Batching
	lsp.Prompting
	lsp.Validating

	untrusted   bool
	interrupted []engine.RunInfo
	told        []event.Event // by each of them
	resume      func(id string, asker ask.Asker) (*engine.Run, error)
}

func (k fakeKept) DoctorFolder(_ context.Context, root string) []engine.Check {
	return []engine.Check{{Name: "go test", State: engine.CheckOK, Detail: "would check " + filepath.Base(root)}}
}

func (k fakeKept) Trusted(string) (bool, error) { return !k.untrusted, nil }

func (k fakeKept) Interrupted(context.Context, string) ([]engine.RunInfo, error) {
	return slices.Clone(k.interrupted), nil
}

func (k fakeKept) Events(_ context.Context, id string, since int) ([]event.Event, error) {
	if !slices.ContainsFunc(k.interrupted, func(r engine.RunInfo) bool { return r.ID == id }) {
		return nil, engine.ErrNoRun
	}
	return k.told[since:], nil
}

func (k fakeKept) Offered(context.Context, string) (*proposal.Proposal, string, error) {
	return nil, "", engine.ErrNothingOffered
}

func (k fakeKept) Resume(_ context.Context, id string, asker ask.Asker, _ engine.Limits) (*engine.Run, error) {
	return k.resume(id, asker)
}
