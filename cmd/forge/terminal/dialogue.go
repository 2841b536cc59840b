package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"forge/api/service"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/internal/inert"
)

// Dialogue asks the user at the terminal on stderr, so that stdout holds only the results. The loop that
// shows a run's events also shows its questions, and then waits for the answer: it prints nothing into an
// open question, and shows the events that led to a question first.
type Dialogue struct {
	Terminal
	Yes   bool          // the user has consented with --yes
	Reply service.Reply // the text of --answer
	Suite *checks.Suite // runs while questions of the program are open; may be nil
	Fails bool          // the user has seen that its tests fail
	Lines *bufio.Reader // of the terminal's input; one for all questions, so that no line is lost
	// Unanswered lists the questions that needed consent while no terminal could ask them.
	Unanswered []Unanswered
	open       chan struct{} // receives a token when a run's question is on the screen
	done       chan struct{} // returns the token when it is answered or withdrawn
}

// NewDialogue returns a dialogue on a terminal.
func NewDialogue(t Terminal) *Dialogue {
	return &Dialogue{Terminal: t, Lines: bufio.NewReader(t.In), open: make(chan struct{}), done: make(chan struct{})}
}

// Ask implements event.Asker for a run. It needs a loop that calls Put for every question.
func (d *Dialogue) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	if answer, is := d.Reply.To(q); is {
		return answer, nil
	}
	if !d.Interactive {
		return d.absent(q)
	}
	select {
	case <-d.open:
	case <-ctx.Done():
		return event.Answer{}, ctx.Err()
	}
	defer func() { d.done <- struct{}{} }()
	return d.read(ctx, q)
}

// Put shows a question of a run and returns when it is closed, or the run has ended.
func (d *Dialogue) Put(q event.Question, ended <-chan struct{}) {
	if _, is := d.Reply.To(q); is {
		fmt.Fprintf(d.Err, "[forge] ? %s\n        answered by --answer: %s\n", inert.Text(q.Title), inert.Text(d.Reply.Text))
		return
	}
	if !d.Interactive {
		d.missed(q)
		fmt.Fprintf(d.Err, "[forge] ? %s\n", inert.Text(q.Title))
		if q.Kind == event.AskUnblock && q.Detail != "" {
			fmt.Fprintf(d.Err, "        %s\n", strings.ReplaceAll(inert.Text(strings.TrimSpace(q.Detail)), "\n", "\n        "))
		}
		fmt.Fprintf(d.Err, "        No terminal for questions%s\n", d.instead(q))
		return
	}
	d.forget()
	d.show(q)
	select {
	case d.open <- struct{}{}:
		<-d.done
	case <-ended:
	}
}

// Decide asks a question of the program itself.
func (d *Dialogue) Decide(ctx context.Context, q event.Question) (event.Answer, error) {
	d.forget()
	d.show(q)
	defer d.followSuite(q)()
	return d.read(ctx, q)
}

func (d *Dialogue) show(q event.Question) {
	fmt.Fprintf(d.Err, "\n%s\n", inert.Text(q.Title))
	if q.Detail != "" {
		fmt.Fprintf(d.Err, "\n%s\n\n", inert.Text(strings.TrimSpace(q.Detail)))
	}
	for i, c := range q.Choices {
		fmt.Fprintf(d.Err, "  %d) %s%s\n", i+1, inert.Text(c.Title), defaultMark(c.ID == q.Default))
	}
	if q.FreeText != "" {
		fmt.Fprintln(d.Err, "  or type "+q.FreeText)
	}
	if d.Suite != nil {
		fmt.Fprintln(d.Err, "  "+suiteStatus(d.Suite))
	}
	fmt.Fprint(d.Err, "> ")
}

// forget drops input that was typed before a question is shown, because it cannot be an answer to it. Input from a pipe or a file is
// kept: it was written for the questions.
func (d *Dialogue) forget() {
	if file, is := d.In.(*os.File); is && isTerminal(file) {
		dropInput(file)
		_, _ = d.Lines.Discard(d.Lines.Buffered()) // so many there are
	}
}

func defaultMark(is bool) string {
	if is {
		return " (default)"
	}
	return ""
}

// consents are the flags that consent to questions in advance.
var consents = map[event.QuestionKind]string{
	event.AskTrust:      "if you trust it, use --trust",
	event.AskApproval:   "use --yes to approve it in advance, or run forge in a terminal",
	event.AskPermission: "no flag covers it; run forge in a terminal",
	event.AskUnconfined: "no flag covers it, so nothing of the folder is executed; run forge in a terminal, or list gates in unguarded in your settings",
}

// approval is the choice that --yes selects.
const approval = "approve"

// absent answers without a user: consent only comes from a flag, and every other question gets its safe default.
func (d *Dialogue) absent(q event.Question) (event.Answer, error) {
	if d.approves(q) {
		return event.Answer{Choice: approval}, nil
	}
	if _, consent := consents[q.Kind]; consent {
		return event.Answer{}, event.ErrNoAnswer
	}
	return event.Answer{Choice: q.Default, Absent: true}, nil
}

// Unanswered is a question that needed consent when no user could answer.
type Unanswered struct {
	Kind   string `json:"kind"`             // trust, approve, permit
	Code   string `json:"code"`             // non_interactive
	Reason string `json:"reason,omitempty"` // the question
}

// missed records a question that needs consent and cannot be asked.
func (d *Dialogue) missed(q event.Question) {
	if _, consent := consents[q.Kind]; consent && !d.approves(q) {
		d.Unanswered = append(d.Unanswered, Unanswered{Kind: string(q.Kind), Code: "non_interactive", Reason: q.Title})
	}
}

// approves reports whether --yes answers a question.
func (d *Dialogue) approves(q event.Question) bool { return d.Yes && q.Kind == event.AskApproval }

// instead describes what happens without a user to answer.
func (d *Dialogue) instead(q event.Question) string {
	if d.approves(q) {
		return "; --yes approves it"
	}
	if advice, consent := consents[q.Kind]; consent {
		if q.Flag != "" {
			advice = "--yes does not cover it; use " + q.Flag + ", or --mode heavy, or run forge in a terminal"
		}
		return ": " + advice
	}
	return taken(q) + affirming(q)
}

// taken describes the default of an unanswered question.
func taken(q event.Question) string {
	for _, c := range q.Choices {
		if c.ID == q.Default {
			return ", so the default is used: " + inert.Text(c.Title)
		}
	}
	return ""
}

// read reads an answer, one line. A line that names no choice is free text with the default choice, never consent.
func (d *Dialogue) read(ctx context.Context, q event.Question) (event.Answer, error) {
	typed, err := d.Line(ctx)
	if err != nil {
		fmt.Fprintln(d.Err) // the cursor is still behind the prompt
		return event.Answer{}, err
	}
	answer := choose(q, typed)
	if answer.Text != "" && q.FreeText == "" {
		fmt.Fprintf(d.Err, "%q is not one of these%s\n", answer.Text, taken(q))
	}
	return answer, nil
}

// Line reads a line without its end.
func (d *Dialogue) Line(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // ends with the line, or with the process: a terminal read cannot be interrupted
		text, err := d.Lines.ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-read:
		if l.err != nil && l.text == "" {
			return "", event.ErrNoAnswer
		}
		return strings.TrimSpace(l.text), nil
	}
}

// choose returns the choice with this number, name or title.
func choose(q event.Question, typed string) event.Answer {
	for i, c := range q.Choices {
		if typed == fmt.Sprint(i+1) || strings.EqualFold(typed, c.ID) {
			return event.Answer{Choice: c.ID}
		}
	}
	if id, is := q.Chosen(typed); is {
		return event.Answer{Choice: id}
	}
	return event.Answer{Choice: q.Default, Text: typed}
}

// Consent asks the user whether to do something, unless yes is set. done names the action as a participle, such as "installed": the
// error says that nothing was done.
func Consent(ctx context.Context, t Terminal, question, done string, yes bool) error {
	switch {
	case yes:
		return nil
	case !t.Interactive:
		return ExitWith(ExitBlocked, fmt.Sprintf("no terminal to ask for consent, so nothing was %s: use --yes, or run forge in a terminal", done))
	}
	agreed, err := NewDialogue(t).Confirm(ctx, question, "")
	if err == nil && !agreed {
		return ExitWith(ExitCancelled, fmt.Sprintf("nothing was %s", done))
	}
	return err
}

// Confirm asks a yes-or-no question of the program. No answer counts as no.
func (d *Dialogue) Confirm(ctx context.Context, title, detail string) (bool, error) {
	answer, err := d.Decide(ctx, event.Question{
		Title: title, Detail: detail, Choices: []event.Choice{{ID: "yes", Title: "Yes"}, {ID: "no", Title: "No"}}, Default: "no",
	})
	if errors.Is(err, event.ErrNoAnswer) {
		return false, nil
	}
	return err == nil && answer.Choice == "yes", err
}
