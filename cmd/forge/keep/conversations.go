package keep

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/internal/inert"
)

// NewConversations returns the command forge conversations.
func NewConversations(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use:   "conversations [ID]",
		Short: "List the conversations about a folder, of editors and terminals; with an id, show its turns",
		Example: `  forge conversations
  forge conversations r-4f1c0a72
  forge ask --continue=r-4f1c0a72 "and in which tests?"`,
		Args: terminal.AtMostOne("one conversation to show"),
		RunE: func(c *cobra.Command, args []string) error {
			id := terminal.First(args)
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.Conversations(c.Context(), e, in, &api.ConversationsArgs{ID: id})
				return terminal.Shown(t, f.JSON, result, err, func(r api.ConversationsResult) error { return printConversations(t, in, id, r) })
			})
		},
	}
	f.Add(c)
	return c
}

func printConversations(t terminal.Terminal, in service.Folder, id string, r api.ConversationsResult) error {
	if id != "" {
		return printTurns(t, r.Turns)
	}
	if len(r.Conversations) == 0 {
		fmt.Fprintf(t.Err, "[forge] no conversation about %s so far; begin one: forge ask \"a question\"\n", in.Path)
		return nil
	}
	rows := [][]string{{"CONVERSATION", "TURNS", "LAST", "ABOUT"}}
	for _, c := range r.Conversations {
		rows = append(rows, []string{c.ID, strconv.Itoa(c.Turns), service.Ago(time.Since(terminal.When(c.Last))), c.Title})
	}
	return terminal.Table(t.Out, rows)
}

func printTurns(t terminal.Terminal, turns []api.ConversationTurn) error {
	for i, turn := range turns {
		if i > 0 {
			fmt.Fprintln(t.Out)
		}
		from := "run " + turn.RunID
		if turn.Synopsis > 0 {
			from = "a synopsis of " + event.Count(turn.Synopsis, "turn")
		}
		fmt.Fprintf(t.Out, "──── %s, %s ────\n%s\n", service.Ago(time.Since(terminal.When(turn.TS))), from, inert.Text(turn.Asked))
		if turn.Answered == "" {
			continue
		}
		if _, err := fmt.Fprintf(t.Out, "\n%s\n", inert.Text(turn.Answered)); err != nil {
			return err
		}
	}
	return nil
}
