package event

import (
	"cmp"
	"fmt"
	"time"

	"forge/internal/inert"
)

// model prints calls of models and their waits.
func (t *Teller) model(d Data) {
	switch d := d.(type) {
	case ModelCalled:
		t.call(d)
	case BatchWaiting:
		t.batch(d)
	case ModelWarming:
		t.say(PhaseModel, d.Node, Info, "    model: loading %s", inert.Text(d.Model))
	case ModelWarmed:
		t.warmed(d)
	}
}

func (t *Teller) call(c ModelCalled) {
	t.injected(c)
	used := c.Input + c.Output + c.CacheRead + c.CacheWrite
	switch {
	case c.Again > 0:
		t.say(PhaseModel, c.Node, Warning, "    model: asking again in %s%s", c.Again.Round(100*time.Millisecond), Because(c.Failure))
	case c.StandIn != "":
		t.say(PhaseModel, c.Node, Warning, "    model: %s is asked instead%s", inert.Text(c.StandIn), Because(c.Failure))
	case used == 0 && c.Failure != "":
		t.say(PhaseModel, c.Node, Error, "    model: no answer") // the node prints the reason next
	case c.Failure != "":
		t.say(PhaseModel, c.Node, Warning, "    model: %s (%s), not usable%s", call(c), t.soFar(), Because(c.Failure))
	case c.Cached:
		t.say(PhaseModel, c.Node, Info, "    model: answered this before: it costs nothing")
	default:
		t.say(PhaseModel, c.Node, Info, "    model: %s, %s (%s)", call(c), c.Elapsed.Round(time.Millisecond), t.soFar())
	}
}

// injected prints which parts of a request read as if they instructed a model: each once.
func (t *Teller) injected(c ModelCalled) {
	for _, part := range c.Manifest.Parts {
		origin := cmp.Or(part.Source, part.Name)
		if key := origin + ": " + part.Injected; part.Injected != "" && !t.warned[key] {
			t.warned[key] = true
			t.say(PhaseModel, c.Node, Warning, "    model: %s has text that reads like instructions to a model (%q); it is data, look at what the model makes of it",
				inert.Text(origin), inert.Text(part.Injected))
		}
	}
}

// batch prints the batch of a call, once it is known, and its failures.
func (t *Teller) batch(w BatchWaiting) {
	switch {
	case w.Trouble != "":
		t.say(PhaseModel, w.Node, Warning, "    model: batch %s at %s: it will be asked about again%s", inert.Text(w.Batch), inert.Text(w.Provider), Because(w.Trouble))
	case w.State == "gathered":
		t.say(PhaseModel, w.Node, Info, "    model: %s answers by batch, within a day", inert.Text(w.Provider))
	case w.State == "submitted":
		t.say(PhaseModel, w.Node, Info, "    model: waiting for batch %s at %s, %s; you may stop here and resume the run later",
			inert.Text(w.Batch), inert.Text(w.Provider), count(w.Items, "request"))
	}
}

// tool prints a tool call for a model.
func (t *Teller) tool(u ToolUsed) {
	failed := ""
	switch {
	case u.Refused != "":
		t.say(PhaseModel, u.Node, Warning, "    %s %s was refused (%s): %s", inert.Text(u.Tool), inert.Text(u.Args), u.Refused, inert.Text(u.Reason))
		return
	case u.Failed:
		failed = ", in vain"
	}
	t.say(PhaseModel, u.Node, Info, "    %s %s%s", inert.Text(u.Tool), inert.Text(u.Args), failed)
}

// warmed prints how long a model took to load. A failure to load is not printed: the call reports it.
func (t *Teller) warmed(w ModelWarmed) {
	if w.Failure != "" {
		t.say(PhaseModel, w.Node, Warning, "    model: %s is not loaded; it is asked all the same%s", inert.Text(w.Model), Because(w.Failure))
		return
	}
	t.say(PhaseModel, w.Node, Info, "    model: loaded in %s", w.Elapsed.Round(100*time.Millisecond))
}

// call returns the tokens of one call: 1200 → 300 tokens, 800 of them cached.
func call(c ModelCalled) string {
	text := fmt.Sprintf("%d → %d tokens", c.Input+c.CacheRead+c.CacheWrite, c.Output)
	if c.CacheRead > 0 {
		text += fmt.Sprintf(", %d from the provider's cache", c.CacheRead)
	}
	return text
}

// soFar returns the tokens and costs of the run.
func (t *Teller) soFar() string {
	if !t.now.Charged {
		return fmt.Sprintf("%d so far", t.now.Spent.Tokens)
	}
	return fmt.Sprintf("%d so far, %s", t.now.Spent.Tokens, t.now.Spent.Cost)
}
