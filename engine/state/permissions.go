package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/permission"
	"forge/engine/workspace"
)

// Permissions are the user's answers about tools of models in one folder, and the audit log of all decisions. Several processes may use
// them at once.
//
//	projects/<hash>/permissions.json   answers that hold longer than one call
//	projects/<hash>/audit.jsonl        a row for each decision, chained by hashes
//	projects/<hash>/audit.head         which row is the last one
//
// Invariant: only the user's own file, readable by them alone, holds either; nothing of the folder is read.
type Permissions struct {
	project *Project
	log     auditLog
}

// Permissions returns the permissions of the folder. It reads and writes nothing.
func (p *Project) Permissions() *Permissions { return &Permissions{project: p} }

// PermissionsOf returns the permissions of the folder whose projects/<hash> has this name.
func (s *State) PermissionsOf(hash string) *Permissions {
	return &Permissions{project: &Project{s, s.Path("projects", hash)}}
}

func (p *Permissions) file(name string) string { return filepath.Join(p.project.dir, name) }

// locked does something while no other process changes the permissions.
func (p *Permissions) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(p.project.dir, 0o700); err != nil {
		return p.project.state.Explain(err)
	}
	lock, err := os.OpenFile(p.file("permissions.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return p.project.state.Explain(err)
	}
	defer lock.Close() //nolint:errcheck // nothing was written
	if err := workspace.WaitForLock(ctx, lock); err != nil {
		return fmt.Errorf("lock the permissions of the folder: %w", err)
	}
	defer workspace.Unlock(lock)
	return do()
}

// Grants returns the answers that are kept, the newest last. A file that cannot be parsed holds none.
func (p *Permissions) Grants() ([]permission.Grant, error) {
	data, err := os.ReadFile(p.file("permissions.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the permissions of the folder: %w", err)
	}
	var all []permission.Grant
	if json.Unmarshal(data, &all) != nil {
		return nil, nil //nolint:nilerr // a damaged file permits nothing
	}
	return all, nil
}

// Standing returns the answer that holds for a call in a run; nil if there is none.
func (p *Permissions) Standing(digest, run string, now time.Time) (*permission.Grant, error) {
	all, err := p.Grants()
	for _, g := range slices.Backward(all) {
		if g.Digest == digest && g.Holds(run, now) {
			return &g, err
		}
	}
	return nil, err
}

// Unconfined returns the user's answer whether code of the folder is executed where nothing confines it: Project or No; empty if there
// is none.
func (p *Permissions) Unconfined(now time.Time) (permission.Scope, error) {
	all, err := p.Grants()
	for _, g := range slices.Backward(all) {
		if g.Tool == permission.Unconfined && now.Before(g.Expires) {
			return g.Scope, err
		}
	}
	return "", err
}

// Keep keeps an answer, and drops those that have expired.
func (p *Permissions) Keep(ctx context.Context, given permission.Grant) error {
	given.Shown = p.plain(given.Shown)
	return p.locked(ctx, func() error {
		all, err := p.Grants()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(g permission.Grant) bool {
			return !given.Given.Before(g.Expires) || g.Digest == given.Digest && g.Scope == given.Scope && g.Run == given.Run
		})
		return p.write(append(all, given))
	})
}

// Reset forgets the answers, or those about one tool, and returns how many they were.
func (p *Permissions) Reset(ctx context.Context, tool string) (forgotten int, err error) {
	err = p.locked(ctx, func() error {
		all, err := p.Grants()
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(all), func(g permission.Grant) bool { return tool == "" || g.Tool == tool })
		if forgotten = len(all) - len(left); forgotten == 0 {
			return nil
		}
		return p.write(left)
	})
	return forgotten, err
}

func (p *Permissions) write(all []permission.Grant) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the permissions of the folder: %w", err)
	}
	return p.project.state.Explain(replace(p.file("permissions.json"), data))
}

// plain removes secrets.
func (p *Permissions) plain(text string) string { return p.project.state.options.Secrets.Plain(text) }
