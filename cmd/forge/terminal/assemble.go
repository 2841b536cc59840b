package terminal

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/api"
	"forge/codeintel"
	"forge/codeintel/treesitter"
	"forge/engine"
	"forge/engine/agent"
	"forge/engine/checks"
	"forge/engine/config"
	"forge/engine/execution"
	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/engine/prompt"
	"forge/engine/route"
	"forge/engine/secret"
	"forge/engine/spend"
	"forge/engine/tool"
	"forge/engine/web"
)

// Options configure Open.
type Options struct {
	Environ  []string // in the form of os.Environ
	Secrets  *secret.Redactor
	Notice   func(text string) // receives messages for the user
	Version  string            // of the program
	Loopback bool              // treat loopback as public: for tests, which have no public address

	clients *wire.Clients // HTTP clients of adapters and MCP servers
	writing *sync.Mutex   // held while credentials of MCP servers are stored
}

// Parts are an engine, its models, and the settings of both. Close releases all of it.
type Parts struct {
	*engine.Engine
	options   Options
	router    *route.Router
	settings  *settings
	connector *connector
	// State is the path of Forge's own folder.
	State string
}

// Close stops all work and closes connections.
func (p *Parts) Close() {
	p.Engine.Close()
	p.router.Close()
}

// closeToOthers restricts an existing Forge folder to its owner.
func closeToOthers(dir string) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700) // fails for a folder of another owner; then doctor's probe fails too
	}
}

// Open makes the parts from an environment and the model flags. It sends no request to a model.
func Open(o Options, flags config.Models) (*Parts, error) {
	env := LookUp(o.Environ)
	state, err := config.StateDir(env)
	if err != nil {
		return nil, err
	}
	closeToOthers(state)
	connector := newConnector(o.Environ)
	o.clients, o.writing = &connector.clients, new(sync.Mutex)
	p := &Parts{options: o, State: state, settings: newSettings(env, o.Secrets, state, flags), connector: connector}
	o.Secrets.LearnFirst(func() { p.settings.of(context.Background(), "") })
	p.router = route.New(route.Options{Settings: p.settings.of, Connector: p.connector})
	p.Engine = engine.New(engine.Options{
		StateDir:        state,
		Environ:         o.Environ,
		Secrets:         o.Secrets,
		Skills:          skillRoots(env),
		Agents:          agentRoots(env),
		Outliner:        NewOutliner(),
		OutlinerVersion: programVersion(o.Version),
		Guarded:         p.settings.folders(),
		Notice:          o.Notice,
		Chooser:         p.router,
		Batcher:         p.router.Batcher,
		Settings: func(ctx context.Context, folder string) engine.Settings {
			return o.settingsOf(p.router.Settings(ctx, folder))
		},
	})
	return p, nil
}

// Configure applies the model settings of an editor.
func (p *Parts) Configure(s api.ModelSettings) {
	m := config.Models{
		Default: s.Default, Tiers: s.Tiers, Roles: s.Roles, Thinking: s.Thinking, Fallback: s.Fallback, Delivery: s.Delivery, Cache: s.Cache,
	}
	if s.Offline {
		m.Offline = &s.Offline
	}
	p.settings.configure(m)
}

// Current returns the effective settings of a folder, with environment and flags; empty means no folder.
func (p *Parts) Current(ctx context.Context, folder string) config.Settings {
	return p.router.Settings(ctx, folder)
}

// Written returns the settings of the files, without environment and flags.
func (p *Parts) Written(ctx context.Context) config.Settings { return p.settings.of(ctx, "") }

// UserFile returns the path of the user's settings file; empty if Forge has no folder for one.
func (p *Parts) UserFile() string { return p.settings.sources.UserFile }

// Assigned returns the model that writes changes. The error says why there is none.
func (p *Parts) Assigned(ctx context.Context) (model, provider string, err error) {
	found := p.router.Assigned(ctx, "", llm.Generation)
	return found.Model, found.Provider.Title, found.Err
}

// Offers requests the models of a provider and returns their number.
func (p *Parts) Offers(ctx context.Context, s config.Settings, provider config.Provider) (int, error) {
	found, err := p.connector.Models(ctx, s, provider)
	return len(found), err
}

// settingsOf converts the settings of a folder for the engine.
func (o Options) settingsOf(s config.Settings) engine.Settings {
	return engine.Settings{
		Limits: execution.Limits{Tokens: s.Budget.Tokens, MicroUSD: spend.Micro(s.Budget.USD), Duration: time.Duration(s.Limits.Minutes) * time.Minute},
		Cache:  s.Cache, Bounds: s.Bounds, Domain: s.Domain, NoReview: s.NoReview, Mode: s.Mode, KeepFormat: !s.AutoFix, Steps: s.Limits.Steps, ToolCalls: s.Limits.ToolCalls,
		Patience: execution.Patience{Part: s.Limits.Part, Silence: s.Limits.Silence},
		Notices:  noticesOf(s), Err: s.Err,
		Checks: checksOf(s), Roles: s.Roles, Skills: dirs(s.Skills), Guides: s.Instructions, Grants: grantsOf(s), Web: o.webOf(s), MCP: o.mcpOf(s),
	}
}

// noticesOf returns the notices about settings, for the user.
func noticesOf(s config.Settings) []string {
	var texts []string
	for _, n := range s.Notices {
		texts = append(texts, n.String())
	}
	return texts
}

// checksOf converts the user's gate settings for the engine.
func checksOf(s config.Settings) checks.Settings {
	g, n := s.Gates, s.Network
	c := checks.Settings{
		Waived: g.Waived, Timeouts: g.Timeouts, AtFirst: g.AtFirst, Unguarded: g.Unguarded, Network: g.Network, Proxies: n.Variables(), Required: g.Required, Advisory: g.Advisory,
		Processes: g.Processes, Memory: g.Memory, Remeasure: g.Remeasure, Offline: s.Offline, WholeSuite: checks.WholeSuite(g.Whole),
	}
	for _, o := range g.Own {
		c.Own = append(c.Own, checks.OwnGate(o))
	}
	return c
}

// NewOutliner returns an outliner of all languages with a grammar.
func NewOutliner() codeintel.Outliner { return new(treesitter.Outliner) }

// programVersion differs for every build, so that results of an older program are recomputed.
func programVersion(version string) string {
	file, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(file)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
}

// LookUp returns a lookup function of variables; the last definition of a variable counts, as for a process.
func LookUp(environ []string) config.Environ {
	return func(name string) string {
		for _, e := range slices.Backward(environ) {
			if value, is := strings.CutPrefix(e, name+"="); is {
				return value
			}
		}
		return ""
	}
}

// skillRoots are the folders of the user's own skills: Forge's, then Hermes'.
func skillRoots(env config.Environ) []prompt.SkillRoot {
	home := HomeOf(env)
	var roots []prompt.SkillRoot
	if own := env("FORGE_HOME"); own != "" {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(own, "skills")), Name: "$FORGE_HOME/skills"})
	} else if filepath.IsAbs(home) {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(home, ".forge", "skills")), Name: "~/.forge/skills"})
	}
	if filepath.IsAbs(home) {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(filepath.Join(home, ".hermes", "skills")), Name: "~/.hermes/skills"})
	}
	return roots
}

// agentRoots are the folders of the user's own agents.
func agentRoots(env config.Environ) []agent.Root {
	if own := env("FORGE_HOME"); own != "" {
		return []agent.Root{{FS: os.DirFS(filepath.Join(own, "agents")), Name: "$FORGE_HOME/agents", Links: true}}
	}
	if home := HomeOf(env); filepath.IsAbs(home) {
		return []agent.Root{{FS: os.DirFS(filepath.Join(home, ".forge", "agents")), Name: "~/.forge/agents", Links: true}}
	}
	return nil
}

// dirs are the skill folders of the user's settings.
func dirs(paths []string) (roots []prompt.SkillRoot) {
	for _, path := range paths {
		roots = append(roots, prompt.SkillRoot{FS: os.DirFS(path), Name: path})
	}
	return roots
}

// HomeOf is the user's home; empty if unknown.
func HomeOf(env config.Environ) string {
	if home := env("HOME"); home != "" {
		return home
	}
	return env("USERPROFILE") // Windows
}

// grantsOf returns what the settings allow tools to do.
func grantsOf(s config.Settings) tool.Grants {
	var rules []tool.Rule
	for _, r := range s.Permissions {
		rules = append(rules, tool.Rule{Tool: r.Tool, Match: r.Match, Answer: tool.Answer(r.Answer), Source: r.Source})
	}
	return tool.Grants{Commands: s.Tools.Commands, Permissions: rules, MCP: mcpTools(s.MCP), Web: tool.WebGrant{
		Allowed: s.Web.Allowed, Offline: s.Web.Allowed && s.Offline, Hosts: s.Web.Hosts, Searches: s.Web.Allowed && s.Web.Search != "",
	}}
}

// webOf returns the web reader of tools; nil if the settings do not allow it.
func (o Options) webOf(s config.Settings) tool.Web {
	grant := grantsOf(s).Web
	if !grant.On() {
		return nil
	}
	return o.newReader(s, grant)
}

// newReader returns a web reader, which also trusts the certificate authorities of the settings.
func (o Options) newReader(s config.Settings, grant tool.WebGrant) *web.Reader {
	reach := web.Options{Grant: grant, Search: s.Web.Search, Authorities: func() (*x509.CertPool, error) {
		return wire.Network{CAFiles: s.Network.CAFiles}.Authorities()
	}}
	if o.Loopback {
		reach.Exempt = netip.Addr.IsLoopback
	}
	return web.New(reach)
}

// Fetch reads a web address that the user has named, up to limit bytes.
func (p *Parts) Fetch(ctx context.Context, s config.Settings, address string, limit int) (web.Document, error) {
	return p.options.newReader(s, tool.WebGrant{Allowed: true}).Get(ctx, address, limit)
}
