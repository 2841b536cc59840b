package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"forge/engine/flow"
	"forge/engine/workspace"
)

// presence is what a process says of itself while it works in a folder: a file in sessions, which goes with it. It
// is for people; nothing is decided by it. Its names are a file format.
type presence struct {
	Owner  flow.Owner `json:"owner"`
	Since  time.Time  `json:"since"`
	Folder string     `json:"folder"`
}

// How long what nobody can judge is left where it is: a file that cannot be read may be about to be written, and
// whether a process of another machine lives is not known here.
const (
	unreadableFor = time.Hour
	foreignFor    = 30 * 24 * time.Hour
)

func (e *Engine) sessionsDir() string { return filepath.Join(e.options.StateDir, "sessions") }

// present notes that this process works in a folder from now on. What cannot be noted is not seen, and no more.
func (e *Engine) present(root string) {
	dir, err := workspace.ProjectDir(e.options.StateDir, root)
	if err != nil {
		return
	}
	p := presence{Owner: flow.ThisProcess(), Since: e.options.Now(), Folder: root}
	name := filepath.Join(e.sessionsDir(), fmt.Sprintf("%d-%s.json", p.Owner.PID, filepath.Base(dir)))
	if _, fresh, _ := e.presences.once(name, func() bool { return true }); !fresh {
		return
	}
	if text, err := json.Marshal(p); err == nil && os.MkdirAll(e.sessionsDir(), 0o700) == nil {
		_ = os.WriteFile(name, text, 0o600) // see above
	}
	_, _ = e.readPresences() // which removes what the dead have left
}

// absent takes the presences of this engine away.
func (e *Engine) absent() {
	for name := range e.presences.close() {
		_ = os.Remove(name) // or whoever looks next
	}
}

// readPresences gives those of the living, and removes the others.
func (e *Engine) readPresences() ([]presence, error) {
	names, err := filepath.Glob(filepath.Join(e.sessionsDir(), "*.json"))
	if err != nil {
		return nil, err
	}
	var all []presence
	for _, name := range names {
		p, stale, err := e.readPresence(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case stale:
			_ = os.Remove(name) // or the next time
		case p.Owner.Alive():
			all = append(all, p)
		}
	}
	return all, nil
}

func (e *Engine) readPresence(name string) (p presence, stale bool, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return p, false, err
	}
	text, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil {
		return p, false, err
	}
	age := e.options.Now().Sub(info.ModTime())
	if json.Unmarshal(text, &p) != nil {
		return presence{}, age > unreadableFor, nil //nolint:nilerr // whoever writes it has not finished, or never will
	}
	here := p.Owner.Host == flow.ThisProcess().Host
	return p, here && !p.Owner.Alive() || !here && age > foreignFor, nil
}
