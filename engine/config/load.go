package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"forge/engine/mode"
)

// Sources are the sources of settings.
type Sources struct {
	Flags   Models // from the command line
	Environ Environ
	Editor  Models // an editor's settings; no more trusted than a project
	// Folder is the folder that the settings are for, trusted or not; empty is none. The user's file may have settings for it.
	Folder string
	// Project is the same folder if it is trusted, so that its ProjectFile is read; empty is none.
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
		settings: Settings{Roles: roles(), Thinking: copied(thinking), Cache: true, AutoFix: true, Err: err, Notices: user.notices},
		keys:     o.Keys, env: env, userFile: o.UserFile,
	}
	m.providers(user.Providers)
	m.own(user.Models, o.UserFile)
	m.network(user.Network)
	m.gates(user.file, o.Folder)
	m.guides(user.file)
	m.tools(user.Tools)
	m.web(user.Web)
	m.permissions(user)
	m.mcp()
	m.settings.Budget = user.Budget.valid(&m, o.UserFile)
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
	m.settings.Flagged = o.Flags.Default != ""
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

// valid returns the valid limits of an entry, and reports the others: without them a run may spend more than the user wants.
func (b BudgetEntry) valid(m *merging, source string) (budget Budget) {
	budget.Tokens = m.limit("budget.tokens", source, b.Tokens)
	if budget.USD = b.USD.value; b.USD.said && !(budget.USD > 0) {
		m.say("budget.usd in %s: %v is not a valid limit: use a number above 0", source, budget.USD)
		budget.USD = 0
	}
	return budget
}

// working applies the settings of the user's own file about how runs work. A folder cannot set them: a mode could allow more
// than the user wants.
func (m *merging) working(user file) {
	if _, err := mode.Lookup(user.Mode); err != nil {
		m.say("mode in %s: %v", m.userFile, err)
	} else {
		m.settings.Mode = user.Mode
	}
	if _, err := mode.LookupDomain(user.Domain); err != nil {
		m.say("domain in %s: %v", m.userFile, err)
	} else {
		m.settings.Domain = user.Domain
	}
	m.bounds(user)
	if user.AutoFix != nil {
		m.settings.AutoFix = *user.AutoFix
	}
	m.settings.Limits = Limits{
		Steps:     m.limit("limits.steps", m.userFile, user.Limits.Steps),
		ToolCalls: m.limit("limits.toolCalls", m.userFile, user.Limits.ToolCalls),
		Minutes:   m.limit("limits.minutes", m.userFile, user.Limits.Minutes),
		Part:      m.within("limits.part", user.Limits.Part),
		Silence:   m.within("limits.silence", user.Limits.Silence),
	}
}

// limit returns a valid limit; 0 if there is none, and if it is invalid, which is reported.
func (m *merging) limit(name, source string, n number) int {
	if n.said && n.value <= 0 {
		m.say("%s in %s: %d is not a valid limit: use a number above 0", name, source, n.value)
		return 0
	}
	return n.value
}

// StateDir returns the folder of Forge's own state: FORGE_HOME if set, otherwise
// $XDG_STATE_HOME/forge, otherwise .forge in the home directory. It does not create it.
func StateDir(env Environ) (string, error) {
	return own(env, "XDG_STATE_HOME")
}

// UserFile returns the user's own settings file: config.yaml in FORGE_HOME if set, otherwise in
// $XDG_CONFIG_HOME/forge, otherwise in .forge in the home directory.
func UserFile(env Environ) (string, error) {
	dir, err := own(env, "XDG_CONFIG_HOME")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

func own(env Environ, xdg string) (string, error) {
	if home := env("FORGE_HOME"); home != "" {
		return filepath.Abs(home)
	}
	if base := env(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "forge"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".forge"), nil
	}
	if home := env("USERPROFILE"); filepath.IsAbs(home) { // Windows
		return filepath.Join(home, ".forge"), nil
	}
	return "", errors.New("there is no place for Forge's state: set FORGE_HOME to a folder, or HOME")
}
