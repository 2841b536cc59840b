package wire

import (
	"fmt"
	"net/http"
	"sync"
)

// Clients creates one client for each network, whose connections all adapters share. The zero value is ready to use. It
// is safe for concurrent use.
type Clients struct {
	mu     sync.Mutex // guards byName
	byName map[string]*http.Client
}

// For returns the client of a network.
func (c *Clients) For(n Network) (*http.Client, error) {
	name := fmt.Sprintf("%#v", n)
	c.mu.Lock()
	client := c.byName[name]
	c.mu.Unlock()
	if client != nil {
		return client, nil
	}
	client, err := n.Client()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if made := c.byName[name]; made != nil { // created by another caller meanwhile
		return made, nil
	}
	if c.byName == nil {
		c.byName = map[string]*http.Client{}
	}
	c.byName[name] = client
	return client, nil
}
