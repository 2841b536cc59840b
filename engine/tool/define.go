package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"forge/engine/llm"
)

// define makes a tool of a function. A is the struct of its arguments: its fields are some of those of Args, those that may be left out marked omitempty.
func define[A any](t Tool, do func(ctx context.Context, w World, a A) (Result, error)) Tool {
	t.Schema = llm.SchemaFor[A]()
	t.takes = argumentsOf(reflect.TypeFor[A]())
	read := func(raw json.RawMessage) (a A, err error) {
		if err := llm.Decode(string(raw), &a); err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner // without its part about answers
			}
			return a, fmt.Errorf("the arguments of %s cannot be used: %w. It takes (%s)", t.Name, err, t.arguments())
		}
		return a, nil
	}
	t.check = func(raw json.RawMessage) error {
		_, err := read(raw)
		return err
	}
	t.run = func(ctx context.Context, w World, raw json.RawMessage) (Result, error) {
		a, err := read(raw)
		if err != nil {
			return failed("%v", err), nil
		}
		return do(ctx, w, a)
	}
	return t
}

// Check returns an error for invalid arguments of a later call. It is stricter than Run, which no model waits for: it also rejects
// arguments that the tool does not take.
func (t Tool) Check(args json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return fmt.Errorf("the arguments of %s are not a JSON object. It takes (%s)", t.Name, t.arguments())
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !t.takesArgument(name) {
			return fmt.Errorf("%s takes no argument %q. It takes (%s)", t.Name, name, t.arguments())
		}
	}
	return t.check(args)
}

// argumentsOf names the fields of a struct as the wire does, those that may be left out with a question mark.
func argumentsOf(of reflect.Type) []string {
	names := make([]string, of.NumField())
	for i := range names {
		name, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if options != "" {
			name += "?"
		}
		names[i] = name
	}
	return names
}

func (t Tool) arguments() string { return strings.Join(t.takes, ", ") }

// failed returns a result that gives the model the reason why there is no answer.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}

// Arguments makes arguments of words, as users type them: name=value for those that the tool takes, a name given again for a
// list; a word without a name is the first one's. The error names the word and its fault.
func (t Tool) Arguments(words []string) (json.RawMessage, error) {
	given := map[string]any{}
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		if named = named && t.takesArgument(name); !named {
			if len(t.takes) == 0 {
				return nil, fmt.Errorf("%s takes no arguments", t.Name)
			}
			name, value = strings.TrimSuffix(t.takes[0], "?"), word
		}
		if err := t.give(given, name, value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(given)
}

func (t Tool) takesArgument(name string) bool {
	return slices.Contains(t.takes, name) || slices.Contains(t.takes, name+"?")
}

// give adds the value of an argument, as its type says.
func (t Tool) give(given map[string]any, name, value string) error {
	_, again := given[name]
	switch kind := t.kind(name); {
	case kind == "array":
		list, _ := given[name].([]string)
		given[name] = append(list, value)
	case again:
		return fmt.Errorf("%s has two values for %s: quote a value with spaces, and name other arguments (%s)", t.Name, name, t.arguments())
	case kind == "integer":
		number, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%s=%s: want a number", name, value)
		}
		given[name] = number
	case kind == "boolean":
		yes, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%s=%s: want true or false", name, value)
		}
		given[name] = yes
	default:
		given[name] = value
	}
	return nil
}

// kind is the type of an argument, as the schema names it.
func (t Tool) kind(name string) string {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &schema) // made by define
	kinds, several := schema.Properties[name].Type.([]any)
	if several && len(kinds) > 0 {
		kind, _ := kinds[0].(string)
		return kind
	}
	kind, _ := schema.Properties[name].Type.(string)
	return kind
}

// LookArgs are the fields of Args that read-only tools take: the schema of a model that can only read has no others.
type LookArgs struct {
	Path    string   `json:"path,omitempty" jsonschema:"a file or folder, relative to the top of the folder"`
	Start   int      `json:"start,omitempty" jsonschema:"first line, from 1"`
	End     int      `json:"end,omitempty" jsonschema:"last line"`
	Pattern string   `json:"pattern,omitempty" jsonschema:"what to look for"`
	Literal bool     `json:"literal,omitempty" jsonschema:"the pattern is plain text, not a regular expression"`
	Glob    string   `json:"glob,omitempty" jsonschema:"only paths that match, such as **/*.go"`
	Query   string   `json:"query,omitempty" jsonschema:"plain words"`
	Paths   []string `json:"paths,omitempty" jsonschema:"files"`
	Depth   int      `json:"depth,omitempty" jsonschema:"how many steps away"`
	Limit   int      `json:"limit,omitempty" jsonschema:"at most so many"`
	Base    string   `json:"base,omitempty" jsonschema:"what to compare with: base or head"`
	Tags    []string `json:"tags,omitempty" jsonschema:"tags of playbooks"`
}

// RunArgs are the fields of Args that tools take which read or run programs.
type RunArgs struct {
	LookArgs

	Argv []string `json:"argv,omitempty" jsonschema:"a program and its arguments, one string each"`
}

// SweepArgs are the fields of Args that rename and replace_all take, which change the whole folder.
type SweepArgs struct {
	Symbol     string   `json:"symbol,omitempty" jsonschema:"a name in code"`
	To         string   `json:"to,omitempty" jsonschema:"the new name of a symbol"`
	Path       string   `json:"path,omitempty" jsonschema:"the file that contains the symbol"`
	Line       int      `json:"line,omitempty" jsonschema:"the line that contains the symbol"`
	Scope      string   `json:"scope,omitempty" jsonschema:"file or all"`
	Everywhere bool     `json:"everywhere,omitempty" jsonschema:"words in strings, comments and documents too"`
	Find       string   `json:"find,omitempty" jsonschema:"the text to replace everywhere"`
	Replace    string   `json:"replace,omitempty" jsonschema:"the new text"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files"`
	Word       bool     `json:"word,omitempty" jsonschema:"whole words only"`
	Regexp     bool     `json:"regexp,omitempty" jsonschema:"find is a regular expression"`
	Variants   bool     `json:"variants,omitempty" jsonschema:"other spellings of the name too"`
}

// Args are the same arguments as those of any tool.
func (a SweepArgs) Args() Args {
	return Args{
		Symbol: a.Symbol, To: a.To, Path: a.Path, Line: a.Line, Scope: a.Scope, Everywhere: a.Everywhere, Find: a.Find, Replace: a.Replace,
		Paths: a.Paths, Word: a.Word, Regexp: a.Regexp, Variants: a.Variants,
	}
}

// Args are the same arguments as those of any tool.
func (a LookArgs) Args() Args {
	return Args{
		Path: a.Path, Start: a.Start, End: a.End, Pattern: a.Pattern, Literal: a.Literal, Glob: a.Glob, Query: a.Query, Paths: a.Paths,
		Depth: a.Depth, Limit: a.Limit, Base: a.Base, Tags: a.Tags,
	}
}

// Args are the arguments of every tool: one shape that a model's schema can hold where it may ask for any of them. Each
// tool takes some of them, under the same names and of the same types, as its own Schema says.
type Args struct {
	Path       string   `json:"path,omitempty" jsonschema:"a file or folder, relative to the top of the folder"`
	Paths      []string `json:"paths,omitempty" jsonschema:"files"`
	To         string   `json:"to,omitempty" jsonschema:"the new path of a file, or the new name of a symbol"`
	Start      int      `json:"start,omitempty" jsonschema:"first line, from 1"`
	End        int      `json:"end,omitempty" jsonschema:"last line"`
	Pattern    string   `json:"pattern,omitempty" jsonschema:"what to look for"`
	Literal    bool     `json:"literal,omitempty" jsonschema:"the pattern is plain text, not a regular expression"`
	Glob       string   `json:"glob,omitempty" jsonschema:"only paths that match, such as **/*.go"`
	Query      string   `json:"query,omitempty" jsonschema:"plain words"`
	Depth      int      `json:"depth,omitempty" jsonschema:"how many steps away"`
	Limit      int      `json:"limit,omitempty" jsonschema:"at most so many"`
	Base       string   `json:"base,omitempty" jsonschema:"what to compare with: base or head"`
	Tags       []string `json:"tags,omitempty" jsonschema:"tags of playbooks"`
	Content    string   `json:"content,omitempty" jsonschema:"the whole text of a file"`
	Search     string   `json:"search,omitempty" jsonschema:"the text to replace, whole lines, exactly as in the file"`
	Replace    string   `json:"replace,omitempty" jsonschema:"the new text"`
	Patch      string   `json:"patch,omitempty" jsonschema:"a V4A patch"`
	Symbol     string   `json:"symbol,omitempty" jsonschema:"a name in code"`
	Line       int      `json:"line,omitempty" jsonschema:"the line that contains the symbol"`
	Scope      string   `json:"scope,omitempty" jsonschema:"file or all"`
	Everywhere bool     `json:"everywhere,omitempty" jsonschema:"words in strings, comments and documents too"`
	Find       string   `json:"find,omitempty" jsonschema:"the text to replace everywhere"`
	Word       bool     `json:"word,omitempty" jsonschema:"whole words only"`
	Regexp     bool     `json:"regexp,omitempty" jsonschema:"find is a regular expression"`
	Variants   bool     `json:"variants,omitempty" jsonschema:"other spellings of the name too"`
	Argv       []string `json:"argv,omitempty" jsonschema:"a program and its arguments, one string each"`
	Question   string   `json:"question,omitempty" jsonschema:"what to ask the user"`
	Choices    []string `json:"choices,omitempty" jsonschema:"answers to choose from, the most careful first"`
	URL        string   `json:"url,omitempty" jsonschema:"an https address"`
	Input      string   `json:"input,omitempty" jsonschema:"the arguments of a tool of an MCP server: a JSON object, as a text"`
}
