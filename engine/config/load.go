package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"forge/engine/mode"
)

// Sources are where settings come from.
type Sources struct {
	Flags   Models // of the command line
	Environ Environ
	Editor  Models // what an editor's settings say; no more trusted than a project
	// Project is a folder that the user trusts, of which ProjectFile is read; empty is none.
	Project string
	// UserFile is the user's own file; it need not exist. Empty is none.
	UserFile string
	// Budget is that of runs where nobody says anything; a project does not raise it. Zero is no limit.
	Budget Budget
	// Bounds are those of runs where nobody says anything; a project does not raise them either.
	Bounds mode.Bounds
	// Keys gives keys that were saved; nil has none.
	Keys Keys
}

// Keys are those that the user has saved.
type Keys interface {
	// Key gives the key of a provider, and for people where it is; empty is none. Its error says what to do.
	Key(provider string) (key Key, where string, err error)
}

// Load reads and merges all layers. It does not fail: what cannot be used is in the Notices, and the rest counts. Only
// where a file of the user's own cannot be read at all is there an Err, because nobody knows what it forbids.
func Load(o Sources) Settings {
	env := trimmed(o.Environ)
	user, err := o.readUser(env)
	m := merging{
		settings: Settings{Roles: copied(roles), Thinking: copied(thinking), Cache: true, AutoFix: true, Err: err, Notices: user.notices},
		keys:     o.Keys, env: env, userFile: o.UserFile,
	}
	m.providers(user.Providers)
	m.own(user.Models, o.UserFile)
	m.network(user.Network)
	m.gates(user.file)
	m.guides(user.file)
	m.tools(user.Tools)
	m.web(user.Web)
	m.settings.Budget = budgetOf(user.Budget)
	m.working(user.file)
	m.settings.NoReview = user.Completion.RequireReview != nil && !*user.Completion.RequireReview
	if o.Project != "" {
		project := readProjectFile(o)
		m.settings.Notices = append(m.settings.Notices, project.notices...)
		m.foreign(project.Models, ProjectFile)
		m.lower(project.Budget, o.Budget)
		m.lowerBounds(project.file, o.Bounds)
	}
	m.foreign(o.Editor, "the editor's settings")
	m.own(environment(env), "the environment")
	m.own(o.Flags, "the command line")
	m.settings.TagRequests = env(EnvTagRequests) == "1"
	return m.settings
}

func (o Sources) readUser(env Environ) (parsed, error) {
	if o.UserFile == "" {
		return parsed{}, nil
	}
	data, err := os.ReadFile(o.UserFile)
	if errors.Is(err, fs.ErrNotExist) {
		return parsed{}, nil
	}
	if err != nil {
		return parsed{}, fmt.Errorf("the settings in %s cannot be read: %w", o.UserFile, err)
	}
	user := parse(o.UserFile, data, expanding(o.UserFile, env))
	return user, user.err
}

func readProjectFile(o Sources) parsed {
	data, err := readProject(o.Project)
	if err != nil {
		return parsed{notices: []Notice{{File: ProjectFile, Text: "it is not read: " + err.Error()}}}
	}
	project := parse(ProjectFile, data, refusing(ProjectFile, o.UserFile))
	if project.err != nil { // a folder's file forbids nothing that matters
		project.notices = append(project.notices, Notice{Text: project.err.Error()})
	}
	return project
}

func budgetOf(b BudgetEntry) Budget {
	var budget Budget
	if b.Tokens != nil {
		budget.Tokens = max(*b.Tokens, 0)
	}
	if b.USD != nil {
		budget.USD = max(*b.USD, 0)
	}
	return budget
}
