package config

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/mode"
)

// Kind is the way a provider is spoken to.
type Kind string

// The kinds.
const (
	KindOpenAI     Kind = "openai"
	KindAnthropic  Kind = "anthropic"
	KindOllama     Kind = "ollama"
	KindMMX        Kind = "mmx"               // MiniMax's command line
	KindCompatible Kind = "openai-compatible" // any server that speaks OpenAI's API
)

// Kinds lists them, as people read them.
func Kinds() []Kind { return []Kind{KindOpenAI, KindAnthropic, KindOllama, KindMMX, KindCompatible} }

// Provider is somebody who has models.
type Provider struct {
	Name    string // as references name it: "openai", "work"
	Title   string // as people know it: "LM Studio"
	Kind    Kind
	BaseURL string // empty with KindMMX
	Key     Key
	// KeySource says for people where the key comes from: "OPENAI_API_KEY", "the keychain"; where there should be a
	// key and is none, Missing says what to do.
	KeySource string
	Missing   string
	Models    []string // that the user named, the preferred one first; empty leaves them to Forge
	Rate      llm.Rate
	Source    string // the setting or variable that the provider comes from: "OPENAI_API_KEY", "~/.forge/config.yaml"
	// Pinned is FORGE_BASE_URL: what is meant where no provider is named.
	Pinned bool
	// Usual is one that everybody knows of, and that nobody has chosen: a service without a key, or a place where a
	// server of this machine usually listens.
	Usual bool
}

// Local reports whether the provider is on this machine. A command line is not: it asks a server elsewhere.
func (p Provider) Local() bool { return p.Kind != KindMMX && OnThisMachine(p.BaseURL) }

// Preferred is the model that is asked where the user chose none; empty leaves it to what the server has.
func (p Provider) Preferred() string {
	if len(p.Models) > 0 {
		return p.Models[0]
	}
	if p.Kind == KindMMX {
		return preferred(string(KindMMX))
	}
	return preferred(p.Name)
}

// Listed are the models of a provider that cannot be asked for them.
func (p Provider) Listed() []string {
	if len(p.Models) > 0 {
		return p.Models
	}
	return []string{p.Preferred()}
}

// Place says where a provider is, for people.
func (p Provider) Place() string {
	if p.Kind == KindMMX {
		return "the command mmx"
	}
	return HostOf(p.BaseURL)
}

// Ref names a model: of a provider, or of whichever has it where Provider is empty. The zero Ref names none.
type Ref struct {
	Provider, Model string
	Source          string // the setting it comes from: "FORGE_MODEL", "models.tiers.reasoning in …"
}

// Named reports whether the reference names a model.
func (r Ref) Named() bool { return r.Model != "" }

// String is the reference as a setting says it.
func (r Ref) String() string {
	if r.Provider == "" {
		return r.Model
	}
	return r.Provider + "/" + r.Model
}

// Delivery is the way in which answers come.
type Delivery string

// The deliveries. The zero Delivery is Stream.
const (
	Stream Delivery = "stream"
	Sync   Delivery = "sync"  // in one piece
	Batch  Delivery = "batch" // within a day, for less
)

// Budget is what a run may use unless it is told otherwise; zero is Forge's own default.
type Budget struct {
	Tokens int
	USD    float64
}

// Limits are what a run may do beside what it may spend; zero is Forge's own default.
type Limits struct {
	Steps     int // exchanges with models
	ToolCalls int // tools that models use in turns
	Minutes   int // of one life of a run
}

// Network says how servers are reached.
type Network struct {
	CAFiles             []string // PEM files with authorities to trust besides the system's
	HTTPProxy, AnyProxy string   // URLs of proxies for http, and for https; empty is none
	NoProxy             string   // hosts to reach without, as NO_PROXY lists them
}

// Settings are what all layers together say.
type Settings struct {
	Folder    string // where they hold; empty is no folder
	Providers []Provider
	Default   Ref                   // for tiers that have none of their own
	Tiers     map[llm.Tier]Ref      //
	Roles     map[string]llm.Tier   // node of a run -> tier
	Thinking  map[string]int        // node of a run -> tokens that its model may think; others think none
	Fallback  Ref                   // asked when the model of a tier cannot be helped
	Delivery  map[llm.Tier]Delivery //
	Offline   bool                  // nothing but servers on this machine is asked, or looked for
	Cache     bool
	Budget    Budget
	Network   Network
	Mode      string // of runs that name none; empty is Forge's own choice
	Domain    string // of runs that name none; empty is none
	AutoFix   bool   // what models write is formatted before the gates look at it
	Limits    Limits
	Bounds    mode.Bounds // a zero is Forge's own default
	Gates     Gates
	Skills    []string // absolute folders of skills, beside the usual ones
	// Instructions are names of files in which a project says how it wants changes to be; nil are the usual ones.
	Instructions []string
	Tools        Tools
	Web          Web

	// NoReview leaves the reviewer out of runs: the user's own completion.requireReview is false.
	NoReview bool

	TagRequests bool
	// Notices are what the user should know of their settings: keys that mean nothing, what was refused.
	Notices []Notice
	// Err is why a file could not be read at all. Nothing may be asked then: who knows what it forbids.
	Err error
}

// Notice is something about a place in a file, or with Line 0 about all of it.
type Notice struct {
	File string
	Line int
	Text string
}

// String is what the user reads: "~/.forge/config.yaml:3: …".
func (n Notice) String() string {
	switch {
	case n.File == "":
		return n.Text
	case n.Line == 0:
		return n.File + ": " + n.Text
	}
	return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)
}

// Provider finds a provider by its name.
func (s Settings) Provider(name string) (Provider, bool) {
	i := slices.IndexFunc(s.Providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return s.Providers[i], true
}

// Names lists the providers that may be asked, for messages.
func (s Settings) Names() string {
	var names []string
	for _, p := range s.Providers {
		if !p.Usual || p.Missing == "" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Tiers lists the tiers, the most demanding first.
func Tiers() []llm.Tier {
	return []llm.Tier{llm.Reasoning, llm.Generation, llm.Summarisation, llm.Classification}
}

// thinking is how many tokens the models of nodes may think unless the user says otherwise. Who plans thinks; who carries
// out a plan would pay for it twice.
var thinking = map[string]int{"planner": 10_000}

// mostThinking is how many tokens a node may think at most: more than any model does in one answer.
const mostThinking = 200_000

// roles are the tiers of the nodes of a run unless the user says otherwise; others get llm.Generation.
var roles = map[string]llm.Tier{
	"orchestrator": llm.Classification,
	"spec":         llm.Generation,
	"planner":      llm.Reasoning,
	"executor":     llm.Generation,
	"tests":        llm.Generation,
	"review":       llm.Reasoning,
	"debugger":     llm.Reasoning,
	"overseer":     llm.Classification,
	"explorer":     llm.Classification,
	"narrator":     llm.Summarisation,
	"memory":       llm.Summarisation,
}
