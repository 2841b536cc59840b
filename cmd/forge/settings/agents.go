package settings

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/internal/inert"
)

// NewAgents returns the command forge agents.
func NewAgents(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use: "agents", Short: "List the agents of runs, and what runs had them find out",
		Long: `List the agents of runs: the built-in ones, and those that .forge/agents of a trusted folder and ~/.forge/agents add as Markdown files.
The orchestrator of a run may delegate a question to an added agent. docs/agents.md describes the files.`,
		Example: "  forge agents list\n  forge agents show debugger\n  forge agents runs",
	}
	c.AddCommand(newAgentsList(t), newAgentsShow(t), newAgentsRuns(t))
	return c
}

func newAgentsList(t terminal.Terminal) *cobra.Command {
	return terminal.Stored(t, cobra.Command{
		Use: "list", Short: "List the agents, with the tier of their models, their isolation and their tools", Example: "  forge agents list --json", Args: cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.AgentsResult, error) {
		return service.ListAgents(ctx, o.Engine, o.In, &api.FolderArgs{})
	}, printAgents)
}

func printAgents(t terminal.Terminal, found api.AgentsResult) error {
	for _, p := range found.Problems {
		place := ""
		if p.Line > 0 {
			place = fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		fmt.Fprintf(t.Err, "[forge] the agent is left out: %s%s: %s\n", inert.Text(p.Source), place, inert.Text(p.Reason))
	}
	if found.Untrusted {
		fmt.Fprintln(t.Err, "[forge] the folder is not trusted, so its own agents are not read")
	}
	rows := [][]string{{"AGENT", "TIER", "ISOLATION", "TOOLS", "WHAT IT DOES"}}
	for _, a := range found.Agents {
		rows = append(rows, []string{a.Name, tiersOf(a), a.Isolation, strconv.Itoa(len(a.Tools)), a.Description})
	}
	return terminal.Table(t.Out, rows)
}

// tiersOf names the tiers of an agent, each once.
func tiersOf(a api.Agent) string {
	var tiers []string
	for _, r := range a.Roles {
		if len(tiers) == 0 || tiers[len(tiers)-1] != r.Tier {
			tiers = append(tiers, r.Tier)
		}
	}
	return strings.Join(tiers, ", ")
}

func newAgentsShow(t terminal.Terminal) *cobra.Command {
	const example = "forge agents show debugger"
	return terminal.Stored(t, cobra.Command{
		Use: "show NAME", Short: "Show one agent with its tools and its instructions", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, o terminal.Opened) (api.AgentResult, error) {
		return service.ShowAgent(ctx, o.Engine, o.In, &api.AgentArgs{Name: o.Args[0]})
	}, printAgent)
}

func printAgent(t terminal.Terminal, a api.AgentResult) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", a.Name, a.Description)
	for _, r := range a.Roles {
		fmt.Fprintf(&text, "role       %s, with a model of the tier %s\n", r.Role, r.Tier)
	}
	fmt.Fprintf(&text, "isolation  %s\n", a.Isolation)
	tools := "none: it sees what the run shows it"
	if len(a.Tools) > 0 {
		tools = strings.Join(a.Tools, ", ")
	}
	fmt.Fprintf(&text, "tools      %s\n", tools)
	if a.Source != "" {
		fmt.Fprintf(&text, "file       %s\n", a.Source)
	}
	_, err := fmt.Fprintf(t.Out, "%s\n%s\n", inert.Text(text.String()), inert.Text(a.Instructions))
	return err
}

func newAgentsRuns(t terminal.Terminal) *cobra.Command {
	return terminal.Stored(t, cobra.Command{
		Use: "runs [RUN]", Short: "List what runs had agents find out: of one run, or of all runs of the folder, newest first",
		Long: `List the errands of agents: questions that the orchestrator of a run delegated, and failures that the debugger examined. An errand is
kept when it begins and when it ends, for 90 days; --json also shows what the agent was shown, its budget and its result.`,
		Example: "  forge agents runs\n  forge agents runs r-4f1c0a72 --json", Args: terminal.AtMostOne("one run at a time"),
	}, func(ctx context.Context, o terminal.Opened) (api.ErrandsResult, error) {
		return service.ListErrands(ctx, o.Engine, o.In, &api.ErrandsArgs{RunID: terminal.First(o.Args)})
	}, func(t terminal.Terminal, r api.ErrandsResult) error { return printErrands(t, r.Errands) })
}

func printErrands(t terminal.Terminal, errands []api.Errand) error {
	if len(errands) == 0 {
		fmt.Fprintln(t.Err, "[forge] no errands are stored: a run stores each question that it delegates, and each failure that the debugger examines")
		return nil
	}
	rows := [][]string{{"ERRAND", "RUN", "NODE", "AGENT", "STATUS", "TOKENS", "TASK", "RESULT"}}
	for _, e := range errands {
		rows = append(rows, []string{e.ID, e.RunID, e.Node, e.Agent, e.Status, strconv.Itoa(e.Tokens), terminal.OneLine(e.Task), terminal.OneLine(e.Result)})
	}
	return terminal.Table(t.Out, rows)
}
