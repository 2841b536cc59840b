package keep

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/prompt"
)

// skillPlace is where the user keeps a new skill: among their own, or in a folder.
type skillPlace struct {
	dir     string
	project bool
}

func (p *skillPlace) add(c *cobra.Command) {
	c.Flags().StringVar(&p.dir, "dir", ".", "the folder, with --project")
	c.Flags().BoolVar(&p.project, "project", false, "keep it in .forge/skills of the folder, for everybody who works in it")
}

// base is the folder in which the skills are kept, and their folder below it.
func (p *skillPlace) base(t terminal.Terminal) (base, below string, err error) {
	if p.project {
		base, err = terminal.Folder(p.dir)
		return base, ".forge/skills", err
	}
	if own := t.Env("FORGE_HOME"); own != "" {
		return own, "skills", nil
	}
	home := terminal.HomeOf(t.Env)
	if !filepath.IsAbs(home) {
		return "", "", terminal.ExitWith(terminal.ExitUsage, "the home folder is not known: set HOME or FORGE_HOME, or give --project")
	}
	return home, ".forge/skills", nil
}

// keep writes files of a new skill into its folder, and says where the first one is. Nothing that is there is overwritten, and no link
// is followed out of the place. The first file goes last: without it the others mean nothing.
func (p *skillPlace) keep(t terminal.Terminal, name string, files ...skillFile) (where string, err error) {
	base, below, err := p.base(t)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o700); err != nil { // Forge's own; a project's is there
		return "", fmt.Errorf("make the folder of the skill: %w", err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", base, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	where = filepath.Join(base, filepath.FromSlash(below), name, files[0].name)
	if _, err := root.Lstat(path.Join(below, name)); err == nil {
		return "", terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("%s is there already: change it, or move its folder away", filepath.Dir(where)))
	}
	if err := root.MkdirAll(path.Join(below, name), 0o777); err != nil {
		return "", fmt.Errorf("make the folder of the skill: %w", err)
	}
	for i := range files {
		f := files[len(files)-1-i]
		if err := create(root, path.Join(below, name, f.name), f.content); err != nil {
			return "", fmt.Errorf("write the skill: %w", err)
		}
	}
	return where, nil
}

// skillFile is a file of a skill.
type skillFile struct {
	name    string
	content []byte
}

// create writes a file that is not there yet.
func create(root *os.Root, name string, content []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

func newSkillsNew(t terminal.Terminal) *cobra.Command {
	var place skillPlace
	const example = "forge skills new review-api --project"
	c := &cobra.Command{
		Use: "new NAME", Short: "Begin a skill: write its SKILL.md for you to go on with", Example: "  " + example, Args: terminal.Exactly(1, example),
		RunE: func(_ *cobra.Command, args []string) error {
			content, err := prompt.SkillTemplate(args[0])
			if err != nil {
				return terminal.ExitWith(terminal.ExitUsage, err.Error())
			}
			where, err := place.keep(t, args[0], skillFile{prompt.SkillFile, content})
			if err != nil {
				return terminal.Explained(err)
			}
			fmt.Fprintf(t.Err, "[forge] write what it has to say into %s\n", where)
			return nil
		},
	}
	place.add(c)
	return c
}
