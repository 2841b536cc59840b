package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The limits of searching a folder for files of secrets.
const (
	maxFiles     = 200
	maxEntries   = 20_000 // files and folders examined
	maxDepth     = 4      // folders below the root
	maxFileBytes = 256 << 10
)

// LearnFolder learns the content of files for secrets in a folder: .env and similar files, .npmrc, .netrc, credentials,
// private keys. It skips unreadable files, and returns them in the error.
//
// The caller must only pass a trusted folder, because this reads it. fsys must not lead out of the folder, as with os.Root.
func (r *Redactor) LearnFolder(fsys fs.FS) error {
	if r.isOff() {
		return nil
	}
	var values []Value
	var errs []error
	files, err := secretFiles(fsys)
	errs = append(errs, err)
	for _, name := range files {
		text, err := readSome(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("read %s: %w", name, err))
			continue
		}
		values = append(values, inFile(name, text)...)
		r.spans(name, text) // learns matches of patterns
	}
	r.Learn(values...)
	return errors.Join(errs...)
}

var (
	secretFile = lazily(`(?i)^(\.env(rc|\..*)?|.*\.env|\.npmrc|\.yarnrc(\.yml)?|\.pypirc|[._]netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.dockercfg|\.dockerconfigjson|` +
		`credentials(\.(json|ya?ml|toml|ini|properties|csv))?|secrets?(\..*)?\.(json|ya?ml|toml|ini|properties|env|txt)|secrets?|.*\.tfvars(\.json)?|service[-_]?account.*\.json|` +
		`id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p8|ppk|asc|keystore\.properties)|key\.properties|local\.settings\.json|appsettings.*\.json|application(-.*)?\.properties|auth\.json|master\.key)$`)
	passedOver = []string{".git", "node_modules", "vendor", "target", "dist", "build", ".venv", "venv", "__pycache__"}
)

// secretFiles lists the files for secrets in a folder, shallow ones first.
func secretFiles(fsys fs.FS) (files []string, err error) {
	seen := 0
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxEntries || len(files) == maxFiles {
			if seen > maxEntries || len(files) == maxFiles {
				return fs.SkipAll
			}
			return nil // an unreadable folder is skipped
		}
		if entry.IsDir() {
			if name != "." && (slices.Contains(passedOver, entry.Name()) || strings.Count(name, "/") >= maxDepth) {
				return fs.SkipDir
			}
			return nil
		}
		inAWS := path.Base(path.Dir(name)) == ".aws" || path.Base(path.Dir(name)) == ".docker" && entry.Name() == "config.json"
		if secretFile().MatchString(entry.Name()) || inAWS {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func readSome(fsys fs.FS, name string) (string, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes))
	return string(text), err
}

var (
	// assignment matches a line of a shell, .ini, .properties, YAML or TOML file that assigns a value to a name.
	assignment = lazily(`(?m)^\s*(?:export\s+|-\s+)?["']?([\w./@:\-]*[\w\-])["']?\s*[=:]\s*(.*?)\s*$`)
	netrc      = lazily(`\bpassword\s+(\S+)`)
)

// inFile finds the secrets in a file for secrets: values whose names indicate them, and random-looking values.
func inFile(name, text string) (values []Value) {
	base := path.Base(name)
	if strings.HasSuffix(base, ".json") || base == ".dockercfg" || base == ".dockerconfigjson" {
		var tree any
		if json.Unmarshal([]byte(text), &tree) == nil {
			return inTree(base, "", tree)
		}
	}
	for _, m := range netrc().FindAllStringSubmatch(text, -1) {
		values = append(values, Value{base, unquoted(m[1])})
	}
	for line := range strings.Lines(text) {
		values = append(values, inLine(base, strings.TrimRight(line, "\r\n"))...)
	}
	return values
}

func inLine(base, line string) []Value {
	if password := passwordIn(strings.TrimSpace(line)); password != "" { // .git-credentials
		return []Value{{base, password}}
	}
	if fields := strings.Split(line, ":"); base == ".pgpass" && len(fields) >= 5 {
		return []Value{{base, strings.Join(fields[4:], ":")}}
	}
	m := assignment().FindStringSubmatch(line)
	if m == nil {
		if value := strings.TrimSpace(line); isKey(value) {
			return []Value{{base, value}}
		}
		return nil
	}
	return given(base, m[1], unquoted(m[2]))
}

// given returns the secret parts of a value in a file for secrets, where less doubt is needed than elsewhere.
func given(base, name, value string) []Value {
	found := assigned(name, value)
	if len(found) == 0 && isKey(value) && !strings.Contains(value, "://") && !isPath(value) {
		found = []Value{{name, value}}
	}
	for i := range found {
		found[i].Name = base + " " + name
	}
	return found
}

// inTree finds the secrets in a JSON document.
func inTree(base, name string, node any) (values []Value) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			values = append(values, inTree(base, key, child)...)
		}
	case []any:
		for _, child := range node {
			values = append(values, inTree(base, name, child)...)
		}
	case string:
		values = given(base, name, node)
	}
	return values
}

// unquoted returns a value without its quotes, and without a trailing comment.
func unquoted(value string) string {
	value = strings.TrimRight(strings.TrimSpace(value), ",;")
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'' || value[0] == '`') {
		if end := strings.LastIndexByte(value, value[0]); end > 0 {
			return value[1:end]
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}
