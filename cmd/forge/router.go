package main

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"forge/engine/config"
	"forge/engine/permission"
	"forge/engine/secret"
)

// settingsAge is how long settings hold before their files are read again: a person who mends one need not start
// Forge anew.
const settingsAge = 5 * time.Second

// settings are the person's, with those of the folders that they trust.
type settings struct {
	sources config.Sources
	trust   permission.Trust
	secrets *secret.Redactor // is told every key

	mu    sync.Mutex // guards known
	known map[string]heldSettings
}

type heldSettings struct {
	settings config.Settings
	read     time.Time
}

func newSettings(t terminal, state string, flags config.Models) *settings {
	file, err := config.UserFile(t.env)
	if err != nil {
		file = "" // there is a place for state, and none for settings: those of the environment hold
	}
	return &settings{
		sources: config.Sources{
			Flags: flags, Environ: t.env, UserFile: file,
			Keys: config.Vault{Dir: state, Keychain: config.SystemKeychain(t.env)},
		},
		trust: permission.Trust{Dir: filepath.Join(state, "trust")}, secrets: t.secrets,
		known: map[string]heldSettings{},
	}
}

// of gives the settings that hold in a folder. Nothing of a folder that is not trusted is read.
func (s *settings) of(_ context.Context, folder string) config.Settings {
	s.mu.Lock()
	held, there := s.known[folder]
	sources := s.sources
	s.mu.Unlock()
	if there && time.Since(held.read) < settingsAge {
		return held.settings
	}
	if folder != "" {
		if trusted, err := s.trust.Trusted(folder); err == nil && trusted {
			sources.Project = folder
		}
	}
	held = heldSettings{config.Load(sources), time.Now()}
	held.settings.Folder = folder
	for _, p := range held.settings.Providers {
		s.secrets.Learn(secret.Value{Name: p.Name, Text: string(p.Key)})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[folder] = held
	return held.settings
}

// configure takes what an editor's settings say of models.
func (s *settings) configure(editor config.Models) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources.Editor = editor
	clear(s.known)
}
