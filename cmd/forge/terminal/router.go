package terminal

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"forge/engine/config"
	"forge/engine/execution"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/secret"
	"forge/engine/state"
)

// settingsAge is how long settings are cached before their files are read again, so that the user need not restart Forge after a change.
const settingsAge = 5 * time.Second

// settings are the user's, with those of trusted folders.
type settings struct {
	sources config.Sources
	trust   state.Trust
	learn   func(config.Settings) // the keys in them

	mu    sync.Mutex // guards known
	known map[string]heldSettings
}

type heldSettings struct {
	settings config.Settings
	read     time.Time
}

func newSettings(env config.Environ, secrets *secret.Redactor, dir string, flags config.Models) *settings {
	file, err := config.UserFile(env)
	if err != nil {
		file = "" // the environment replaces the settings file
	}
	return &settings{
		sources: config.Sources{
			Flags: flags, Environ: env, UserFile: file, Budget: config.Budget{Tokens: execution.DefaultTokens}, Bounds: usualBounds(),
			Keys: config.Vault{Dir: dir, Keychain: config.SystemKeychain(env)},
		},
		trust: state.Trust{Dir: filepath.Join(dir, "trust")},
		learn: func(s config.Settings) { learnKeys(secrets, dir, s) },
		known: map[string]heldSettings{},
	}
}

// folders are those of the user's own file, if it exists.
func (s *settings) folders() []string {
	if s.sources.UserFile == "" {
		return nil
	}
	return []string{filepath.Dir(s.sources.UserFile)}
}

// of returns the effective settings of a folder. It reads nothing of an untrusted folder.
func (s *settings) of(_ context.Context, folder string) config.Settings {
	s.mu.Lock()
	held, there := s.known[folder]
	sources, known := s.sources, s.known
	s.mu.Unlock()
	if there && time.Since(held.read) < settingsAge {
		return held.settings
	}
	sources.Folder = folder
	if folder != "" {
		if trusted, err := s.trust.Trusted(folder); err == nil && trusted {
			sources.Project = folder
		}
	}
	held = heldSettings{config.Load(sources), time.Now()}
	held.settings.Folder = folder
	s.learn(held.settings)
	s.mu.Lock()
	defer s.mu.Unlock()
	known[folder] = held // a map for these sources; configure replaces it
	return held.settings
}

// configure applies the model settings of an editor.
func (s *settings) configure(editor config.Models) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources.Editor, s.known = editor, map[string]heldSettings{}
}

// usualBounds are the bounds of runs that set none.
func usualBounds() mode.Bounds {
	return mode.Bounds{
		Hops: graph.DefaultMaxHops, Tasks: work.DefaultTasks, Writers: work.DefaultWriters,
		Attempts: work.DefaultAttempts, Rounds: work.DefaultRounds, Fanout: work.DefaultFanout, Sanity: mode.Never,
	}
}

// learnKeys registers all keys as secrets, those in use and those in Forge's key file, and passwords of proxies. A file of the folder may contain one.
func learnKeys(secrets *secret.Redactor, state string, s config.Settings) {
	secrets.LearnEnviron(s.Network.Variables())
	for _, p := range s.Providers {
		secrets.Learn(secret.Value{Name: "key of " + p.Name, Text: string(p.Key)})
	}
	for provider, key := range (config.Vault{Dir: state}).InFile() {
		if strings.HasPrefix(provider, mcpKey) {
			learnMCP(secrets, provider, string(key))
			continue
		}
		secrets.Learn(secret.Value{Name: config.KeysFile + " " + provider, Text: string(key)})
	}
}
