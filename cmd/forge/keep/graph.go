package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/internal/inert"
)

// NewGraph returns the command forge graph.
func NewGraph(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{Use: "graph", Short: "Show the graph of a run: its nodes, what they wait for, and their status"}
	c.AddCommand(newGraphShow(t))
	return c
}

func newGraphShow(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use:     "show [RUN]",
		Short:   "Show the graph of a run, the newest of the folder if none is named",
		Example: "  forge graph show\n  forge graph show r-4f1c0a72 --json",
		Args:    terminal.AtMostOne("one run to show"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				return showGraph(c.Context(), f, t, e, in.Path, terminal.First(args))
			})
		},
	}
	f.Add(c)
	return c
}

func showGraph(ctx context.Context, f terminal.KeptFlags, t terminal.Terminal, e *engine.Engine, root, id string) error {
	id, events, err := eventsOf(ctx, e, root, id)
	if err != nil {
		return err
	}
	now := event.Stand(events)
	built := event.GraphBuilt{Base: now.Base, Nodes: now.Nodes, Edges: now.Edges, Attempts: now.Attempts}
	if len(built.Nodes) == 0 {
		return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("run %s ended before it had a graph: forge log %s says why", id, id))
	}
	if f.JSON {
		return terminal.WriteJSON(t.Out, api.EventOf(event.Event{RunID: id, Seq: len(events), Time: events[len(events)-1].Time, Data: built}))
	}
	for _, line := range drawn(built) {
		fmt.Fprintln(t.Out, line)
	}
	return nil
}

// eventsOf are the events of a run, the newest of the folder if none is named, and its id.
func eventsOf(ctx context.Context, e *engine.Engine, root, id string) (string, []event.Event, error) {
	id, err := newest(ctx, e, root, id)
	if err != nil {
		return "", nil, err
	}
	events, err := e.Events(ctx, id, 0)
	return id, events, err
}

// newest is a run, or the newest of a folder where none is named.
func newest(ctx context.Context, e *engine.Engine, root, id string) (string, error) {
	if id != "" {
		return id, nil
	}
	runs, err := e.Runs(ctx, root)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("there has been no run in %s", root))
	}
	return runs[0].ID, nil
}

// drawn returns a line for each node: its status, what it waits for, and where its lanes lead.
func drawn(g event.GraphBuilt) (lines []string) {
	for _, n := range g.Nodes {
		line := fmt.Sprintf("%-14s %s", n.ID, strings.ToLower(n.Status.String()))
		if n.Attempt > 1 {
			line += fmt.Sprintf(", attempt %d", n.Attempt)
		}
		if from := ends(g.Edges, func(e graph.Edge) (string, bool) { return e.From, e.To == n.ID && e.Type == graph.Normal }); from != "" {
			line += "; after " + from
		}
		if to := ends(g.Edges, func(e graph.Edge) (string, bool) {
			return e.To + " (" + e.Type.String() + ")", e.From == n.ID && e.Type != graph.Normal
		}); to != "" {
			line += "; back to " + to
		}
		if n.Reason != "" {
			line += "\n               " + inert.Text(strings.Join(strings.Fields(n.Reason), " "))
		}
		lines = append(lines, line)
	}
	return lines
}

// ends describes the ends of the requested edges.
func ends(edges []graph.Edge, end func(graph.Edge) (string, bool)) string {
	var all []string
	for _, e := range edges {
		if to, is := end(e); is {
			all = append(all, to)
		}
	}
	return strings.Join(all, ", ")
}
