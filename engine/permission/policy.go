package permission

import (
	"fmt"
	"slices"

	"forge/engine/mode"
	"forge/patch"
)

// Flags are what the user set beforehand. They never allow what is denied, and never answer AskStrict.
type Flags struct {
	Shell          bool `json:",omitempty"` // commands that the settings name need no question
	Network        bool `json:",omitempty"` // reading from the web needs none
	MCP            bool `json:",omitempty"` // tools of MCP servers need none
	Skip           bool `json:",omitempty"` // no call that may be asked about needs one
	Strict         bool `json:",omitempty"` // what executes something or leaves the machine is asked about, each time
	NonInteractive bool `json:",omitempty"` // no user can answer: a question is a denial
}

// allows returns the flag that consents to a kind of action; empty is none.
func (f Flags) allows(k Kind) string {
	switch {
	case f.Shell && k == Command:
		return "--allow-shell"
	case f.Network && k == Web:
		return "--allow-network"
	case f.MCP && k == MCP:
		return "--allow-mcp"
	case f.Skip:
		return "--skip-permissions"
	}
	return ""
}

// FlagFor returns the flag with which the user can consent beforehand to a kind of action; empty if there is none.
func FlagFor(k Kind) string { return Flags{Shell: true, Network: true, MCP: true}.allows(k) }

// Settings return why the user's settings do not allow an action, for the model; empty means that they do, or do not concern it.
type Settings func(a Action) (reason string)

// Policy is what holds for the calls of a run.
type Policy struct {
	Mode     mode.Mode
	Flags    Flags
	Settings []Settings // all of them must allow a call
	Rules    []Rule     // of the user
}

// Finding is what one layer demands.
type Finding struct {
	Verdict      Verdict
	Code, Reason string
}

// Layer is one step of a decision.
type Layer struct {
	Name  string
	Judge func(a Action) Finding
}

// Layers returns the layers of the policy, in order.
func (p Policy) Layers() []Layer {
	return []Layer{
		{"rules", ruled}, {"risk", risky}, {"settings", p.set}, {"user", p.byUser}, {"command", p.commanded}, {"paths", placed},
		{"mode", p.inMode}, {"repetition", repeated}, {"strict", p.strict},
	}
}

// Demand returns the strictest finding of layers; of equal ones, the first.
func Demand(a Action, layers []Layer) Decision {
	d := Decision{Verdict: Allow, Layer: "rules", Digest: a.Digest()}
	for _, l := range layers {
		if f := l.Judge(a); f.Verdict < d.Verdict {
			d.Verdict, d.Layer, d.Code, d.Reason = f.Verdict, l.Name, f.Code, f.Reason
		}
	}
	return d
}

// Decide returns the decision about an action, with what the user has consented to.
func (p Policy) Decide(a Action, c Consent) Decision {
	d := Demand(a, p.Layers())
	if d.Verdict == Deny || d.Verdict == Allow {
		return d
	}
	flag := p.Flags.allows(a.Kind)
	rule, ruled := p.ruledBy(AllowIt, a)
	switch {
	case d.Verdict == Ask && flag != "":
		return d.allowed("flags", flag)
	case d.Verdict == Ask && ruled:
		return d.allowed("user", "your settings say: "+rule.String())
	case d.Verdict == Ask && c.Standing != nil && c.Standing.Covers(d.Digest, c.Now) == nil:
		return d.allowed("grants", "allowed for this "+string(c.Standing.Scope))
	case c.Answer != nil:
		if err := c.Answer.Covers(a, c.Now, c.Used); err != nil {
			return Decision{Verdict: Deny, Layer: "answer", Code: err.Code, Reason: err.Error(), Digest: d.Digest}
		}
		return d.allowed("answer", "the user allowed it "+c.Answer.Scope.words())
	case p.Flags.NonInteractive:
		d.Verdict, d.Layer, d.Code = Deny, "non-interactive", CodeNonInteractive
		d.Reason = "no user can answer (--non-interactive): " + d.Reason
	}
	return d
}

// allowed is the decision after a consent.
func (d Decision) allowed(layer, reason string) Decision {
	return Decision{Verdict: Allow, Layer: layer, Code: "consent", Reason: reason, Digest: d.Digest}
}

// The codes of decisions that fronts know.
const (
	CodeNonInteractive = "non_interactive"
	CodeRepeated       = "repeated_call"
	CodeCritical       = "critical"
	CodeUnknown        = "unknown_command"
	CodeUserRule       = "user_rule"
)

var allows = Finding{Verdict: Allow}

// risky denies what is critical in every mode, with every flag.
func risky(a Action) Finding {
	if a.Risk >= mode.Critical {
		return Finding{Deny, CodeCritical, a.Tool + " is never used"}
	}
	return allows
}

// commanded denies commands that are critical, unless a rule of the user names exactly this one, and commands that name no program. It asks about programs that are not known, in every
// mode.
func (p Policy) commanded(a Action) Finding {
	if a.Kind != Command {
		return allows
	}
	switch found := Judge(a.Argv); found.Class {
	case Critical:
		if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Answer == AllowIt && r.concerns(a) && r.exactly(a) }) {
			return Finding{Ask, CodeCritical, "the command " + found.Reason}
		}
		return Finding{Deny, CodeCritical, "the command is blocked in every mode and with every flag: it " + found.Reason}
	case Unknown:
		return Finding{Ask, CodeUnknown, "the command " + found.Reason}
	}
	return allows
}

// placed denies changes of paths outside of the folder, and in a git directory.
func placed(a Action) Finding {
	if a.Effect != Write {
		return allows
	}
	for _, path := range a.Resources {
		if err := patch.CheckPath(path); err != nil {
			return Finding{Deny, "path", err.Error()}
		}
	}
	return allows
}

// inMode asks about what is riskier than the mode uses by itself. Changes of the run's tree need no question: the user sees them before
// they are applied.
func (p Policy) inMode(a Action) Finding {
	switch {
	case a.Effect == Write && p.Mode.Answers():
		return Finding{Deny, "mode", fmt.Sprintf("the mode %s changes nothing", p.Mode.Name)}
	case a.Effect == Write || p.Mode.Automatic(a.Risk):
		return allows
	}
	return Finding{Ask, "mode", fmt.Sprintf("its risk is %s, and the mode %s uses by itself only what has the risk %s", a.Risk, p.Mode.Name, p.Mode.MaxAutoRisk)}
}

func (p Policy) set(a Action) Finding {
	for _, s := range p.Settings {
		if reason := s(a); reason != "" {
			return Finding{Deny, "settings", reason}
		}
	}
	return allows
}

// Circle is how many identical calls are one too many.
const Circle = 3

// repeated asks about a call that the run has made over and over, with nothing changed in between.
func repeated(a Action) Finding {
	if a.Repeats < Circle-1 {
		return allows
	}
	return Finding{AskStrict, CodeRepeated, fmt.Sprintf("the model has asked for the same %d times, and nothing has changed in between", a.Repeats+1)}
}

func (p Policy) strict(a Action) Finding {
	if p.Flags.Strict && a.Effect >= Exec {
		return Finding{AskStrict, "strict", "with --strict everything that executes something or leaves the machine is asked about"}
	}
	return allows
}
