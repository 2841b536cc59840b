package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
)

// Keys keeps the credentials of servers where other users cannot read them.
type Keys interface {
	// Read returns what was written for a server; empty if nothing was.
	Read(server string) (string, error)
	// Write replaces what is kept for a server; an empty text removes it.
	Write(server, text string) error
}

// credentials are what a server over HTTP requires of the user.
//
// Invariant: they are sent to the address that they were kept for, and to no other one that the server has later.
type credentials struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Login   *login            `json:"login,omitempty"`
}

// login is what an authorization server has granted.
type login struct {
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	TokenURL     string           `json:"token_url"`
	Style        oauth2.AuthStyle `json:"style,omitempty"`
	Resource     string           `json:"resource"` // that the token is for (RFC 8707)
	Token        *oauth2.Token    `json:"token"`
}

func readCredentials(k Keys, s Server) (c credentials, err error) {
	none := credentials{URL: s.URL}
	if k == nil {
		return none, nil
	}
	text, err := k.Read(s.Name)
	if err != nil {
		return none, fmt.Errorf("read the credentials: %w", err)
	}
	if text == "" {
		return none, nil
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return none, errors.New("the credentials are damaged: remove the server, and add it again")
	}
	if c.URL != s.URL {
		return none, nil
	}
	return c, nil
}

func (c credentials) keep(k Keys, server string) error {
	if k == nil {
		return errors.New("credentials cannot be kept here")
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := k.Write(server, string(text)); err != nil {
		return fmt.Errorf("keep the credentials: %w", err)
	}
	return nil
}

// Secrets returns the secret values in a text that Keys keeps.
func Secrets(text string) (values []string) {
	var c credentials
	if json.Unmarshal([]byte(text), &c) != nil {
		return nil
	}
	for _, value := range c.Headers {
		values = append(values, value)
		if _, token, found := strings.Cut(value, " "); found { // as in "Bearer TOKEN"
			values = append(values, token)
		}
	}
	if l := c.Login; l != nil && l.Token != nil {
		values = append(values, l.ClientSecret, l.Token.AccessToken, l.Token.RefreshToken)
	}
	return values
}

// KeepHeader keeps a header that is sent with each request to a server.
func KeepHeader(k Keys, s Server, name, value string) error {
	switch name = http.CanonicalHeaderKey(name); {
	case !isToken(name) || strings.HasPrefix(name, "Mcp-") || strings.HasPrefix(name, "Content-") || name == "Host" || name == "Accept":
		return fmt.Errorf("%q is not a header that can be set", name)
	case value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("the value of %s is empty, or has characters that a header cannot have", name)
	}
	c, err := readCredentials(k, s)
	if err != nil {
		return err
	}
	if c.Headers == nil {
		c.Headers = map[string]string{}
	}
	c.Headers[name] = value
	return c.keep(k, s.Name)
}

// isToken reports whether a text can be the name of a header.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}
