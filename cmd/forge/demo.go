package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
	"forge/engine"
	"forge/engine/config"
	"forge/engine/llm/llmtest"
	"forge/engine/workspace"
)

func newDemo(t terminal.Terminal) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a sample task in a sample workspace with a scripted model: no key, no server",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return demo(c.Context(), t, keep) },
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the sample workspace")
	return c
}

const banner = `⚒  F O R G E  ⚒   plan → execute → validate

This is the real pipeline with real compilers and tests, on a sample workspace of its own.
Only the model is scripted: its answers were written beforehand, and its first implementation is wrong on purpose.
`

// demo runs the sample task from the request to the undo, in a temporary folder.
func demo(ctx context.Context, t terminal.Terminal, keep bool) (err error) {
	temp, err := os.MkdirTemp("", "forge-demo-*")
	if err != nil {
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	if !keep {
		defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	}
	root := filepath.Join(temp, "cart")
	if err := writeSample(root); err != nil {
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	fmt.Fprint(t.Err, banner+"\n")
	url, stop, err := startScripted(ctx)
	if err != nil {
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	// The demo keeps its state next to its workspace, so that it does not change the user's.
	inside := t
	inside.Out = t.Err // one stream, in chronological order
	inside.Environ = append(slices.Clone(t.Environ), "FORGE_HOME="+filepath.Join(temp, "state"),
		"FORGE_BASE_URL="+url, "FORGE_MODEL=scripted", "FORGE_API_KEY=", config.EnvTagRequests+"=1")
	err = demoRun(ctx, inside, root)
	if err = errors.Join(err, stop()); err != nil {
		return terminal.ExitWith(terminal.ExitFailed, "the demo failed: "+err.Error())
	}
	farewell(ctx, t, root, keep)
	return nil
}

// startScripted serves the sample's script. stop ends it, and fails if the run did not use the whole script.
func startScripted(ctx context.Context) (url string, stop func() error, err error) {
	script, err := llmtest.Parse("the demo's script", sampleScript)
	if err != nil {
		return "", nil, err
	}
	listener, err := llmtest.Listen(ctx, 0)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	var served error
	serving.Go(func() { served = llmtest.Serve(ctx, listener, script, nil) })
	return "http://" + listener.Addr().String() + "/v1", func() error {
		cancel()
		serving.Wait()
		return errors.Join(served, script.Verify())
	}, nil
}

func demoRun(ctx context.Context, t terminal.Terminal, root string) error {
	e, err := terminal.OpenEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Trust(root); err != nil { // Forge has just created this folder
		return err
	}
	before, err := contents(root)
	if err != nil {
		return err
	}
	talk := terminal.NewDialogue(t)
	run, err := e.Start(engine.Request{Task: sampleTask, Snapshot: workspace.Snapshot{Root: root}, Asker: talk})
	if err != nil {
		return err
	}
	if err := (work.Session{Dialogue: talk, Engine: e.Engine, Flags: work.RunFlags{Yes: true}}).Follow(ctx, run); err != nil {
		return err
	}
	changed, err := contents(root)
	if err != nil {
		return err
	}
	if len(changed) == len(before) {
		return errors.New("the accepted change is not in the folder")
	}
	fmt.Fprintln(t.Err, "\nAny run can be undone at any time:")
	return demoUndo(ctx, e.Engine, t, root, before)
}

func demoUndo(ctx context.Context, e *engine.Engine, t terminal.Terminal, root string, before map[string]string) error {
	p, err := e.Undo(ctx, root, "")
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range p.Files {
		paths = append(paths, f.Change.Path)
	}
	if err := work.ApplyAccepted(ctx, e, t, root, p, paths, nil, &work.RunOutcome{}); err != nil {
		return err
	}
	after, err := contents(root)
	if err != nil {
		return err
	}
	for path, text := range before {
		if after[path] != text || len(after) != len(before) {
			return fmt.Errorf("%s differs from its content before the run", path)
		}
	}
	fmt.Fprintln(t.Err, "[forge] every file has the same bytes as before the run")
	return nil
}

// contents reads the files of a flat folder.
func contents(root string) (map[string]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(root, entry.Name()))
		if err != nil {
			return nil, err
		}
		texts[entry.Name()] = string(data)
	}
	return texts, nil
}

// farewell prints how to continue with a real model.
func farewell(ctx context.Context, t terminal.Terminal, root string, keep bool) {
	fmt.Fprintln(t.Err, "\nThe model was scripted. With a real one:")
	if model, provider, ok := realModel(ctx, t); ok {
		fmt.Fprintf(t.Err, "  found: %s on %s. Try it in your project: forge run \"what to do\"\n", model, provider)
	} else {
		fmt.Fprintln(t.Err, "  set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama, or set FORGE_BASE_URL and FORGE_MODEL to any server that speaks OpenAI's API;\n"+
			"  then, in your project: forge run \"what to do\"")
	}
	if keep {
		fmt.Fprintf(t.Err, "The sample workspace is in %s\n", root)
	}
}

// realModel returns the model that a run of the user would use, and its provider.
func realModel(ctx context.Context, t terminal.Terminal) (model, provider string, ok bool) {
	p, err := terminal.OpenParts(t, config.Models{})
	if err != nil {
		return "", "", false
	}
	defer p.Close()
	model, provider, err = p.Assigned(ctx)
	return model, provider, err == nil
}
