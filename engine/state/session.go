package state

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

// Session is what a process notes of itself while it works in a folder: a file that it removes at its end. Users see it; nothing is
// decided by it. Its names are a file format.
type Session struct {
	Owner  flow.Owner `json:"owner"`
	Since  time.Time  `json:"since"`
	Folder string     `json:"folder"`
}

// How long a session that cannot be judged stays: a file that cannot be read may be about to be written, and whether a process of another
// machine lives is not known here.
const (
	unreadableFor = time.Hour
	foreignFor    = 30 * 24 * time.Hour
)

// Enter notes that this process works in a folder until Close. Where it cannot be noted, other processes do not see it, and no more.
func (s *State) Enter(root string) {
	dir, err := workspace.ProjectDir(s.options.Dir, root)
	if err != nil {
		return
	}
	session := Session{Owner: flow.ThisProcess(), Since: s.Now(), Folder: root}
	name := s.Path("sessions", fmt.Sprintf("%d-%s.json", session.Owner.PID, filepath.Base(dir)))
	_, _ = s.sessions.Get(name, func() (struct{}, error) {
		if text, err := json.Marshal(session); err == nil && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
			_ = os.WriteFile(name, text, 0o600) // see above
		}
		_, _ = s.Sessions() // removes those of dead processes
		return struct{}{}, nil
	})
}

// leave removes the sessions of this process.
func (s *State) leave() {
	s.sessions.Close(func(name string, _ struct{}) { _ = os.Remove(name) }) // or the next process that looks
}

// Sessions returns the sessions of living processes, and removes the others.
func (s *State) Sessions() ([]Session, error) {
	names, err := filepath.Glob(s.Path("sessions", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, name := range names {
		session, stale, err := s.readSession(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case stale:
			_ = os.Remove(name) // or the next time
		case session.Owner.Alive():
			all = append(all, session)
		}
	}
	return all, nil
}

func (s *State) readSession(name string) (session Session, stale bool, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return session, false, err
	}
	text, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil {
		return session, false, err
	}
	age := s.Now().Sub(info.ModTime())
	if json.Unmarshal(text, &session) != nil {
		return Session{}, age > unreadableFor, nil //nolint:nilerr // its writer has not finished, or never will
	}
	here := session.Owner.Host == flow.ThisProcess().Host
	return session, here && !session.Owner.Alive() || !here && age > foreignFor, nil
}
