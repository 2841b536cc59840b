package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"forge/engine/agent"
	"forge/engine/llm"
	"forge/engine/mode"
)

// Kind is the interface of a provider.
type Kind string

// The kinds.
const (
	KindOpenAI     Kind = "openai"
	KindAnthropic  Kind = "anthropic"
	KindOllama     Kind = "ollama"
	KindMMX        Kind = "mmx"               // MiniMax's command line
	KindCompatible Kind = "openai-compatible" // any server that speaks OpenAI's API
)

// Kinds lists them for users.
func Kinds() []Kind { return []Kind{KindOpenAI, KindAnthropic, KindOllama, KindMMX, KindCompatible} }

// Provider is a provider of models.
type Provider struct {
	Name    string // name in references: "openai", "work"
	Title   string // name for users: "LM Studio"
	Kind    Kind
	BaseURL string // empty with KindMMX
	Key     Key
	// KeySource is the source of the key, for users: "OPENAI_API_KEY", "the keychain". If a required key is
	// missing, Missing describes what to do.
	KeySource string
	Missing   string
	Models    []string // named by the user, the preferred one first; empty leaves the choice to Forge
	Rate      llm.Rate
	Source    string // the setting or variable that defines it: "OPENAI_API_KEY", "~/.forge/config.yaml"
	// Pinned means FORGE_BASE_URL: the default if no provider is named.
	Pinned bool
	// Usual means a known provider that the user did not choose: a service without a key, or an address where a
	// server of this machine usually listens.
	Usual bool
}

// Local reports whether the provider is on this machine. A command line is not: it calls a server elsewhere.
func (p Provider) Local() bool { return p.Kind != KindMMX && OnThisMachine(p.BaseURL) }

// Preferred returns the default model; empty means the server's choice.
func (p Provider) Preferred() string {
	if len(p.Models) > 0 {
		return p.Models[0]
	}
	if p.Kind == KindMMX {
		return preferred(string(KindMMX))
	}
	return preferred(p.Name)
}

// Listed returns the models of a provider that cannot list them.
func (p Provider) Listed() []string {
	if len(p.Models) > 0 {
		return p.Models
	}
	return []string{p.Preferred()}
}

// Place returns the provider's address, for users.
func (p Provider) Place() string {
	if p.Kind == KindMMX {
		return "the command mmx"
	}
	return HostOf(p.BaseURL)
}

// Ref names a model of a provider, or of any provider if Provider is empty. The zero Ref names none.
type Ref struct {
	Provider, Model string
	Source          string // the setting that contains it: "FORGE_MODEL", "models.tiers.reasoning in …"
}

// Named reports whether the reference names a model.
func (r Ref) Named() bool { return r.Model != "" }

// String returns the reference in the form of a setting.
func (r Ref) String() string {
	if r.Provider == "" {
		return r.Model
	}
	return r.Provider + "/" + r.Model
}

// Delivery is how answers arrive.
type Delivery string

// The deliveries. The zero Delivery is Stream.
const (
	Stream Delivery = "stream"
	Sync   Delivery = "sync"  // in one piece
	Batch  Delivery = "batch" // within a day, at a lower price
)

// Budget limits what a run may spend, unless the run sets its own; zero is Forge's default.
type Budget struct {
	Tokens int
	USD    float64
}

// Limits limit what a run may do, besides its budget; zero is Forge's default.
type Limits struct {
	Steps     int // exchanges with models
	ToolCalls int // tools that models use in turns
	Minutes   int // of one execution of a run

	Part    time.Duration // how long a part of a plan may work in one execution
	Silence time.Duration // how long nothing may be heard of a node
}

// Network holds how servers are reached.
type Network struct {
	CAFiles             []string // PEM files with authorities to trust in addition to the system's
	HTTPProxy, AnyProxy string   // URLs of proxies for http, and for https; empty is none
	AllProxy            string   // for other protocols: commands use it, Forge does not
	NoProxy             string   // hosts to reach without a proxy, in the format of NO_PROXY
}

// Settings are the merged settings of all layers.
type Settings struct {
	Folder    string // the folder that they are for; empty is none
	Providers []Provider
	Default   Ref                   // for tiers without their own
	Flagged   bool                  // the command line names Default
	Tiers     map[llm.Tier]Ref      //
	Roles     map[string]llm.Tier   // node of a run -> tier
	Thinking  map[string]int        // node of a run -> tokens that its model may think; others do not think
	Fallback  Ref                   // called if the model of a tier fails
	Delivery  map[llm.Tier]Delivery //
	Offline   bool                  // only servers on this machine are called or searched for
	OnlyRun   bool                  // with Offline: the run says so, whatever the settings say
	Cache     bool
	Budget    Budget
	Network   Network
	Mode      string // for runs that name none; empty is Forge's choice
	Domain    string // for runs that name none; empty is none
	AutoFix   bool   // models' changes are formatted before the gates run
	Limits    Limits
	Bounds    mode.Bounds // zero is Forge's default
	Gates     Gates
	Skills    []string // absolute folders of skills, besides the usual ones
	// Instructions are the names of a project's instruction files; nil means the usual ones.
	Instructions []string
	Tools        Tools
	Web          Web
	MCP          MCPServers
	Permissions  []PermissionRule

	// NoReview omits the reviewer: the user's own completion.requireReview is false.
	NoReview bool

	TagRequests bool
	// Notices are messages about the settings: entries without effect, refused entries.
	Notices []Notice
	// Err is why a file could not be read. Then no model may be called, because the file's restrictions are unknown.
	Err error
}

// Notice is a message about a line of a file, or about the whole file if Line is 0.
type Notice struct {
	File string
	Line int
	Text string
}

// String returns the notice for the user: "~/.forge/config.yaml:3: …".
func (n Notice) String() string {
	switch {
	case n.File == "":
		return n.Text
	case n.Line == 0:
		return n.File + ": " + n.Text
	}
	return fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)
}

// Name makes a model, "model" or "provider/model", the one of all tiers, unless the command line names another one. source says, in messages, who
// named it.
func (s *Settings) Name(model, source string) {
	if !s.Flagged && model != "" {
		s.Default, s.Tiers = s.ref(model, source), nil
	}
}

// ref reads "provider/model". If the part before the slash names no provider, it belongs to the model: some
// model names contain slashes.
func (s *Settings) ref(text, source string) Ref {
	text = strings.TrimSpace(text)
	r := Ref{Model: text, Source: source}
	name, model, found := strings.Cut(text, "/")
	if _, known := s.Provider(name); found && known {
		r.Provider, r.Model = name, model
	}
	return r
}

// Provider finds a provider by its name.
func (s Settings) Provider(name string) (Provider, bool) {
	i := slices.IndexFunc(s.Providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return s.Providers[i], true
}

// Names lists the callable providers, for messages.
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

// thinking is the default number of tokens that the models of nodes may think. A planner thinks; thinking again while a
// plan is carried out would cost twice.
var thinking = map[string]int{"planner": 10_000}

// mostThinking is the largest number of tokens for thinking: more than any model uses in one answer.
const mostThinking = 200_000

// roles returns the default tiers of the nodes of a run: those of the built-in agents, and of the nodes that are no agents. Other nodes get
// llm.Generation.
func roles() map[string]llm.Tier {
	tiers := agent.Tiers()
	maps.Copy(tiers, map[string]llm.Tier{
		"orchestrator": llm.Classification, "spec": llm.Generation, "tests": llm.Generation, "narrator": llm.Summarisation, "memory": llm.Summarisation,
	})
	return tiers
}
