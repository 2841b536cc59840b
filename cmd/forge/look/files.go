package look

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewFiles returns the command forge files.
func NewFiles(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use: "files", Short: "List, find and read the files of a folder, and what differs from the last commit; uses no model",
		Long: "List, find and read the files of a folder as Forge sees them: ignored files are left out. It writes nothing to the folder.",
		Example: `  forge files list src
  forge files search parser test
  forge files status
  forge files read --diff src/parser.go`,
		Args: cobra.NoArgs,
	}
	c.AddCommand(newFilesList(t), newFilesSearch(t), newFilesStatus(t), newFilesRead(t))
	return c
}

// aboutFiles runs a service about the files of a folder, and shows its result.
func aboutFiles[A, R any](ctx context.Context, t terminal.Terminal, f terminal.KeptFlags, do func(context.Context, service.FileStore, service.Folder, *A) (R, error), a A, show func(R) error) error {
	return terminal.Explained(terminal.InFolder(t, f.Dir, func(e *engine.Engine, root string) error {
		result, err := do(ctx, e, service.At(root), &a)
		return terminal.Shown(t, f.JSON, result, err, show)
	}))
}

func newFilesList(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var all bool
	c := &cobra.Command{
		Use: "list [FOLDER]", Aliases: []string{"ls"}, Short: "List a folder, without ignored files and those that begin with a dot", Args: cobra.MaximumNArgs(1),
		Example: "  forge files list\n  forge files list --all src",
		RunE: func(c *cobra.Command, args []string) error {
			return aboutFiles(c.Context(), t, f, service.ListFiles, api.FilesArgs{Dir: terminal.First(args), Hidden: all}, func(r api.FilesResult) error {
				for _, entry := range r.Entries {
					name := entry.Path
					if entry.Folder {
						name += "/"
					}
					fmt.Fprintln(t.Out, inert.Text(name))
				}
				return nil
			})
		},
	}
	f.Add(c)
	c.Flags().BoolVar(&all, "all", false, "also names that begin with a dot")
	return c
}

func newFilesSearch(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var limit int
	c := &cobra.Command{
		Use: "search WORD…", Short: "Find files by parts of their paths, best first", Args: cobra.MinimumNArgs(1), Example: "  forge files search parser test",
		RunE: func(c *cobra.Command, args []string) error {
			if limit <= 0 {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--limit %d: want a number of files above 0", limit))
			}
			a := api.FileSearchArgs{Query: strings.Join(args, " "), Limit: limit}
			return aboutFiles(c.Context(), t, f, service.SearchFiles, a, func(r api.FileSearchResult) error {
				for _, name := range r.Paths {
					fmt.Fprintln(t.Out, inert.Text(name))
				}
				if r.More > 0 {
					fmt.Fprintf(t.Err, "[forge] and %d more: --limit shows them\n", r.More)
				}
				return nil
			})
		},
	}
	f.Add(c)
	c.Flags().IntVarP(&limit, "limit", "k", 20, "limit of files")
	return c
}

func newFilesStatus(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use: "status", Short: "List the files that differ from the last commit: modified, untracked, deleted", Args: cobra.NoArgs, Example: "  forge files status",
		RunE: func(c *cobra.Command, _ []string) error {
			return aboutFiles(c.Context(), t, f, service.StatusOfFiles, api.FolderArgs{}, func(r api.FileStatusResult) error {
				if !r.Compared {
					fmt.Fprintln(t.Err, "[forge] there is no commit to compare with")
				}
				var rows [][]string
				for _, file := range r.Files {
					rows = append(rows, []string{file.State, file.Path})
				}
				return terminal.Table(t.Out, rows)
			})
		},
	}
	f.Add(c)
	return c
}

func newFilesRead(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var diff bool
	c := &cobra.Command{
		Use: "read FILE", Aliases: []string{"cat"}, Short: "Print a file; with --diff, its difference from the last commit", Args: cobra.ExactArgs(1),
		Example: "  forge files read src/parser.go\n  forge files read --diff src/parser.go",
		RunE: func(c *cobra.Command, args []string) error {
			return aboutFiles(c.Context(), t, f, service.ReadFile, api.FileReadArgs{Path: args[0]}, func(r api.FileRead) error {
				text := r.Text
				if diff {
					text = r.Diff
				} else if content, err := base64.StdEncoding.DecodeString(r.Base64); err != nil || len(content) > 0 {
					_, failed := t.Out.Write(content)
					return errors.Join(err, failed)
				}
				_, err := fmt.Fprint(t.Out, inert.Text(text))
				return err
			})
		},
	}
	f.Add(c)
	c.Flags().BoolVar(&diff, "diff", false, "print the unified diff against the last commit")
	return c
}
