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

// callFolder is the private folder of one call: mmx works in it, and reads confidential files from it.
type callFolder struct {
	dir   string
	env   []string
	tools []string // paths of definitions
}

// passed are the user's environment variables that mmx needs in addition to the sandbox's list.
var passed = []string{
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS",
}

// prepare creates the folder of a call. The caller must call clear.
func (c *Client) prepare(r llm.Request) (_ *callFolder, err error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	f := &callFolder{dir: dir, env: c.environment()}
	defer func() {
		if err != nil {
			f.clear()
		}
	}()
	if c.o.Key != "" {
		if err := f.keep(c.o.Key); err != nil {
			return nil, err
		}
	}
	for i, t := range offered(r) {
		path := filepath.Join(dir, fmt.Sprintf("tool-%d.json", i))
		if err := write(path, t); err != nil {
			return nil, err
		}
		f.tools = append(f.tools, path)
	}
	return f, nil
}

// keep writes the key where mmx looks for it, instead of the user's own configuration.
func (f *callFolder) keep(key string) error {
	config := filepath.Join(f.dir, configDir)
	if err := os.Mkdir(config, 0o700); err != nil {
		return err
	}
	f.env = append(f.env, "MMX_CONFIG_DIR="+config, "HOME="+f.dir) // HOME is for versions without MMX_CONFIG_DIR
	return write(filepath.Join(config, configFile), map[string]string{"api_key": key})
}

// clear removes the folder.
func (f *callFolder) clear() { _ = os.RemoveAll(f.dir) } // a remaining folder is private, and sweep removes it

func write(path string, document any) error {
	encoded, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return os.WriteFile(path, encoded, 0o600)
}

// environment returns mmx's variables in addition to the sandbox's list.
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
	region := ""
	switch found := c.region.Load(); {
	case c.o.BaseURL != "":
		region = "global" // otherwise mmx searches for one and uses it
	case found != nil:
		region = *found
	}
	if region != "" {
		env = append(env, "MINIMAX_REGION="+region)
	}
	return env
}

// learn stores the region of our key, which mmx finds with several requests and writes next to the key, into a temporary file.
func (c *Client) learn(f *callFolder) {
	if c.o.Key == "" || c.region.Load() != nil {
		return
	}
	raw, err := os.ReadFile(filepath.Join(f.dir, configDir, configFile))
	var config struct {
		Region string `json:"region"`
	}
	if err == nil && json.Unmarshal(raw, &config) == nil && config.Region != "" {
		c.region.Store(&config.Region)
	}
}

// arguments returns those of `mmx text chat`. They contain nothing private.
func (c *Client) arguments(r llm.Request, f *callFolder) []string {
	const coolest, warmest = 0.01, 1.0
	argv := []string{
		c.o.Program, "text", "chat", "--messages-file", "-", "--output", "json", "--non-interactive", "--no-color",
		"--temperature", strconv.FormatFloat(min(max(r.Temperature, coolest), warmest), 'g', -1, 64),
		"--timeout", strconv.FormatFloat(r.Within(c.o.Timeout).Seconds(), 'f', -1, 64),
	}
	if c.o.Model != "" {
		argv = append(argv, "--model", c.o.Model)
	}
	if r.MaxTokens > 0 { // thoughts count
		argv = append(argv, "--max-tokens", strconv.Itoa(r.MaxTokens+max(0, r.Thinking)))
	}
	for _, path := range f.tools {
		argv = append(argv, "--tool", path)
	}
	return argv
}
