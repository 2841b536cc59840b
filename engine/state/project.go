package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"forge/engine/flow"
	"forge/engine/workspace"
	"forge/internal/lazyregexp"
)

// Project is what Forge keeps of the runs of one folder. Its directory is
//
//	projects/<hash>/
//	    runs.db          the runs and their journals (engine/flow)
//	    runs/<id>.jsonl  the events of each run
//	    runs/<id>.md     the answer of a run that was asked a question
//	    conversations/<id>.jsonl  what was asked and answered in runs that continue each other
//	    runs/<id>.plan-1.json  a plan that the user is asked about, and may change
type Project struct {
	state *State
	dir   string
}

// Project returns what is kept of the runs of a folder. Nothing is opened or made yet.
func (s *State) Project(root string) (*Project, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	dir, err := workspace.ProjectDir(s.options.Dir, root)
	if err != nil {
		return nil, err
	}
	return &Project{s, dir}, nil
}

// Projects returns what is kept of the runs of all folders, by the names of their directories.
func (s *State) Projects() ([]*Project, error) {
	dirs, err := workspace.Matching(s.options.Dir, "projects/*")
	if err != nil {
		return nil, err
	}
	all := make([]*Project, len(dirs))
	for i, dir := range dirs {
		all[i] = &Project{s, dir}
	}
	return all, nil
}

// Store opens the runs of the folder.
func (p *Project) Store() (*flow.Store, error) { return p.state.stores.Get(p.dir, p.open) }

// Known opens the runs of the folder if there are any; else it is nil.
func (p *Project) Known() (*flow.Store, error) {
	if _, err := os.Stat(p.StoreFile()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p.Store()
}

func (p *Project) open() (*flow.Store, error) {
	s := p.state
	if err := os.MkdirAll(filepath.Join(p.dir, "runs"), 0o700); err != nil {
		return nil, s.Explain(err)
	}
	store, err := flow.OpenStore(context.Background(), filepath.Join(p.dir, "runs.db"), flow.Options{
		Now: s.options.Now, Note: s.Notify, Vault: vault{p.Texts(), s.options.Secrets},
	})
	if err != nil {
		return nil, s.Explain(fmt.Errorf("open the runs of this folder: %w", err))
	}
	return store, nil
}

// Texts are the user's texts that journals name instead of quoting them, because they hold secrets.
func (p *Project) Texts() Texts {
	return TextsOf(p.state.options.Dir, filepath.Base(p.dir))
}

// StoreFile is the database of the runs of the folder.
func (p *Project) StoreFile() string { return filepath.Join(p.dir, "runs.db") }

// EventsFile is the name of the file with the events of a run, which need not be there.
func (p *Project) EventsFile(id string) string { return filepath.Join(p.dir, "runs", id+".jsonl") }

// AnswerFile is the name of the file with what a run answered, which need not be there.
func (p *Project) AnswerFile(id string) string { return filepath.Join(p.dir, "runs", id+".md") }

// isID matches ids of runs and conversations, which are names of files.
var isID = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// ValidID reports whether a text can be the id of a run or of a conversation.
func ValidID(id string) bool { return isID.MatchString(id) }

// ConversationFile is the name of the file with the turns of a conversation, which need not be there.
func (p *Project) ConversationFile(id string) string {
	return filepath.Join(p.dir, "conversations", id+".jsonl")
}

// PlanFile is the name of the file in which a run shows a draft of its plan, counted from 1; it need not be there.
func (p *Project) PlanFile(id string, draft int) string {
	return filepath.Join(p.dir, "runs", fmt.Sprintf("%s.plan-%d.json", id, draft))
}

// OfferPlan writes a draft of a plan to its file, unless the file exists: the user may have changed it. A process that is killed leaves
// all of the text or no file.
func (p *Project) OfferPlan(id string, draft int, text string) error {
	name := p.PlanFile(id, draft)
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return p.state.Explain(err)
	}
	return p.state.Explain(writeSynced(name, []byte(text)))
}

// PlanFiles are the plan files of a run that are there.
func (p *Project) PlanFiles(id string) []string {
	names, _ := workspace.Matching(p.dir, "runs/"+id+".plan-*.json") // an id has no pattern
	return names
}

// Daily calls collect for something of the folder, unless a call for it has succeeded within the last day.
func (p *Project) Daily(what string, collect func() error) error {
	now, stamp := p.state.Now(), filepath.Join(p.dir, "collected-"+what) // its time is that of the last success
	if last, err := os.Stat(stamp); err == nil && now.Sub(last.ModTime()) < 24*time.Hour {
		return nil
	}
	if err := collect(); err != nil {
		return err
	}
	if err := os.WriteFile(stamp, nil, 0o600); err == nil {
		_ = os.Chtimes(stamp, now, now) // else it has the time of the system, which is as good
	}
	return nil
}
