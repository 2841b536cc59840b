package keep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"path"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/prompt"
	"forge/internal/inert"
)

// sourceFile is the file next to an installed skill that records its origin.
const sourceFile = "SOURCE"

func newSkillsInstall(t terminal.Terminal) *cobra.Command {
	var place skillPlace
	var yes bool
	const example = "forge skills install https://example.com/skills/tdd/SKILL.md"
	c := &cobra.Command{
		Use: "install URL", Short: "Install one SKILL.md from an https address, after you have seen it",
		Long: `Reads one SKILL.md from an https address, shows it, and keeps it if you say yes. What is no skill is not kept, and nothing that
is there is overwritten. Where it comes from is written beside it, into ` + sourceFile + `.`,
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

// downloaded is a skill as a server sent it.
type downloaded struct {
	prompt.Skill
	content []byte
}

// source is what is kept of where a skill comes from.
func (d downloaded) source() []byte {
	return fmt.Appendf(nil, "%s\nsha256 %x\n", d.Source, sha256.Sum256(d.content))
}

// download reads the one file. What it says of itself, or the folder that it lies in, names it.
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
		return d, errors.New("nothing is asked but this machine: you have set Forge offline (models.offline in your settings, or FORGE_OFFLINE)")
	}
	document, err := p.Fetch(ctx, set, address, prompt.MaxSkillFile)
	if err != nil {
		return d, err
	}
	if document.Cut {
		return d, fmt.Errorf("it is larger than %d bytes: a skill is not", prompt.MaxSkillFile)
	}
	from, err := url.Parse(document.URL)
	if err != nil {
		return d, err
	}
	from.RawQuery, from.Fragment = "", "" // a token may stand there
	d.content = document.Body
	d.Skill, err = prompt.ParseSkill(path.Join(path.Base(path.Dir(from.Path)), prompt.SkillFile), from.String(), d.content)
	if err != nil {
		return d, fmt.Errorf("that is no skill: %w", err)
	}
	return d, nil
}
