package work

import (
	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/permission"
)

// unanswered records a question that was not asked.
func (s Session) unanswered(e event.Event) {
	if u, is := e.Data.(event.ToolUsed); is && u.Refused == permission.CodeNonInteractive {
		s.Unanswered = append(s.Unanswered, terminal.Unanswered{Kind: string(event.AskPermission), Code: u.Refused, Reason: u.Tool + ": " + u.Reason})
	}
}

// denied returns exit code 6 if the program ends because it asks nothing.
func (s Session) denied(err error) error {
	if err == nil || !s.Flags.permissions.NonInteractive {
		return err
	}
	exit := terminal.AsExit(err)
	if exit == nil || exit.Code != terminal.ExitBlocked && len(s.Unanswered) == 0 || exit.Code == terminal.ExitCancelled {
		return err
	}
	return terminal.ExitWith(terminal.ExitUnanswered, exit.Text)
}
