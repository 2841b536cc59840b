package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"forge/engine"
	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/llm/openai"
)

// openEngine makes the engine of a command from its environment. It does no I/O.
func openEngine(t terminal) (*engine.Engine, error) {
	state, err := config.StateDir(t.environ)
	if err != nil {
		return nil, err
	}
	return engine.New(engine.Options{
		StateDir: state,
		Environ:  t.environ,
		Model:    func(ctx context.Context) (llm.Model, error) { return chooseModel(ctx, t.environ) },
	}), nil
}

func chooseModel(ctx context.Context, environ []string) (llm.Model, error) {
	settings, err := config.Provider(ctx, environ, openai.Probe)
	if err != nil {
		return nil, err
	}
	return openai.New(openai.Options{BaseURL: settings.BaseURL, Key: settings.Key, Model: settings.Model, TagRequests: true}), nil
}

// folder is the absolute path of a folder that a person named.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Sprintf("folder %s: %v", dir, err)}
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Sprintf("folder %s: there is no such folder", abs)}
	}
	if !info.IsDir() {
		return "", &exitError{exitUsage, abs + " is not a folder"}
	}
	return abs, nil
}

// with returns an environment in which some variables have new values ("NAME=value").
func with(environ []string, set ...string) []string {
	changed := append([]string(nil), environ...)
	for _, s := range set {
		name, _, _ := strings.Cut(s, "=")
		kept := changed[:0]
		for _, e := range changed {
			if !strings.HasPrefix(e, name+"=") {
				kept = append(kept, e)
			}
		}
		changed = append(kept, s)
	}
	return changed
}
