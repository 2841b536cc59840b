package settings

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/prompt"
	"forge/internal/inert"
)

// NewSkills returns the command forge skills.
func NewSkills(t terminal.Terminal) *cobra.Command {
	c := terminal.Stored(t, cobra.Command{
		Use:   "skills [TYPE]",
		Short: "List the skills that runs in a folder can use; create or install one",
		Long: "Lists the skills that runs in a folder can use: those in .forge/skills of the folder if it is trusted, then those in ~/.forge/skills\n" +
			"($FORGE_HOME/skills if that is set), ~/.hermes/skills, and the folders that your settings name. The first skill of a name is used. With a type, lists the skill of that name, or else those whose category begins with it.",
		Example: "  forge skills\n  forge skills code\n  forge skills new review-api --project",
		Args:    cobra.MaximumNArgs(1),
	}, func(ctx context.Context, o terminal.Opened) (api.SkillsResult, error) {
		return service.ListSkills(ctx, o.Engine, o.In, &api.SkillsArgs{Type: terminal.First(o.Args)})
	}, printSkills)
	c.AddCommand(newSkillsNew(t), newSkillsInstall(t))
	return c
}

func printSkills(t terminal.Terminal, found api.SkillsResult) error {
	for _, p := range found.Problems {
		fmt.Fprintf(t.Err, "[forge] %s is not a valid skill: %s\n", inert.Text(p.Source), inert.Text(p.Reason))
	}
	if found.Untrusted {
		fmt.Fprintln(t.Err, "[forge] the folder is not trusted, so its own skills are not read")
	}
	if len(found.Skills) == 0 {
		fmt.Fprintln(t.Err, "[forge] no skills; create one: forge skills new NAME")
	}
	for _, s := range found.Skills {
		if _, err := fmt.Fprintf(t.Out, "%-24s %-20s %s\n%24s %s\n", inert.Text(s.Name), inert.Text(s.Category), inert.Text(s.Description), "", inert.Text(s.Source)); err != nil {
			return err
		}
	}
	return nil
}

// sourceFile is the file next to an installed skill that records its origin.
const sourceFile = "SOURCE"

func newSkillsInstall(t terminal.Terminal) *cobra.Command {
	var place skillPlace
	var yes bool
	const example = "forge skills install https://example.com/skills/tdd/SKILL.md"
	c := &cobra.Command{
		Use: "install URL", Short: "Install one SKILL.md from an https URL, after you have seen it",
		Long: `Downloads one SKILL.md from an https URL, shows it, and stores it if you agree. It rejects a file that is not a skill, and
overwrites nothing. It records the origin in the file ` + sourceFile + `.`,
		Example: "  " + example, Args: terminal.Exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			found, err := download(c.Context(), t, args[0])
			if err != nil {
				return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("%s: %v", inert.Text(args[0]), err))
			}
			fmt.Fprintf(t.Err, "%s\n", inert.Text(string(found.content)))
			question := fmt.Sprintf("Install the skill %s from %s?", found.Name, found.Source)
			if err := terminal.Consent(c.Context(), t, question, "installed", yes); err != nil {
				return err
			}
			where, err := place.keep(t, found.Name, skillFile{prompt.SkillFile, found.content}, skillFile{sourceFile, found.source()})
			if err != nil {
				return terminal.Explained(err)
			}
			fmt.Fprintf(t.Err, "[forge] installed %s as %s\n", inert.Text(found.Name), where)
			return nil
		},
	}
	place.add(c)
	c.Flags().BoolVar(&yes, "yes", false, "install it without asking")
	return c
}

// downloaded is a downloaded skill.
type downloaded struct {
	prompt.Skill
	content []byte
}

// source returns the content of the file that records the origin.
func (d downloaded) source() []byte {
	return fmt.Appendf(nil, "%s\nsha256 %x\n", d.Source, sha256.Sum256(d.content))
}

// download reads the file. Its name comes from its metadata, or else from the folder in its URL.
func download(ctx context.Context, t terminal.Terminal, address string) (d downloaded, err error) {
	p, err := terminal.OpenParts(t, config.Models{})
	if err != nil {
		return d, err
	}
	defer p.Close()
	set := p.Written(ctx)
	switch {
	case set.Err != nil:
		return d, set.Err
	case set.Offline:
		return d, errors.New("offline, so that nothing is downloaded (models.offline in your settings, or FORGE_OFFLINE)")
	}
	document, err := p.Fetch(ctx, set, address, prompt.MaxSkillFile)
	if err != nil {
		return d, err
	}
	if document.Cut {
		return d, fmt.Errorf("it is larger than %d bytes, the limit of a skill", prompt.MaxSkillFile)
	}
	from, err := url.Parse(document.URL)
	if err != nil {
		return d, err
	}
	from.RawQuery, from.Fragment = "", "" // they may contain a token
	d.content = document.Body
	d.Skill, err = prompt.ParseSkill(path.Join(path.Base(path.Dir(from.Path)), prompt.SkillFile), from.String(), d.content)
	if err != nil {
		return d, fmt.Errorf("that is not a skill: %w", err)
	}
	return d, nil
}

// skillPlace is where a new skill is stored: in the user's home or in a folder.
type skillPlace struct {
	dir     string
	project bool
}

func (p *skillPlace) add(c *cobra.Command) {
	c.Flags().StringVar(&p.dir, "dir", ".", "the folder, with --project")
	c.Flags().BoolVar(&p.project, "project", false, "store it in .forge/skills of the folder, for all users of the folder")
	terminal.Needs(c, "dir", "project")
}

// base returns the folder of the skills: an existing folder, and the path below it.
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

// keep writes the files of a new skill and returns the path of the first. It overwrites nothing and follows no link out of the
// folder. The first file is written last: without it the others have no effect.
func (p *skillPlace) keep(t terminal.Terminal, name string, files ...skillFile) (where string, err error) {
	base, below, err := p.base(t)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o700); err != nil { // of Forge; a project's folder exists
		return "", fmt.Errorf("create the folder of the skill: %w", err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", fmt.Errorf("open %s: %w", base, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	where = filepath.Join(base, filepath.FromSlash(below), name, files[0].name)
	if _, err := root.Lstat(path.Join(below, name)); err == nil {
		return "", terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("%s exists already: change it, or move its folder away", filepath.Dir(where)))
	}
	if err := root.MkdirAll(path.Join(below, name), 0o777); err != nil {
		return "", fmt.Errorf("create the folder of the skill: %w", err)
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

// create writes a new file.
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
		Use: "new NAME", Short: "Create a skill: write a SKILL.md for you to complete", Example: "  " + example, Args: terminal.Exactly(1, example),
		RunE: func(_ *cobra.Command, args []string) error {
			content, err := prompt.SkillTemplate(args[0])
			if err != nil {
				return terminal.ExitWith(terminal.ExitUsage, err.Error())
			}
			where, err := place.keep(t, args[0], skillFile{prompt.SkillFile, content})
			if err != nil {
				return terminal.Explained(err)
			}
			fmt.Fprintf(t.Err, "[forge] complete the skill in %s\n", where)
			return nil
		},
	}
	place.add(c)
	return c
}
