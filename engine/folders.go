package engine

import (
	"context"

	"forge/engine/state"
	"forge/memory"
)

// Trust records that the user trusts a folder: gates may execute its code.
func (e *Engine) Trust(root string) error { return e.state.Trust(root, state.Execute) }

// TrustToRead records that models may be shown the files of a folder, and that nothing of it is executed. It takes nothing from a folder that is trusted
// further already.
func (e *Engine) TrustToRead(root string) error {
	if level, err := e.state.TrustLevel(root); err != nil || level >= state.Read {
		return err
	}
	return e.state.Trust(root, state.Read)
}

// Trusted reports whether the user lets the code of a folder be executed in this process.
func (e *Engine) Trusted(root string) (bool, error) {
	level, err := e.state.TrustLevel(root)
	return level == state.Execute, err
}

// folders are what Forge keeps of folders. state.State has them.
type folders interface {
	Restrict(on bool)
	Untrust(root string) (known bool, err error)
	TrustedFolders() ([]state.TrustedFolder, error)
	Memory(ctx context.Context, root string) (*memory.Project, error)
	Usage(ctx context.Context, root string) (state.Usage, error)
	Usages(ctx context.Context) ([]state.Usage, error)
}
