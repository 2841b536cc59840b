package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// file is the structure of config.yaml. Pointers are nil for unset values.
type file struct {
	Providers []providerEntry `yaml:"providers,omitempty"`
	Models    Models          `yaml:"models,omitempty"`
	Budget    BudgetEntry     `yaml:"budget,omitempty"`
	Network   networkEntry    `yaml:"network,omitempty"`
	Mode      string          `yaml:"mode,omitempty"`
	AutoFix   *bool           `yaml:"autoFix,omitempty"`
	Domain    string          `yaml:"domain,omitempty"`
	Limits    limitsEntry     `yaml:"limits,omitempty"`

	Graph       graphEntry       `yaml:"graph,omitempty"`
	Concurrency concurrencyEntry `yaml:"concurrency,omitempty"`
	Attempts    number           `yaml:"attempts,omitempty"`
	Explore     exploreEntry     `yaml:"explore,omitempty"`

	Fanout fanoutEntry `yaml:"fanout,omitempty"`
	Plan   planEntry   `yaml:"plan,omitempty"`

	Completion completionEntry `yaml:"completion,omitempty"`

	checksEntry `yaml:",inline"`
	AtFirst     bool                   `yaml:"stopAtFirst,omitempty"`
	Remeasure   bool                   `yaml:"remeasure,omitempty"`
	Whole       string                 `yaml:"wholeSuite,omitempty"`
	Sandbox     sandboxEntry           `yaml:"sandbox,omitempty"`
	Folders     map[string]checksEntry `yaml:"folders,omitempty"` // folder -> its own settings of gates

	Skills       []string `yaml:"skills,omitempty"`       // folders
	Instructions []string `yaml:"instructions,omitempty"` // names of files

	Tools toolsEntry `yaml:"tools,omitempty"`
	Web   webEntry   `yaml:"web,omitempty"`

	Permissions []permissionEntry `yaml:"permissions,omitempty"`
}

type limitsEntry struct {
	Steps     number `yaml:"steps,omitempty"`
	ToolCalls number `yaml:"toolCalls,omitempty"`
	Minutes   number `yaml:"minutes,omitempty"`

	Part    string `yaml:"part,omitempty"` // "15m"
	Silence string `yaml:"silence,omitempty"`
}

// completionEntry lists the conditions for the end of a run.
type completionEntry struct {
	RequireReview *bool `yaml:"requireReview,omitempty"`
}

type providerEntry struct {
	Name    string    `yaml:"name"`
	Kind    string    `yaml:"kind"`
	BaseURL string    `yaml:"baseURL,omitempty"`
	Key     string    `yaml:"key,omitempty"` // ${VARIABLE}, or saved
	Models  []string  `yaml:"models,omitempty"`
	Rate    rateEntry `yaml:"rate,omitempty"`

	line int // in its file
}

type rateEntry struct {
	PerMinute number `yaml:"perMinute,omitempty"`
	Burst     number `yaml:"burst,omitempty"`
}

type networkEntry struct {
	CAFile  string `yaml:"caFile,omitempty"`
	Proxy   string `yaml:"proxy,omitempty"`
	NoProxy string `yaml:"noProxy,omitempty"`
}

// Models choose among models. Flags, editors and projects may set them too.
type Models struct {
	Default  string            `yaml:"default,omitempty"`  // "provider/model", for tiers without their own
	Tiers    map[string]string `yaml:"tiers,omitempty"`    // tier -> "provider/model"
	Roles    map[string]string `yaml:"roles,omitempty"`    // node -> tier
	Thinking map[string]int    `yaml:"thinking,omitempty"` // node -> tokens
	Fallback string            `yaml:"fallback,omitempty"` // "provider/model"
	Offline  *bool             `yaml:"offline,omitempty"`
	Delivery map[string]string `yaml:"delivery,omitempty"` // tier -> stream, sync or batch
	Cache    *bool             `yaml:"cache,omitempty"`
}

// BudgetEntry is the limit of a run's costs.
type BudgetEntry struct {
	Tokens number `yaml:"tokens,omitempty"`
	USD    amount `yaml:"usd,omitempty"`
}

// parsed is the readable part of a file.
type parsed struct {
	file
	notices []Notice
	err     error // the file is not YAML, or its permissions are not valid: its restrictions are unknown
}

// editing changes a file before its values are decoded. It gets and returns the notices about the file.
type editing func(root *yaml.Node, notices []Notice) []Notice

// parse reads a file.
func parse(name string, data []byte, edit editing) parsed {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return parsed{err: fmt.Errorf("%s cannot be read: %s: fix it, or move it away", name, plainYAML(err))}
	}
	result := parsed{notices: check[file](name, data)}
	if len(document.Content) == 0 {
		return result // nothing but comments
	}
	root := document.Content[0]
	if edit != nil {
		result.notices = edit(root, result.notices)
	}
	_ = root.Decode(&result.file) // check has reported the errors; the rest is decoded
	for i, node := range sequence(child(root, "providers")) {
		if i < len(result.Providers) {
			result.Providers[i].line = node.Line
		}
	}
	result.offlineUnlessClear(root)
	result.noWebUnlessClear(root)
	result.noRunsUnlessClear(child(root, "permissions"))
	return result
}

// offlineUnlessClear treats an invalid value of models.offline as true: the user may have wanted the offline mode.
func (p *parsed) offlineUnlessClear(root *yaml.Node) {
	said := child(child(root, "models"), "offline")
	var offline bool
	if said == nil || said.Tag == "!!bool" && said.Decode(&offline) == nil {
		return
	}
	yes := true
	p.Models.Offline = &yes
}

// check returns notices about entries that have no effect in a file whose structure is T.
func check[T any](name string, data []byte) []Notice {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var scratch T
	err := decoder.Decode(&scratch)
	var wrong *yaml.TypeError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case !errors.As(err, &wrong):
		return []Notice{{File: name, Text: plainYAML(err)}}
	}
	var notices []Notice
	for _, complaint := range wrong.Errors {
		notices = append(notices, noticeOf(name, complaint))
	}
	return notices
}

var (
	complaintLine  = lazyregexp.New(`^line (\d+): (.*)$`)
	unknownField   = lazyregexp.New(`^field (\S+) not found in type config\.(\S+)$`)
	wrongValue     = lazyregexp.New("(?s)^cannot unmarshal !!(\\w+)(?: `(.*)`)? into (\\S+)$")
	valuesOfFields = map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "text"}
)

// noticeOf rewrites a message of the library in plain words.
func noticeOf(name, complaint string) Notice {
	n := Notice{File: name, Text: complaint}
	if parts := complaintLine.FindStringSubmatch(complaint); parts != nil {
		n.Line, _ = strconv.Atoi(parts[1])
		n.Text = parts[2]
	}
	if parts := unknownField.FindStringSubmatch(n.Text); parts != nil {
		n.Text = fmt.Sprintf("unknown setting %q; the settings here are %s", parts[1], strings.Join(fieldsOf(parts[2]), ", "))
	} else if parts := wrongValue.FindStringSubmatch(n.Text); parts != nil {
		n.Text = fmt.Sprintf("%q is not valid here: use %s", parts[2], wanted(parts[3]))
		if parts[2] == "" {
			n.Text = "give " + wanted(parts[3]) + " here"
		}
	}
	return n
}

func wanted(goType string) string {
	if text, is := valuesOfFields[strings.TrimPrefix(goType, "*")]; is {
		return text
	}
	if strings.HasPrefix(goType, "[]") {
		return "a list"
	}
	return "settings, one on each line"
}

// fieldsOf lists the valid settings of a part of a file, by the name of its type.
func fieldsOf(typeName string) (names []string) {
	part := partOf(reflect.TypeFor[file](), typeName)
	if part == nil {
		part = partOf(reflect.TypeFor[mcpFile](), typeName)
	}
	if part == nil {
		return nil
	}
	for field := range part.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			names = append(names, fieldsOf(field.Type.Name())...)
		case name != "":
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// partOf returns the struct of a name that a setting of t holds, directly or in a list, a map or another part; nil without one.
func partOf(t reflect.Type, name string) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[file]().PkgPath() {
		return nil
	}
	if t.Name() == name {
		return t
	}
	for field := range t.Fields() {
		if field.Tag.Get("yaml") == "" {
			continue
		}
		if found := partOf(field.Type, name); found != nil {
			return found
		}
	}
	return nil
}

func plainYAML(err error) string { return strings.TrimPrefix(err.Error(), "yaml: ") }

// child returns the value of a key of a mapping, or nil.
func child(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

func sequence(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}
