package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
	"forge/engine/story"
	"forge/internal/inert"
)

func newProject(t terminal) *cobra.Command {
	var f keptFlags
	c := &cobra.Command{
		Use: "project", Short: "Show what is kept of a folder, where, how much it takes, and whether it is trusted",
		Example: "  forge project --dir ~/src/app", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.with(t, func(e *engine.Engine, root string) error {
				p, err := e.Project(c.Context(), root)
				if err != nil {
					return err
				}
				if f.json {
					return writeJSON(t.out, api.ProjectOf(p))
				}
				printProject(t.out, p)
				return nil
			})
		},
	}
	f.add(c)
	return c
}

func printProject(out io.Writer, p engine.ProjectInfo) {
	for _, line := range [][2]string{
		{"id", p.ID}, {"folder", inert.Text(p.Root)}, {"trusted", yesNo(p.Trusted)}, {"state", inert.Text(p.State)},
		{"runs", fmt.Sprintf("%d, %s", p.Runs, story.Bytes(p.RunBytes))}, {"memory", story.Bytes(p.MemoryBytes)},
		{"shadow", story.Bytes(p.ShadowBytes)},
	} {
		fmt.Fprintf(out, "%-8s %s\n", line[0], line[1])
	}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func newProjects(t terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "projects", Short: "List all folders of which something is kept", Example: "  forge projects", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return everywhere(t, func(e *engine.Engine) error {
				all, err := e.Projects(c.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(t.out, api.ProjectsOf(all))
				}
				return table(t.out, projectRows(all))
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// everywhere opens the engine for a command that is about no folder.
func everywhere(t terminal, do func(e *engine.Engine) error) error {
	e, err := openEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	return explained(do(e.Engine))
}

func projectRows(all []engine.ProjectInfo) [][]string {
	rows := [][]string{{"PROJECT", "RUNS", "SIZE", "TRUSTED", "CHANGED", "FOLDER"}}
	for _, p := range all {
		root := p.Root
		switch {
		case root == "":
			root = "(nothing says which)"
		case p.Gone:
			root += " (gone)"
		}
		changed := "never"
		if !p.Seen.IsZero() {
			changed = story.Ago(time.Since(p.Seen))
		}
		rows = append(rows, []string{p.ID, strconv.Itoa(p.Runs), story.Bytes(p.Bytes()), yesNo(p.Trusted), changed, root})
	}
	return rows
}

func newSessions(t terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "sessions", Short: "List the processes of this machine that have a folder open or work on a run",
		Example: "  forge sessions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return everywhere(t, func(e *engine.Engine) error {
				all, err := e.Sessions(c.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(t.out, api.SessionsOf(all))
				}
				rows := [][]string{{"PID", "SINCE", "RUNS", "FOLDERS"}}
				for _, s := range all {
					rows = append(rows, []string{
						strconv.Itoa(s.PID), story.Ago(time.Since(s.Since)), sessionRuns(s.Runs), strings.Join(s.Folders, ", "),
					})
				}
				return table(t.out, rows)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// sessionRuns names the runs that a process works on, and how they work: "r-4f1c0a72 (fix · debug · tooluse)".
func sessionRuns(runs []engine.SessionRun) string {
	var names []string
	for _, r := range runs {
		name := r.ID
		if way := r.Way.String(); way != "" {
			name += " (" + way + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
