package acp

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/mode"
)

// agent answers the methods of the protocol. It owns the sessions of the connection.
type agent struct {
	options  Options
	log      *slog.Logger
	patience time.Duration
	conn     *sdk.AgentSideConnection
	out      *outlet
	ending   context.Context //nolint:containedctx // done when the connection ends, or must end
	work     sync.WaitGroup  // turns, and messages that follow answers

	mu       sync.Mutex
	closed   bool                       // guarded by mu
	can      sdk.ClientCapabilities     // guarded by mu
	sessions map[sdk.SessionId]*session // guarded by mu
}

// The codes of JSON-RPC errors that requests get.
const (
	codeInvalid  = -32602
	codeInternal = -32603
)

func invalid(text string) error { return &sdk.RequestError{Code: codeInvalid, Message: text} }

// failed is an error of the engine as an answer.
func failed(err error) error { return &sdk.RequestError{Code: codeInternal, Message: err.Error()} }

// Initialize answers the handshake. Forge needs no authentication of the client.
func (a *agent) Initialize(_ context.Context, p sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.can = p.ClientCapabilities
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "forge", Title: new("Forge"), Version: a.options.Version},
		AuthMethods:     []sdk.AuthMethod{},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: sdk.PromptCapabilities{EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{
				List: &sdk.SessionListCapabilities{}, Resume: &sdk.SessionResumeCapabilities{}, Close: &sdk.SessionCloseCapabilities{},
			},
		},
	}, nil
}

// fs returns what the client does with files.
func (a *agent) fs() sdk.FileSystemCapabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.can.Fs
}

// Authenticate rejects every method: Forge announces none.
func (a *agent) Authenticate(_ context.Context, p sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, invalid("methodId: " + p.MethodId + " is unknown; Forge needs no authentication. Keys of providers are stored by forge setup")
}

// Logout has no effect: there is no login.
func (a *agent) Logout(context.Context, sdk.LogoutRequest) (sdk.LogoutResponse, error) {
	return sdk.LogoutResponse{}, nil
}

// NewSession opens a conversation about a folder.
func (a *agent) NewSession(ctx context.Context, p sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	s, err := a.open(ctx, newSessionID(), p.Cwd)
	if err != nil {
		return sdk.NewSessionResponse{}, err
	}
	a.out.afterMessage(string(s.id), func() {
		a.start(func() { s.update(commandsUpdate()) })
	})
	return sdk.NewSessionResponse{SessionId: s.id, Modes: s.modes(), ConfigOptions: s.options()}, nil
}

// open adds a session of a folder.
func (a *agent) open(ctx context.Context, id sdk.SessionId, cwd string) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalid("cwd: " + cwd + " is not an absolute path")
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		return nil, invalid("cwd: " + cwd + " is not a folder")
	}
	s := newSession(a, id, filepath.Clean(cwd))
	s.usual = a.usualMode(ctx, s.root)
	if err := a.options.Engine.Tidy(ctx, s.root); err != nil {
		a.log.Warn("a change that was interrupted is not settled", "folder", s.root, "why", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if before := a.sessions[id]; before != nil {
		before.stop()
	}
	a.sessions[id] = s
	return s, nil
}

// usualMode returns the mode of runs for which the client chooses none, as the user's settings define it.
func (a *agent) usualMode(ctx context.Context, root string) string {
	usual := ""
	if a.options.Usual != nil {
		set, domain := a.options.Usual(ctx, root)
		usual = cmp.Or(set, string(mode.Domain(domain).Means().Mode))
	}
	if m, err := mode.Lookup(usual); err == nil {
		usual = string(m.Name)
	}
	return usual
}

// session returns an open session.
func (a *agent) session(id sdk.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, invalid("sessionId: no session " + string(id) + " is open; session/new opens one, session/load an earlier one")
}

// Prompt runs a turn.
func (a *agent) Prompt(ctx context.Context, p sdk.PromptRequest) (sdk.PromptResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	answer := sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}
	worked := make(chan struct{})
	if !a.start(func() {
		defer close(worked)
		answer, err = s.prompt(ctx, p.Prompt)
	}) {
		close(worked)
	}
	<-worked
	return answer, err
}

// start does work in a goroutine that the end of the connection waits for. It reports false if the connection has ended.
func (a *agent) start(work func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.work.Go(work)
	return true
}

// close waits for all work; no work starts any more.
func (a *agent) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.work.Wait()
}

// Cancel cancels the turn of a session.
func (a *agent) Cancel(_ context.Context, p sdk.CancelNotification) error {
	s, err := a.session(p.SessionId)
	if err == nil {
		s.stop()
	}
	return err
}

// CloseSession cancels what works in a session, and forgets the session; its runs stay.
func (a *agent) CloseSession(_ context.Context, p sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return sdk.CloseSessionResponse{}, err
	}
	s.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, p.SessionId)
	return sdk.CloseSessionResponse{}, nil
}

// SetSessionMode sets the mode of the next runs of a session.
func (a *agent) SetSessionMode(_ context.Context, p sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return sdk.SetSessionModeResponse{}, err
	}
	return sdk.SetSessionModeResponse{}, s.setMode(string(p.ModeId))
}

// SetSessionConfigOption sets the mode, which is the only option: newer clients know options instead of modes.
func (a *agent) SetSessionConfigOption(_ context.Context, p sdk.SetSessionConfigOptionRequest) (sdk.SetSessionConfigOptionResponse, error) {
	if p.ValueId == nil || p.ValueId.ConfigId != optionMode {
		return sdk.SetSessionConfigOptionResponse{}, invalid("configId: the only option is " + optionMode + ", and its value is the name of a mode")
	}
	s, err := a.session(p.ValueId.SessionId)
	if err != nil {
		return sdk.SetSessionConfigOptionResponse{}, err
	}
	if err := s.setMode(string(p.ValueId.Value)); err != nil {
		return sdk.SetSessionConfigOptionResponse{}, err
	}
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: s.options()}, nil
}

// left reports whether the client is gone or the process must end, as opposed to a cancelled turn.
func (a *agent) left() bool {
	select {
	case <-a.conn.Done():
		return true
	case <-a.ending.Done():
		return true
	default:
		return false
	}
}
