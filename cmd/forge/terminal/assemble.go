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
	"time"

	"forge/api"
	"forge/codeintel"
	"forge/codeintel/treesitter"
	"forge/engine"
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

// Options are what the parts are made of.
type Options struct {
	Environ  []string // in the form of os.Environ
	Secrets  *secret.Redactor
	Notice   func(text string) // takes what a user should read, as it is
	Version  string            // of the program
	Loopback bool              // this machine is on the public web: for tests, which have no address there
}

// Parts are an engine, the models that it asks, and the settings of both. Close lets go of all of it.
type Parts struct {
	*engine.Engine
	options   Options
	router    *route.Router
	settings  *settings
	connector *connector
	// State is the path of the folder of Forge's own.
	State string
}

// Close ends what runs, and lets go of connections.
func (p *Parts) Close() {
	p.Engine.Close()
	p.router.Close()
}

// closeToOthers makes Forge's own folder, if it is there, one that only its user can enter.
func closeToOthers(dir string) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700) // of another owner, it is refused; then doctor's probe fails too
	}
}

// Open makes the parts from an environment and what flags say of models. It asks no model.
func Open(o Options, flags config.Models) (*Parts, error) {
	env := LookUp(o.Environ)
	state, err := config.StateDir(env)
	if err != nil {
		return nil, err
	}
	closeToOthers(state)
	p := &Parts{options: o, State: state, settings: newSettings(env, o.Secrets, state, flags), connector: newConnector(o.Environ)}
	o.Secrets.LearnFirst(func() { p.settings.of(context.Background(), "") })
	p.router = route.New(route.Options{Settings: p.settings.of, Connector: p.connector})
	p.Engine = engine.New(engine.Options{
		StateDir:        state,
		Environ:         o.Environ,
		Secrets:         o.Secrets,
		Skills:          skillRoots(env),
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

// Configure takes what an editor's settings say of models.
func (p *Parts) Configure(s api.ModelSettings) {
	m := config.Models{
		Default: s.Default, Tiers: s.Tiers, Roles: s.Roles, Thinking: s.Thinking, Fallback: s.Fallback, Delivery: s.Delivery, Cache: s.Cache,
	}
	if s.Offline {
		m.Offline = &s.Offline
	}
	p.settings.configure(m)
}

// Current are the settings that hold in a folder, with what the environment and flags say; empty is no folder.
func (p *Parts) Current(ctx context.Context, folder string) config.Settings {
	return p.router.Settings(ctx, folder)
}

// Written are the settings as files have them.
func (p *Parts) Written(ctx context.Context) config.Settings { return p.settings.of(ctx, "") }

// UserFile is the user's own file of settings; empty where there is no place for one.
func (p *Parts) UserFile() string { return p.settings.sources.UserFile }

// Assigned is the model that writes changes. The error says why there is none.
func (p *Parts) Assigned(ctx context.Context) (model, provider string, err error) {
	found := p.router.Assigned(ctx, "", llm.Generation)
	return found.Model, found.Provider.Title, found.Err
}

// Offers asks a provider for its models, and returns how many there are.
func (p *Parts) Offers(ctx context.Context, s config.Settings, provider config.Provider) (int, error) {
	found, err := p.connector.Models(ctx, s, provider)
	return len(found), err
}

// settingsOf are the settings of a folder, as the engine takes them.
func (o Options) settingsOf(s config.Settings) engine.Settings {
	return engine.Settings{
		Limits: execution.Limits{Tokens: s.Budget.Tokens, MicroUSD: spend.Micro(s.Budget.USD), Duration: time.Duration(s.Limits.Minutes) * time.Minute},
		Cache:  s.Cache, Bounds: s.Bounds, Domain: s.Domain, NoReview: s.NoReview, Mode: s.Mode, KeepFormat: !s.AutoFix, Steps: s.Limits.Steps, ToolCalls: s.Limits.ToolCalls,
		Notices: noticesOf(s), Err: s.Err,
		Checks: checksOf(s.Gates), Skills: dirs(s.Skills), Guides: s.Instructions, Grants: grantsOf(s), Web: o.webOf(s), MCP: o.mcpOf(s),
	}
}

// noticesOf are the notices about settings, for the user to read.
func noticesOf(s config.Settings) []string {
	var texts []string
	for _, n := range s.Notices {
		texts = append(texts, n.String())
	}
	return texts
}

// checksOf are the user's settings of gates, as the engine takes them.
func checksOf(g config.Gates) checks.Settings {
	c := checks.Settings{
		Waived: g.Waived, Timeouts: g.Timeouts, AtFirst: g.AtFirst, Unguarded: g.Unguarded, Network: g.Network, Required: g.Required, Advisory: g.Advisory,
		Processes: g.Processes, Memory: g.Memory, Remeasure: g.Remeasure, WholeSuite: checks.WholeSuite(g.Whole),
	}
	for _, o := range g.Own {
		c.Own = append(c.Own, checks.OwnGate(o))
	}
	return c
}

// NewOutliner reads the symbols of every language there is a grammar for.
func NewOutliner() codeintel.Outliner { return new(treesitter.Outliner) }

// programVersion is another one for every build: whatever an older program found is found again.
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

// LookUp looks variables up; where one is set twice, the last one counts, as for a process.
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

// skillRoots are the folders of the user's own skills: Forge's, then those of Hermes.
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

// dirs are folders of skills that the user's settings name.
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

// grantsOf is what the settings let tools do.
func grantsOf(s config.Settings) tool.Grants {
	var rules []tool.Rule
	for _, r := range s.Permissions {
		rules = append(rules, tool.Rule{Tool: r.Tool, Match: r.Match, Answer: tool.Answer(r.Answer), Source: r.Source})
	}
	return tool.Grants{Commands: s.Tools.Commands, Permissions: rules, MCP: mcpTools(s.MCP), Web: tool.WebGrant{
		Allowed: s.Web.Allowed, Offline: s.Web.Allowed && s.Offline, Hosts: s.Web.Hosts, Searches: s.Web.Allowed && s.Web.Search != "",
	}}
}

// webOf reads the web for tools; nil where the settings do not allow it.
func (o Options) webOf(s config.Settings) tool.Web {
	grant := grantsOf(s).Web
	if !grant.On() {
		return nil
	}
	return o.newReader(s, grant)
}

// newReader makes a reader of the web, which trusts the authorities that the settings name, too.
func (o Options) newReader(s config.Settings, grant tool.WebGrant) *web.Reader {
	reach := web.Options{Grant: grant, Search: s.Web.Search, Authorities: func() (*x509.CertPool, error) {
		return wire.Network{CAFiles: s.Network.CAFiles}.Authorities()
	}}
	if o.Loopback {
		reach.Exempt = netip.Addr.IsLoopback
	}
	return web.New(reach)
}

// Fetch reads one address of the web that the user has named, up to so many bytes.
func (p *Parts) Fetch(ctx context.Context, s config.Settings, address string, limit int) (web.Document, error) {
	return p.options.newReader(s, tool.WebGrant{Allowed: true}).Get(ctx, address, limit)
}
