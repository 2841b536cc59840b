package api

import (
	"net/url"
	"path/filepath"
	"strings"
)

// InFolder is part of the arguments of commands about one workspace folder.
type InFolder struct {
	Folder string `json:"folder,omitempty" doc:"URI of the workspace folder; without it the only one"`
}

// NamedFolder is the URI of the folder that the caller named; empty where they named none.
func (f InFolder) NamedFolder() string { return f.Folder }

// FileURI is the URI of a file or folder of this machine.
func FileURI(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// FilePath is the path of a URI that FileURI made; empty for any other URI.
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
