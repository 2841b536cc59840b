package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"forge/engine/mode"
)

// Sources are the sources of settings.
type Sources struct {
	Flags   Models // from the command line
	Environ Environ
	Editor  Models // an editor's settings; no more trusted than a project
	// Project is a trusted folder whose ProjectFile is read; empty is none.
	Project string
	// UserFile is the user's own file; it need not exist. Empty is none.
	UserFile string
	// Budget is the default budget of runs; a project cannot raise it. Zero is no limit.
	Budget Budget
	// Bounds are the default bounds of runs; a project cannot raise them either.
	Bounds mode.Bounds
	// Keys returns saved keys; nil has none.
	Keys Keys
}

// Keys are the user's saved keys.
type Keys interface {
	// Key returns the key of a provider, and its place for users; empty is none. Its error describes what to do.
	Key(provider string) (key Key, where string, err error)
}

// Load reads and merges all layers. It does not fail: invalid entries are in the Notices, and the rest applies.
// Settings.Err is set only if the user's own file cannot be read, because its restrictions are unknown.
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
	m.mcp()
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
		return parsed{notices: []Notice{{File: ProjectFile, Text: "not read: " + err.Error()}}}
	}
	project := parse(ProjectFile, data, refusing(ProjectFile, o.UserFile))
	if project.err != nil { // a folder's file has no restrictions that matter
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
