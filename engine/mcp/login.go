package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"forge/internal/inert"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// LoginTimeout limits a login, from the first request to the answer of the server with the new token.
const LoginTimeout = 5 * time.Minute

// Login logs the user in to a server over HTTP that asks for it (OAuth 2.1 with PKCE), and keeps the token. show receives the address
// that the user has to open in a browser of this machine, which is then redirected to Forge. clientID names a client that is registered
// with the authorization server; empty registers one.
func Login(ctx context.Context, o Options, s Server, clientID string, show func(address string)) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the redirect of the browser: %w", err)
	}
	answers := make(chan url.Values, 1)
	server := &http.Server{Handler: redirected(answers), ReadHeaderTimeout: CallTimeout}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // ends with Close
	}()
	defer func() { _ = server.Close(); <-ended }()

	r, err := newRemote(context.WithoutCancel(ctx), o, s)
	if err != nil {
		return err
	}
	f := &flow{remote: r, show: show, answers: answers}
	if err := f.prepare("http://"+listener.Addr().String()+callback, clientID, o.Version); err != nil {
		return err
	}
	r.login = f
	c, err := open(ctx, o.Version, r, newRoots(""), LoginTimeout)
	switch {
	case err != nil && f.granted != nil:
		return fmt.Errorf("the server does not accept the token: %w", err)
	case err != nil:
		return err
	}
	_ = c.close() // the tools are listed
	if f.granted == nil {
		return errors.New("the server requires no login")
	}
	r.kept.Login = f.granted
	return r.kept.keep(o.Keys, s.Name)
}

// callback is the path of the redirect of the browser.
const callback = "/callback"

// redirected takes a redirect of the browser for each authorization that waits for one. The browser has its whole answer before Forge goes on, since the listener is closed
// as soon as the login has ended. The state of the redirect is checked by the SDK.
func redirected(answers chan<- url.Values) http.Handler {
	const page = "Forge continues. You can close this window.\n"
	var mu sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callback, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if len(answers) == cap(answers) { // the last one has not been taken
			http.Error(w, "The login is over.", http.StatusGone)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(page))) // without it, the answer ends when this function returns
		_, _ = io.WriteString(w, page)
		_ = http.NewResponseController(w).Flush()
		answers <- r.URL.Query()
	})
	return mux
}

// flow is a login under way. It adds to the SDK's flow where its requests may go.
type flow struct {
	*auth.AuthorizationCodeHandler
	remote   *remote
	show     func(address string)
	answers  <-chan url.Values
	resource string // that the user is asked for
	granted  *login // nil until the authorization server has granted a token
}

func (f *flow) prepare(redirect, clientID, version string) (err error) {
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: f.remote.loginClient(),
		AuthorizationCodeFetcher: f.ask, NewTokenSource: f.grant,
	}
	if clientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: clientID}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Forge", SoftwareID: "forge", SoftwareVersion: version, RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	f.AuthorizationCodeHandler, err = auth.NewAuthorizationCodeHandler(config)
	return err
}

// Authorize implements auth.OAuthHandler.
func (f *flow) Authorize(ctx context.Context, request *http.Request, response *http.Response) error {
	err := f.checkMetadata(ctx, request, response)
	if err == nil {
		err = f.AuthorizationCodeHandler.Authorize(ctx, request, response)
	} else {
		_ = response.Body.Close()
	}
	if err != nil {
		return f.remote.fail(fmt.Errorf("the login failed: %s", inert.OneLine(err.Error(), 300)))
	}
	return nil
}

// checkMetadata requires that the metadata that a challenge names are at the origin of the server, and about this server (RFC 9728,
// section 3.3). The SDK would look for others.
func (f *flow) checkMetadata(ctx context.Context, request *http.Request, response *http.Response) error {
	challenges, err := oauthex.ParseWWWAuthenticate(response.Header.Values("WWW-Authenticate"))
	if err != nil {
		return err
	}
	for _, c := range challenges {
		address := c.Params["resource_metadata"]
		if address == "" {
			continue
		}
		if u, err := url.Parse(address); err != nil || !sameOrigin(u, request.URL) {
			return fmt.Errorf("the server names metadata at another origin, %s", address)
		}
		_, err := oauthex.GetProtectedResourceMetadata(ctx, address, request.URL.String(), f.remote.loginClient())
		return err
	}
	return nil
}

// ask shows the user the address of the authorization server, and waits for the redirect.
func (f *flow) ask(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(a.URL)
	if err != nil {
		return nil, err
	}
	if err := (guarded{server: f.remote.address}).check(u); err != nil {
		return nil, err
	}
	f.resource = u.Query().Get("resource")
	f.show(u.String())
	select {
	case answer := <-f.answers:
		if failed := answer.Get("error"); failed != "" {
			return nil, fmt.Errorf("the authorization server answers %s %s", failed, answer.Get("error_description"))
		}
		return &auth.AuthorizationResult{Code: answer.Get("code"), State: answer.Get("state"), Iss: answer.Get("iss")}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// grant takes the token. It is kept once the server has accepted it.
func (f *flow) grant(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	if t.Type() != "Bearer" {
		return nil, errors.New("the token is not a bearer token")
	}
	f.granted = &login{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, Style: c.Endpoint.AuthStyle, Resource: f.resource, Token: t,
	}
	return oauth2.StaticTokenSource(t), nil
}
