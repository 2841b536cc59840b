package rust

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// format formats files in place. rustfmt gets each as a text, because with a name it would also format the modules that
// the file declares. A file that rustfmt cannot parse stays as it is: the gates report what is wrong.
func (t cargo) format(ctx context.Context, tree gate.Tree, paths []string) error {
	root, err := os.OpenRoot(tree.Dir())
	if err != nil {
		return fmt.Errorf("format with rustfmt: %w", err)
	}
	defer root.Close() //nolint:errcheck // each write is checked
	for _, p := range paths {
		if path.Ext(p) != ".rs" || foreignToolchain(tree) {
			continue
		}
		if err := t.formatFile(ctx, tree, root, p); err != nil {
			return fmt.Errorf("format %s with rustfmt: %w", p, err)
		}
	}
	return nil
}

func (t cargo) formatFile(ctx context.Context, tree gate.Tree, root *os.Root, p string) error {
	name := filepath.FromSlash(p)
	text, err := root.ReadFile(name)
	if err != nil {
		return err
	}
	result, err := t.tools.Runner.Run(ctx, sandbox.Command{
		InPlace: true, Argv: []string{"rustfmt", "--edition", editionOf(tree, p), "--emit", "stdout"}, Stdin: bytes.NewReader(text),
		// rustfmt searches for its settings from here upwards.
		Dir: filepath.Join(tree.Dir(), filepath.Dir(name)), Env: t.tools.Env, Timeout: formatLimit, MaxOutput: tool.MaxOutput,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	sound := err == nil && result.ExitCode == 0 && !result.Truncated && !result.TimedOut && len(result.Stdout) > 0
	if !sound || bytes.Equal(result.Stdout, text) {
		return nil
	}
	info, err := root.Stat(name)
	if err != nil {
		return err
	}
	return root.WriteFile(name, result.Stdout, info.Mode().Perm())
}

// oldest is the edition of a package without an edition.
const oldest = "2015"

// editionOf returns the edition of the nearest package, or of its workspace.
func editionOf(tree gate.Tree, p string) string {
	sources, inherited := tool.SourcesOf(tree), false
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		m := readManifest(sources.Read(manifestIn(dir)))
		edition, inherits := m.edition()
		switch {
		case !inherited && edition != "":
			return edition
		case !inherited && m.Package != nil && !inherits:
			return oldest
		}
		inherited = inherited || inherits
		if m.Workspace != nil {
			if edition, named := m.Workspace.Package.Edition.(string); named {
				return edition
			}
		}
		if dir == "." || dir == "/" {
			return oldest
		}
	}
}
