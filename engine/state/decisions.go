package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// DecisionsFile is the name of the file with what the user has decided about the proposal of a run, which need not be there.
func (p *Project) DecisionsFile(run string) string {
	return filepath.Join(p.dir, "runs", run+".decided.json")
}

// KeepDecisions keeps what the user has decided about the proposal of a run, in place of what was kept before.
func (p *Project) KeepDecisions(run string, document json.RawMessage) error {
	sealed, err := vault{p.Texts(), p.state.options.Secrets}.Seal(run, document)
	if err == nil {
		err = writeSynced(p.DecisionsFile(run), sealed)
	}
	if err != nil {
		return p.state.Explain(fmt.Errorf("keep what was decided about run %s: %w", run, err))
	}
	return nil
}

// Decisions returns what was kept about the proposal of a run; nil if nothing was.
func (p *Project) Decisions(run string) (json.RawMessage, error) {
	sealed, err := os.ReadFile(p.DecisionsFile(run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, p.state.Explain(fmt.Errorf("read what was decided about run %s: %w", run, err))
	}
	return vault{p.Texts(), p.state.options.Secrets}.Unseal(run, sealed)
}
