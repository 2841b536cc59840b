package api

import (
	"net/url"
	"path/filepath"
	"strings"
)

// InFolder is embedded in the arguments of commands about one workspace folder.
type InFolder struct {
	Folder string `json:"folder,omitempty" doc:"URI of the workspace folder; without it the only one"`
}

// NamedFolder returns the URI of the folder in the arguments; empty if there is none.
func (f InFolder) NamedFolder() string { return f.Folder }

// Restriction is what a client knows of the trust of its workspace, in the initializationOptions and in the notification forge/restrict.
type Restriction struct {
	Restricted bool `json:"restricted" doc:"the user does not trust the workspace in this client: nothing of its folders is executed, also of those that the user trusts elsewhere"`
}

// FileURI returns the URI of a local file or folder.
func FileURI(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// FilePath returns the path of a file URI; empty for other URIs.
func FilePath(uri string) string {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme != "file" {
		return ""
	}
	slashed := parsed.Path
	if len(slashed) > 2 && slashed[2] == ':' { // a drive letter
		slashed = slashed[1:]
	}
	return filepath.FromSlash(slashed)
}
