package prompt

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"forge/internal/inert"
	"forge/internal/lazyregexp"
)

// maxQuoted limits a wrong value of a file in an error, in bytes.
const maxQuoted = 40

// Place is a place in a file, from 1; columns count bytes.
type Place struct{ Line, Column int }

// PlaceError is what is wrong with a file, and where.
type PlaceError struct {
	Place
	Reason string
}

// Error returns the place and the reason: "3:8: unknown tool".
func (e *PlaceError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// Wrong returns the error for a place.
func (p Place) Wrong(format string, args ...any) error {
	return &PlaceError{p, fmt.Sprintf(format, args...)}
}

// Word is a text of a front matter, and where it begins.
type Word struct {
	Place
	Text string
}

// Field is a field of a front matter: a text, or a list of texts. A field without a value has neither.
type Field struct {
	Name  Word
	Value Word
	List  []Word
	Many  bool // the value is a list
}

// Front is a Markdown file with a front matter.
type Front struct {
	Fields []Field // in order, each name once
	Body   string
	Begin  Place // of the body
}

// ReadFront reads a Markdown file that begins with a front matter: UTF-8, at most so many bytes. Each error is a *PlaceError. An anchor,
// an alias, a tag, a repeated field, and a value that is neither a text nor a list of texts are errors.
func ReadFront(content []byte, most int) (Front, error) {
	top := Place{1, 1}
	if len(content) > most {
		return Front{}, top.Wrong("it has more than %d bytes", most)
	}
	if at := invalidAt(content); at >= 0 {
		line := bytes.Count(content[:at], []byte("\n")) + 1
		return Front{}, Place{line, at - bytes.LastIndexByte(content[:at], '\n')}.Wrong("it is not UTF-8 text")
	}
	front, body, err := split(strings.ReplaceAll(strings.TrimPrefix(string(content), "\ufeff"), "\r\n", "\n"))
	if err != nil {
		return Front{}, top.Wrong("%v", err)
	}
	f := Front{Body: strings.TrimSpace(body), Begin: Place{strings.Count(front, "\n") + 2, 1}}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(front), &document); err != nil {
		return f, placeOf(err).Wrong("the front matter is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return f, nil
	}
	f.Fields, err = fieldsOf(document.Content[0])
	return f, err
}

// invalidAt returns the offset of the first byte that is not UTF-8 text; -1 if all is.
func invalidAt(content []byte) int {
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return at
		}
		at += size
	}
	return -1
}

var yamlLine = lazyregexp.New(`line (\d+)`)

// placeOf returns the line that an error of YAML names. The front matter is read with an empty line in place of "---", so that its lines
// are those of the file.
func placeOf(err error) Place {
	line := 0
	if named := yamlLine.FindStringSubmatch(err.Error()); named != nil {
		line, _ = strconv.Atoi(named[1]) // digits
	}
	return Place{cmp.Or(line, 1), 1}
}

func fieldsOf(top *yaml.Node) (fields []Field, err error) {
	if top.Kind != yaml.MappingNode {
		return nil, at(top).Wrong("the front matter is not a list of fields and values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		f := Field{Name: Word{at(key), key.Value}, Many: value.Kind == yaml.SequenceNode}
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return nil, at(key).Wrong("the field %q is there twice", inert.Clip(key.Value, maxQuoted))
		}
		seen[key.Value] = true
		if f.Value, err = wordOf(f.Name, value); err != nil {
			return nil, err
		}
		for _, item := range value.Content {
			word, err := wordOf(f.Name, item)
			if err != nil || item.Kind != yaml.ScalarNode {
				return nil, cmp.Or(err, at(item).Wrong("%s has a value that is not a text", inert.Clip(key.Value, maxQuoted)))
			}
			f.List = append(f.List, word)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// wordOf returns the text of a value; empty for a list, and for no value.
func wordOf(field Word, n *yaml.Node) (Word, error) {
	w := Word{Place: at(n)}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0:
		return w, at(n).Wrong("%s has an anchor, an alias or a tag: those are not read", inert.Clip(field.Text, maxQuoted))
	case n.Kind == yaml.SequenceNode || n.Tag == "!!null":
		return w, nil
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		return w, at(n).Wrong("%s is not a text; put it in quotes", inert.Clip(field.Text, maxQuoted))
	}
	w.Text = strings.TrimSpace(n.Value)
	return w, nil
}

func at(n *yaml.Node) Place { return Place{max(n.Line, 1), max(n.Column, 1)} }
