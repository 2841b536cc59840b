package mmx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"forge/engine/llm"
)

// desk is the private folder of one call: mmx works in it, and reads from it what must not be seen by others.
type desk struct {
	dir   string
	env   []string
	tools []string // paths of definitions
}

// passed are variables of the user's environment that mmx needs beside the sandbox's own list.
var passed = []string{
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS",
}

// prepare makes the folder of a call. clear must be called.
func (c *Client) prepare(r llm.Request) (_ *desk, err error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	d := &desk{dir: dir, env: c.environment()}
	defer func() {
		if err != nil {
			d.clear()
		}
	}()
	if c.o.Key != "" {
		if err := d.keep(c.o.Key); err != nil {
			return nil, err
		}
	}
	for i, t := range offered(r) {
		path := filepath.Join(dir, fmt.Sprintf("tool-%d.json", i))
		if err := write(path, t); err != nil {
			return nil, err
		}
		d.tools = append(d.tools, path)
	}
	return d, nil
}

// keep writes the key where mmx looks for it, instead of the user's own configuration.
func (d *desk) keep(key string) error {
	config := filepath.Join(d.dir, configDir)
	if err := os.Mkdir(config, 0o700); err != nil {
		return err
	}
	d.env = append(d.env, "MMX_CONFIG_DIR="+config, "HOME="+d.dir) // HOME is for versions that do not know the other
	return write(filepath.Join(config, configFile), map[string]string{"api_key": key})
}

// clear takes everything away.
func (d *desk) clear() { _ = os.RemoveAll(d.dir) } // what is left is private, and there is nobody to tell

func write(path string, document any) error {
	encoded, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return os.WriteFile(path, encoded, 0o600)
}

// environment is what mmx gets beside the sandbox's own list.
func (c *Client) environment() []string {
	var env []string
	for _, entry := range c.o.Environ {
		name, _, _ := strings.Cut(entry, "=")
		for _, known := range passed {
			if name == known {
				env = append(env, entry)
			}
		}
		if name == "MMX_CONFIG_DIR" && c.o.Key == "" {
			env = append(env, entry)
		}
	}
	if c.o.BaseURL != "" {
		env = append(env, "MINIMAX_BASE_URL="+c.o.BaseURL)
	}
	region := c.o.Region
	switch found := c.region.Load(); {
	case region != "":
	case c.o.BaseURL != "":
		region = "global" // else mmx looks for one, and goes there instead
	case found != nil:
		region = *found
	}
	if region != "" {
		env = append(env, "MINIMAX_REGION="+region)
	}
	return env
}

// learn keeps the region that mmx found out for our key, which takes it several requests: it wrote it beside the key,
// and that file goes away.
func (c *Client) learn(d *desk) {
	if c.o.Key == "" || c.o.Region != "" || c.region.Load() != nil {
		return
	}
	raw, err := os.ReadFile(filepath.Join(d.dir, configDir, configFile))
	var config struct {
		Region string `json:"region"`
	}
	if err == nil && json.Unmarshal(raw, &config) == nil && config.Region != "" {
		c.region.Store(&config.Region)
	}
}

// arguments are those of `mmx text chat`. There is nothing private in them.
func (c *Client) arguments(r llm.Request, d *desk) []string {
	const coolest, warmest = 0.01, 1.0
	argv := []string{
		c.o.Program, "text", "chat", "--messages-file", "-", "--output", "json", "--non-interactive", "--no-color",
		"--temperature", strconv.FormatFloat(min(max(r.Temperature, coolest), warmest), 'g', -1, 64),
		"--timeout", strconv.FormatFloat(c.o.Timeout.Seconds(), 'f', -1, 64),
	}
	if c.o.Model != "" {
		argv = append(argv, "--model", c.o.Model)
	}
	if r.MaxTokens > 0 { // what is thought counts
		argv = append(argv, "--max-tokens", strconv.Itoa(r.MaxTokens+max(0, r.Thinking)))
	}
	for _, path := range d.tools {
		argv = append(argv, "--tool", path)
	}
	return argv
}
