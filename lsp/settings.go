package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// modelsSection is the part of a client's settings that is about models.
const modelsSection = "forge.models"

// settings are the client's settings of models and runs. It owns them, and may call the client and models.
// They are trusted no more than the folder, because the client may have read them from it. The client is asked for them in
// the background; the answer to an earlier question is not applied after that to a later one.
type settings struct {
	client  *transport.Client
	session *editor.Session
	work    *transport.Tasks
	log     *slog.Logger
	// models receives the settings of models whenever they change; nil drops all settings.
	models func(api.ModelSettings)
	// chosenMode and chosenDomain are those that the settings name; nil until they were read.
	chosenMode, chosenDomain atomic.Pointer[string]

	mu       sync.Mutex    // guards what follows, and orders the application of answers
	asked    int           // how often the client was asked
	applied  int           // which of these questions has the answer that is in effect
	answered chan struct{} // closed when the answer to the last question is applied, or there is none; nil if the client was not asked
	limit    time.Time     // no command waits for that answer beyond it
}

// answersWithin is how long commands wait for a client that does not answer with its settings.
const answersWithin = 2 * time.Second

// register has the settings read when the session begins, and whenever they change.
func (se *settings) register(s *Server) {
	transport.OnNotification(s.dispatcher, protocol.MethodWorkspaceDidChangeConfiguration, se.didChangeSettings)
	s.onInitialized(func() {
		if se.models == nil || !se.session.Features().Configuration {
			return
		}
		se.request()
		se.work.Run("changes of settings", func(ctx context.Context) {
			if se.await(ctx) == nil {
				se.followSettings(ctx)
			}
		})
	})
}

// request asks the client for its settings, and applies the answer.
func (se *settings) request() {
	se.mu.Lock()
	defer se.mu.Unlock()
	se.asked++
	number, answered := se.asked, make(chan struct{})
	se.answered, se.limit = answered, time.Now().Add(answersWithin)
	se.work.Run("settings", func(ctx context.Context) {
		defer close(answered)
		se.readSettings(ctx, number)
	})
}

// await returns when the settings are applied that the client has been asked for, at the latest answersWithin after that. It
// returns the error of ctx.
func (se *settings) await(ctx context.Context) error {
	se.mu.Lock()
	answered, limit := se.answered, se.limit
	se.mu.Unlock()
	if answered != nil {
		within, done := context.WithDeadline(ctx, limit)
		defer done()
		select {
		case <-answered:
		case <-within.Done():
		}
	}
	return ctx.Err()
}

// before returns a handler that waits for the settings first.
func (se *settings) before(handle func(ctx context.Context, args any) (any, error)) func(ctx context.Context, args any) (any, error) {
	return func(ctx context.Context, args any) (any, error) {
		if err := se.await(ctx); err != nil {
			return nil, err
		}
		return handle(ctx, args)
	}
}

// consulting are the commands that use models or gates as the client's settings have them, and start no run. Those that start one wait for the
// settings themselves, after they have read the user's texts.
func consulting() []string {
	return []string{api.Status, api.Models, api.Doctor, api.Validate, api.CheckProposal, api.Explore}
}

// followSettings asks the client to report changes, if the client can.
func (se *settings) followSettings(ctx context.Context) {
	if !se.session.Features().FollowSettings {
		return
	}
	name := protocol.String("forge")
	options, err := protocol.Marshal(&protocol.DidChangeConfigurationRegistrationOptions{Section: &name})
	if err == nil {
		err = se.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "forge/settings", Method: protocol.MethodWorkspaceDidChangeConfiguration, RegisterOptions: options,
		}}})
	}
	if err != nil {
		se.log.Info("the client does not report changed settings; they are read when it starts Forge", "why", err)
	}
}

// didChangeSettings handles workspace/didChangeConfiguration. A client that can be asked is asked; for other
// clients, the notification carries the settings.
func (se *settings) didChangeSettings(_ context.Context, p *protocol.DidChangeConfigurationParams) {
	if se.models == nil {
		return
	}
	if se.session.Features().Configuration {
		se.request()
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
		se.configure(all.Forge.Models)
		se.configureMode(all.Forge.Mode)
		se.configureDomain(all.Forge.Domain)
	}
}

// readSettings asks the client for its settings. It applies the answer, unless that to a later question was applied already.
func (se *settings) readSettings(ctx context.Context, number int) {
	models, mode, domain := modelsSection, modeSection, domainSection
	var answers []protocol.LSPAny
	params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &models}, {Section: &mode}, {Section: &domain}}}
	if err := se.client.Call(ctx, protocol.MethodWorkspaceConfiguration, params, &answers); err != nil {
		se.log.Info("the client does not answer with its settings", "why", err)
		return
	}
	se.mu.Lock()
	defer se.mu.Unlock()
	if number < se.applied {
		return
	}
	se.applied = number
	if len(answers) > 0 {
		se.configure(json.RawMessage(answers[0]))
	}
	if len(answers) > 1 {
		se.configureMode(json.RawMessage(answers[1]))
	}
	if len(answers) > 2 {
		se.configureDomain(json.RawMessage(answers[2]))
	}
}

// configure adopts settings. If they cannot be read, the earlier ones stay in effect.
func (se *settings) configure(raw json.RawMessage) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var said api.ModelSettings
	if err := json.Unmarshal(raw, &said); err != nil {
		se.log.Warn("the settings forge.models cannot be read, and are left as they were", "why", err)
		return
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&api.ModelSettings{}); err != nil {
		se.log.Warn("a part of the settings forge.models has no effect", "why", err)
	}
	se.models(said)
}
