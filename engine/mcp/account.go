package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"forge/internal/inert"

	"golang.org/x/oauth2"
)

// account adds the token of a login to the requests of a run, and renews it. It never asks the user.
type account struct {
	server string
	keys   Keys
	remote *remote

	mu   sync.Mutex // guards kept
	kept credentials
}

// tokens is a source of tokens.
type tokens func() (*oauth2.Token, error)

// Token implements oauth2.TokenSource.
func (t tokens) Token() (*oauth2.Token, error) { return t() }

// TokenSource implements auth.OAuthHandler.
func (a *account) TokenSource(context.Context) (oauth2.TokenSource, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept.Login == nil {
		return nil, nil
	}
	return tokens(a.token), nil
}

func (a *account) token() (*oauth2.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept.Login.Token.Valid() {
		return a.kept.Login.Token, nil
	}
	return a.renew()
}

// Authorize implements auth.OAuthHandler: it renews a token that the server rejects, once.
func (a *account) Authorize(_ context.Context, request *http.Request, response *http.Response) error {
	_ = response.Body.Close()
	if response.StatusCode == http.StatusForbidden {
		return a.remote.fail(errors.New("the server forbids the request (403)"))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.kept.Login; l == nil || l.Token.RefreshToken == "" || request.Header.Get("Authorization") != "Bearer "+l.Token.AccessToken {
		return a.remote.fail(a.missing("the server requires a login (401)"))
	}
	_, err := a.renew()
	return err
}

// renew exchanges the refresh token for another token. Another process may have done so since the credentials were read.
func (a *account) renew() (*oauth2.Token, error) {
	rejected := a.kept.Login.Token.AccessToken
	if now, err := readCredentials(a.keys, Server{Name: a.server, URL: a.kept.URL}); err == nil && now.Login != nil {
		a.kept = now
	}
	l := *a.kept.Login
	if l.Token.Valid() && l.Token.AccessToken != rejected {
		return l.Token, nil
	}
	if l.Token.RefreshToken == "" {
		return nil, a.remote.fail(a.missing("the login has expired"))
	}
	client := a.remote.loginClient()
	endpoint := oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.Style}
	config := oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Endpoint: endpoint}
	// The code has no value, and so counts as omitted (RFC 6749, section 3.2).
	token, err := config.Exchange(context.WithValue(a.remote.alive, oauth2.HTTPClient, client), "",
		oauth2.SetAuthURLParam("grant_type", "refresh_token"), oauth2.SetAuthURLParam("refresh_token", l.Token.RefreshToken),
		oauth2.SetAuthURLParam("resource", l.Resource))
	if err != nil {
		return nil, a.remote.fail(a.missing("the login could not be renewed: " + inert.OneLine(err.Error(), 200)))
	}
	l.Token, a.kept.Login = token, &l
	return token, a.kept.keep(a.keys, a.server)
}

func (a *account) missing(why string) error {
	return fmt.Errorf("%s: log in with forge mcp login %s", why, a.server)
}
