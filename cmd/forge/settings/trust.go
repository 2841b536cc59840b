package settings

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewTrust returns the command forge trust.
func NewTrust(t terminal.Terminal) *cobra.Command {
	var read bool
	c := &cobra.Command{
		Use: "trust [folder]", Short: "Trust a folder, so that its compilers and tests may run; or list the trusted folders",
		Long: `Trust a folder, by default the current one. Its settings and instructions apply from now on, and its compilers and tests, which
execute its code, may run. With --read, models may read its files, and nothing in it is executed: that is enough for forge ask and
forge review.

Trust is for this folder only: another folder that replaces it under the same path is not trusted.`,
		Example: "  forge trust\n  forge trust --read ~/src/other\n  forge trust list\n  forge untrust ~/src/other", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return terminal.InFolder(t, cmp.Or(terminal.First(args), "."), func(e *engine.Engine, root string) error {
				if !read {
					return trusted(t, "the compilers and tests of %s may run", root, e.Trust(root))
				}
				if _, err := e.Untrust(root); err != nil { // it may have the level execute
					return terminal.Explained(err)
				}
				return trusted(t, "models may read %s, and nothing in it is executed", root, e.TrustToRead(root))
			})
		},
	}
	c.Flags().BoolVar(&read, "read", false, "let models read the folder and execute nothing in it; revokes the trust to execute")
	c.AddCommand(newTrustList(t))
	return c
}

// trusted reports what the trust in a folder allows, if it is recorded.
func trusted(t terminal.Terminal, allows, root string, err error) error {
	if err == nil {
		fmt.Fprintf(t.Err, "[forge] "+allows+"\n", inert.Text(root))
	}
	return terminal.Explained(err)
}

func newTrustList(t terminal.Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the folders that you trust, and how far", Example: "  forge trust list", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return terminal.Everywhere(t, func(e *engine.Engine) error {
				all, err := e.TrustedFolders()
				list := trustedList{Folders: []trustedFolder{}}
				for _, folder := range all {
					list.Folders = append(list.Folders, trustedFolder{folder.Path, folder.Level.String(), folder.Gone})
				}
				return terminal.Shown(t, asJSON, list, err, func(l trustedList) error { return terminal.Table(t.Out, l.rows()) })
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

// trustedList is what forge trust list --json prints.
type trustedList struct {
	Folders []trustedFolder `json:"folders"`
}

type trustedFolder struct {
	Folder string `json:"folder"`
	Level  string `json:"level"` // read or execute
	Gone   bool   `json:"gone"`  // the folder was deleted or replaced
}

func (l trustedList) rows() [][]string {
	rows := [][]string{{"LEVEL", "FOLDER"}}
	for _, f := range l.Folders {
		if f.Gone {
			f.Folder += " (gone)"
		}
		rows = append(rows, []string{f.Level, f.Folder})
	}
	return rows
}

// NewUntrust returns the command forge untrust.
func NewUntrust(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "untrust [folder]", Short: "Revoke the trust in a folder: models may not read it, and no process is started in it",
		Long:    "Revoke the trust in a folder, by default the current one. The folder need not exist. A live run continues.",
		Example: "  forge untrust\n  forge untrust ~/src/gone", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := filepath.Abs(cmp.Or(terminal.First(args), "."))
			if err != nil {
				return terminal.ExitWith(terminal.ExitUsage, err.Error())
			}
			return terminal.Everywhere(t, func(e *engine.Engine) error {
				known, err := e.Untrust(root)
				if err == nil && !known {
					return terminal.ExitWith(terminal.ExitFailed, inert.Text(root)+" is not trusted. forge trust list shows the trusted folders")
				}
				if err == nil {
					fmt.Fprintf(t.Err, "[forge] %s is no longer trusted\n", inert.Text(root))
				}
				return terminal.Explained(err)
			})
		},
	}
}
