package state

import (
	"bytes"
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
//
// Invariant: only the user's own file, readable by them alone, holds either; nothing of the folder is read.
type Permissions struct{ project *Project }

// Permissions returns the permissions of the folder. It reads and writes nothing.
func (p *Project) Permissions() *Permissions { return &Permissions{p} }

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

// Record appends a row to the audit log, without secrets.
func (p *Permissions) Record(ctx context.Context, r permission.Row) error {
	r.Call, r.Reason = p.plain(r.Call), p.plain(r.Reason)
	return p.locked(ctx, func() error {
		log, err := os.OpenFile(p.file("audit.jsonl"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			return p.project.state.Explain(err)
		}
		last, err := lastRow(log)
		if err == nil {
			_, err = log.Write(append(r.After(last).Line(), '\n'))
		}
		if err = errors.Join(err, log.Close()); err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
		return nil
	})
}

// tail is how much of the end of the audit log is read to find its last row: more than a row can have.
const tail = 64 << 10

// lastRow reads the last row of a log. A log that does not end with a row cannot be continued.
func lastRow(log *os.File) (permission.Row, error) {
	info, err := log.Stat()
	if err != nil || info.Size() == 0 {
		return permission.Row{}, err
	}
	from := max(0, info.Size()-tail)
	end := make([]byte, info.Size()-from)
	if _, err := log.ReadAt(end, from); err != nil {
		return permission.Row{}, err
	}
	lines := bytes.Split(bytes.TrimSuffix(end, []byte("\n")), []byte("\n"))
	row, err := permission.ReadRow(lines[len(lines)-1])
	if err != nil || !bytes.HasSuffix(end, []byte("\n")) {
		return row, errors.New("its last row was cut off or changed: forge audit verify names it; move the log away to begin another one")
	}
	return row, nil
}

// Audit reads and verifies the audit log; the error of a row that does not fit is a *permission.BrokenError.
func (p *Permissions) Audit() ([]permission.Row, error) {
	data, err := os.ReadFile(p.file("audit.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	if len(data) == 0 {
		return nil, nil
	}
	return permission.Verify(bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")))
}

// Approvals counts how often the user allowed a call once, as the audit log has it.
func (p *Permissions) Approvals(digest string) (n int) {
	rows, _ := p.Audit() // of a broken log, those that fit
	for _, r := range rows {
		if r.Digest == digest && r.Layer == "answer" && r.Verdict == permission.Allow.String() && r.Scope == permission.Once {
			n++
		}
	}
	return n
}
