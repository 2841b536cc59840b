package main

import (
	"fmt"
	"os"
	"path/filepath"

	"forge/cmd/forge/wiring"
	"forge/engine"
	"forge/engine/config"
	"forge/internal/inert"
)

// webReach is set by the linker for tests alone, which have no address on the public web: "loopback" has this machine be on it.
var webReach = ""

// openParts makes what a command works with, from its environment and what its flags say of models. It asks no model.
func openParts(t terminal, flags config.Models) (*wiring.Parts, error) {
	p, err := wiring.Open(wiring.Options{
		Environ: t.environ, Secrets: t.secrets, Version: version, Loopback: webReach == "loopback",
		Notice: func(text string) { fmt.Fprintf(t.err, "[forge] %s\n", inert.Text(text)) },
	}, flags)
	if err != nil {
		return nil, &exitError{exitBlocked, err.Error()}
	}
	return p, nil
}

// openTrusting is openParts for a run in a folder, which is trusted first where the person says so.
func openTrusting(t terminal, flags modelFlags, root string, trust bool) (*wiring.Parts, error) {
	p, err := openParts(t, flags.models())
	if err != nil || !trust {
		return p, err
	}
	if err := p.Trust(root); err != nil {
		p.Close()
		return nil, &exitError{exitBlocked, err.Error()}
	}
	return p, nil
}

// openEngine makes the engine of a command that asks no model.
func openEngine(t terminal) (*wiring.Parts, error) { return openParts(t, config.Models{}) }

// inFolder does something with the engine, in a folder that a person named.
func inFolder(t terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return inFolderWith(t, dir, config.Models{}, do)
}

// inFolderWith is inFolder with what flags say of models.
func inFolderWith(t terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	root, err := folder(dir)
	if err != nil {
		return err
	}
	return in(t, root, flags, do)
}

// inProject is inFolder for the project that a folder lies in.
func inProject(t terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return inProjectWith(t, dir, config.Models{}, do)
}

// inProjectWith is inProject with what flags say of models.
func inProjectWith(t terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	root, _, err := projectFolder(dir)
	if err != nil {
		return err
	}
	return in(t, root, flags, do)
}

func in(t terminal, root string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	p, err := openParts(t, flags)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p.Engine, root)
}

// env looks a variable up; where it is set twice, the last one counts, as for a process.
func (t terminal) env(name string) string { return wiring.LookUp(t.environ)(name) }

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
