// Package state is Forge's own folder on disk, which every process of the user shares: which folders the user trusts, and for each folder
// its runs, its memory, its shadow repository. A State opens each of them once, on first use, and closes them together.
//
//	trust/                       folders that the user trusts (Trust)
//	sessions/<pid>-<hash>.json   processes that have a folder open
//	projects/<hash>/             a folder's runs and memory; see Project
//	shadow/<hash>/               a folder's shadow repository (engine/shadow)
//	global/                      memory, costs, cached answers and batches of all folders
//
// Its methods may be called from any goroutine.
package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"forge/engine/flow"
	"forge/engine/sandbox"
	"forge/engine/secret"
	"forge/engine/shadow"
	"forge/memory"
)

// Options are what a State needs from the outside. All fields but Notice are required.
type Options struct {
	Dir     string // Forge's own folder, an absolute path; it is made on first use
	Now     func() time.Time
	Notice  func(text string) // receives what the user should know and did not ask for, from any goroutine; nil drops it
	Runner  sandbox.Runner    // starts git for the shadow repositories
	Secrets *secret.Redactor  // what no journal may have
}

// State is Forge's own folder. The caller closes it.
type State struct {
	options    Options
	trust      Trust
	restricted atomic.Bool // see Restrict

	stores   Lazy[string, *flow.Store]     // by the directory of the project
	memories Lazy[string, *memory.Project] // by the directory of the project
	repos    Lazy[string, *shadow.Repo]    // by the root of the folder
	sessions Lazy[string, struct{}]        // by the name of the session's file
}

// New returns the state in a folder. It reads and writes nothing.
func New(o Options) *State {
	return &State{options: o, trust: Trust{Dir: filepath.Join(o.Dir, "trust")}}
}

// Close closes what was opened. Nothing may use it any more.
func (s *State) Close() {
	s.stores.Close(func(_ string, store *flow.Store) { _ = store.Close() }) // what was committed is on disk
	s.memories.Close(func(_ string, m *memory.Project) { _ = m.Close() })
	s.repos.Close(func(string, *shadow.Repo) {}) // nothing of it stays open
	s.leave()
}

// Dir is Forge's own folder, an absolute path.
func (s *State) Dir() string { return s.options.Dir }

// Path returns the name of a file below Dir.
func (s *State) Path(elements ...string) string {
	return filepath.Join(append([]string{s.options.Dir}, elements...)...)
}

// Now is the time by the clock of this state.
func (s *State) Now() time.Time { return s.options.Now() }

// Notify passes on what the user should know.
func (s *State) Notify(text string) {
	if s.options.Notice != nil {
		s.options.Notice(text)
	}
}

// Explain adds to an error of Forge's own folder what the user can do about it; nil stays nil, and so does the error of a call that was
// cancelled or timed out: the folder is not its cause.
func (s *State) Explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w. Forge keeps its own state in %s: set FORGE_HOME to a folder that can be written", err, s.options.Dir)
}

// Trust records how far the user trusts a folder.
func (s *State) Trust(root string, level Level) error { return s.Explain(s.trust.Add(root, level)) }

// TrustLevel returns how far the user trusts a folder in this process: at most to read it, while the process is restricted.
func (s *State) TrustLevel(root string) (Level, error) {
	level, err := s.trust.Level(root)
	if s.Restricted() {
		level = min(level, Read)
	}
	return level, s.Explain(err)
}

// Restrict has this process execute nothing of any folder, whatever the user has recorded, or ends that: an editor may know that the user
// does not trust what it shows.
func (s *State) Restrict(on bool) { s.restricted.Store(on) }

// Restricted reports whether this process executes nothing of any folder.
func (s *State) Restricted() bool { return s.restricted.Load() }

// Untrust forgets that the user trusts a folder. known reports whether it was trusted.
func (s *State) Untrust(root string) (known bool, err error) {
	known, err = s.trust.Remove(root)
	return known, s.Explain(err)
}

// TrustedFolders returns the folders that the user trusts, by their paths.
func (s *State) TrustedFolders() ([]TrustedFolder, error) {
	all, err := s.trust.List()
	return all, s.Explain(err)
}

// Trusted reports whether the user has recorded that the code of a folder may be executed, so that Forge may have worked in it. Whether it may be
// executed now, TrustLevel decides.
func (s *State) Trusted(root string) (bool, error) {
	trusted, err := s.trust.Trusted(root)
	return trusted, s.Explain(err)
}

// Repo returns the shadow repository of a folder that the user trusts; the first call for a folder removes what processes that died have
// left in it. Changes that were cut off are not settled: history.Ledger does that.
func (s *State) Repo(ctx context.Context, root string) (*shadow.Repo, error) {
	for {
		repo, err := s.repos.Get(root, func() (*shadow.Repo, error) { return s.openRepo(ctx, root) })
		if isCancelled(err) && ctx.Err() == nil { // another caller gave up, whose opening this one has waited for
			continue
		}
		return repo, err
	}
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (s *State) openRepo(ctx context.Context, root string) (*shadow.Repo, error) {
	repo, err := shadow.Open(ctx, s.options.Runner, s.options.Dir, root)
	if err != nil {
		return nil, err
	}
	if _, err := repo.Trees.Sweep(ctx); err != nil {
		return nil, fmt.Errorf("remove what an earlier run left: %w", err)
	}
	return repo, nil
}

// NewID returns a new name of a run or a proposal, without the letter that distinguishes them: eight random letters and digits.
func NewID() string { return strings.ToLower(rand.Text()[:8]) }

// Roots returns the folders whose shadow repositories are open: those that this process works in.
func (s *State) Roots() []string { return s.repos.Keys() }
