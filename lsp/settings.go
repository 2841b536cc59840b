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
// the background, for one answer after the other, so that the newest is applied last.
type settings struct {
	client  *transport.Client
	session *editor.Session
	work    *transport.Tasks
	log     *slog.Logger
	// models receives the settings of models whenever they change; nil drops all settings.
	models func(api.ModelSettings)
	// chosenMode and chosenDomain are those that the settings name; nil until they were read.
	chosenMode, chosenDomain atomic.Pointer[string]

	mu      sync.Mutex    // guards what follows
	applied chan struct{} // closed when the answer that was asked for last is applied; nil if the client was not asked
	limit   time.Time     // no command waits for that answer beyond it
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
			se.await(ctx)
			se.followSettings(ctx)
		})
	})
}

// request asks the client for its settings, and applies them after those that were asked for before.
func (se *settings) request() {
	se.mu.Lock()
	defer se.mu.Unlock()
	earlier, applied := se.applied, make(chan struct{})
	se.applied, se.limit = applied, time.Now().Add(answersWithin)
	se.work.Run("settings", func(ctx context.Context) {
		defer close(applied)
		if earlier != nil {
			<-earlier
		}
		se.readSettings(ctx)
	})
}

// await returns when the settings are applied that the client has been asked for, at the latest answersWithin after that.
func (se *settings) await(ctx context.Context) {
	se.mu.Lock()
	applied, limit := se.applied, se.limit
	se.mu.Unlock()
	if applied == nil {
		return
	}
	ctx, done := context.WithDeadline(ctx, limit)
	defer done()
	select {
	case <-applied:
	case <-ctx.Done():
	}
}

// before returns a handler that waits for the settings first.
func (se *settings) before(handle func(ctx context.Context, args any) (any, error)) func(ctx context.Context, args any) (any, error) {
	return func(ctx context.Context, args any) (any, error) {
		se.await(ctx)
		return handle(ctx, args)
	}
}

// governing are the commands that use the client's settings.
func governing() []string {
	return []string{
		api.Run, api.AskQuestion, api.ReviewCode, api.ReviewFinal, api.GenerateSpec, api.Resume, api.Retry, api.ResumeTask, api.RejectProposal,
		api.Context, api.Status, api.Models, api.Doctor,
	}
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

func (se *settings) readSettings(ctx context.Context) {
	models, mode, domain := modelsSection, modeSection, domainSection
	var answers []protocol.LSPAny
	params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &models}, {Section: &mode}, {Section: &domain}}}
	if err := se.client.Call(ctx, protocol.MethodWorkspaceConfiguration, params, &answers); err != nil {
		se.log.Info("the client does not answer with its settings", "why", err)
		return
	}
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
