package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/config"
)

// section is the part of a client's settings that is about models.
const section = "forge.models"

// registerSettings reads what the client's settings say of models: when the session begins, and whenever they change.
// They are no more trusted than the folder, which may be where the client has them from.
func (f *front) registerSettings() {
	onNotification(f.server, protocol.MethodWorkspaceDidChangeConfiguration, f.didChangeSettings)
	f.server.onInitialized(func() {
		if f.server.options.Configure == nil || !f.server.features().configuration {
			return
		}
		f.server.Go("settings", func(ctx context.Context) {
			f.readSettings(ctx)
			f.followSettings(ctx)
		})
	})
}

// followSettings asks to be told of changes, where that can be asked.
func (f *front) followSettings(ctx context.Context) {
	if !f.server.features().followSettings {
		return
	}
	name := protocol.String("forge")
	options, err := protocol.Marshal(&protocol.DidChangeConfigurationRegistrationOptions{Section: &name})
	if err == nil {
		err = f.client().RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "forge/settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
		}}})
	}
	if err != nil {
		f.server.log.Info("the client does not tell of changed settings; they are read when it starts Forge", "why", err)
	}
}

// didChangeSettings handles workspace/didChangeConfiguration. A client that can be asked is asked; of others the
// notification has the settings.
func (f *front) didChangeSettings(_ context.Context, p *protocol.DidChangeConfigurationParams) {
	if f.server.options.Configure == nil {
		return
	}
	if f.server.features().configuration {
		f.server.Go("settings", f.readSettings)
		return
	}
	var all struct {
		Forge struct {
			Models json.RawMessage `json:"models"`
			Mode   json.RawMessage `json:"mode"`
			Domain json.RawMessage `json:"domain"`
		} `json:"forge"`
	}
	if json.Unmarshal(p.Settings, &all) == nil {
		f.configure(all.Forge.Models)
		f.configureMode(all.Forge.Mode)
		f.configureDomain(all.Forge.Domain)
	}
}

func (f *front) readSettings(ctx context.Context) {
	models, runs, domain := section, modeSection, domainSection
	var answers []protocol.LSPAny
	params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &models}, {Section: &runs}, {Section: &domain}}}
	if err := f.client().Call(ctx, protocol.MethodWorkspaceConfiguration, params, &answers); err != nil {
		f.server.log.Info("the client does not tell its settings", "why", err)
		return
	}
	if len(answers) > 0 {
		f.configure(json.RawMessage(answers[0]))
	}
	if len(answers) > 1 {
		f.configureMode(json.RawMessage(answers[1]))
	}
	if len(answers) > 2 {
		f.configureDomain(json.RawMessage(answers[2]))
	}
}

// configure takes settings over. Where they cannot be read, those before hold.
func (f *front) configure(raw json.RawMessage) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var said api.ModelSettings
	if err := json.Unmarshal(raw, &said); err != nil {
		f.server.log.Warn("the settings forge.models cannot be read, and are left as they were", "why", err)
		return
	}
	f.server.options.Configure(modelsOf(said))
}

func modelsOf(s api.ModelSettings) config.Models {
	m := config.Models{
		Default: s.Default, Tiers: s.Tiers, Roles: s.Roles, Thinking: s.Thinking, Fallback: s.Fallback, Delivery: s.Delivery, Cache: s.Cache,
	}
	if s.Offline {
		m.Offline = &s.Offline
	}
	return m
}
