package keep

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewProject returns the command forge project.
func NewProject(t terminal.Terminal) *cobra.Command {
	return terminal.Stored(t, cobra.Command{
		Use: "project", Short: "Show the stored data of a folder, its path and size, and whether the folder is trusted",
		Example: "  forge project --dir ~/src/app", Args: cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.Project, error) {
		return service.ShowProject(ctx, o.Engine, o.In, &api.FolderArgs{})
	}, func(t terminal.Terminal, p api.Project) error { return printProject(t.Out, p) })
}

func printProject(out io.Writer, p api.Project) error {
	for _, line := range [][2]string{
		{"id", p.ID}, {"folder", inert.Text(api.FilePath(p.Folder))}, {"trusted", yesNo(p.Trusted)}, {"state", inert.Text(p.State)},
		{"runs", fmt.Sprintf("%d, %s", p.Runs, size(p.RunBytes))}, {"memory", size(p.MemoryBytes)},
		{"shadow", size(p.ShadowBytes)},
	} {
		if _, err := fmt.Fprintf(out, "%-8s %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// NewProjects returns the command forge projects.
func NewProjects(t terminal.Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "projects", Short: "List all folders with stored data", Example: "  forge projects", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return terminal.Everywhere(t, func(e *engine.Engine) error {
				result, err := service.ListProjects(c.Context(), e, &api.NoArgs{})
				return terminal.Shown(t, asJSON, result, err, func(r api.ProjectsResult) error { return terminal.Table(t.Out, projectRows(r.Projects)) })
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func projectRows(all []api.Project) [][]string {
	rows := [][]string{{"PROJECT", "RUNS", "SIZE", "TRUSTED", "CHANGED", "FOLDER"}}
	for _, p := range all {
		root := api.FilePath(p.Folder)
		switch {
		case root == "":
			root = "(unknown)"
		case p.Gone:
			root += " (gone)"
		}
		changed := "never"
		if p.Seen != "" {
			changed = service.Ago(time.Since(terminal.When(p.Seen)))
		}
		rows = append(rows, []string{p.ID, strconv.Itoa(p.Runs), size(p.RunBytes + p.MemoryBytes + p.ShadowBytes), yesNo(p.Trusted), changed, root})
	}
	return rows
}

// NewSessions returns the command forge sessions.
func NewSessions(t terminal.Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "sessions", Aliases: []string{"status"}, Short: "List the processes of this machine that have a folder open or execute a run",
		Example: "  forge sessions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return terminal.Everywhere(t, func(e *engine.Engine) error {
				result, err := service.ListSessions(c.Context(), e, &api.NoArgs{})
				return terminal.Shown(t, asJSON, result, err, func(r api.SessionsResult) error {
					return terminal.TableOr(t, sessionRows(r.Sessions), "no process has a folder open or executes a run")
				})
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func sessionRows(all []api.Session) [][]string {
	rows := [][]string{{"PID", "SINCE", "RUNS", "FOLDERS"}}
	for _, s := range all {
		var folders []string
		for _, uri := range s.Folders {
			folders = append(folders, api.FilePath(uri))
		}
		rows = append(rows, []string{strconv.Itoa(s.PID), service.Ago(time.Since(terminal.When(s.Since))), sessionRuns(s.Runs), strings.Join(folders, ", ")})
	}
	return rows
}

// sessionRuns lists the runs that a process executes with recipe, mode and profile: "r-4f1c0a72 (fix · debug · tooluse)".
func sessionRuns(runs []api.SessionRun) string {
	var names []string
	for _, r := range runs {
		name := r.RunID
		if way := wayOf(r.Recipe, r.Mode, r.Profile); way != "" {
			name += " (" + way + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
