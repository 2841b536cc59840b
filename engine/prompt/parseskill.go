package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// The largest size of a skill, in bytes.
const (
	MaxSkillFile   = 64 << 10
	maxFront       = 8 << 10
	maxDescription = 300
)

// The valid names of a skill and its category: they are used in lines of prompts and of lists.
var (
	names      = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	categories = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$`)
)

// ParseSkill parses a skill file. Missing fields of the front matter come from the folders: the last one is the name, those
// above it, below the folder of skills, the category. file is the path below that folder, source its name for users.
//
// The error describes the fault to the author. Other programs' fields in the front matter are ignored; an anchor, an alias, a
// tag, a duplicate field and a field that is not a string are rejected.
func ParseSkill(file, source string, content []byte) (Skill, error) {
	s := Skill{Source: source}
	if len(content) > MaxSkillFile {
		return s, fmt.Errorf("it has %d bytes: a skill has at most %d", len(content), MaxSkillFile)
	}
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return s, errors.New("it is not UTF-8 text")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), "\ufeff"), "\r\n", "\n")
	front, body, err := split(text)
	if err != nil {
		return s, err
	}
	fields, err := read(front)
	if err != nil {
		return s, err
	}
	folder := path.Dir(file)
	s.Name, s.Category = fields["name"], fields["category"]
	if s.Name == "" {
		s.Name = path.Base(folder)
	}
	if above := path.Dir(folder); s.Category == "" && above != "." && above != "/" {
		s.Category = above
	}
	s.Description, s.Body = oneLine(fields["description"]), strings.TrimSpace(body)
	return s, s.check()
}

func (s Skill) check() error {
	switch {
	case !names.MatchString(s.Name):
		return fmt.Errorf("its name is %q: a name has up to 64 letters, digits, dots, dashes and underscores", clip(s.Name))
	case s.Category != "" && !categories.MatchString(s.Category):
		return fmt.Errorf("its category is %q: a category has up to 128 letters, digits, dots, dashes, underscores and slashes", clip(s.Category))
	case s.Body == "" && s.Description == "":
		return errors.New("it is empty: it has neither a description nor a text")
	}
	return nil
}

// split separates the front matter from the body.
func split(text string) (front, body string, err error) {
	rest, begins := strings.CutPrefix(text, "---\n")
	if !begins {
		return "", "", errors.New(`it does not begin with a front matter: a line "---", then name, description and category, then a line "---"`)
	}
	if front, body, ends := strings.Cut("\n"+rest, "\n---\n"); ends {
		return limited(front, body)
	}
	if front, ends := strings.CutSuffix("\n"+strings.TrimRight(rest, "\n"), "\n---"); ends {
		return limited(front, "")
	}
	return "", "", errors.New(`its front matter has no end: a line "---"`)
}

func limited(front, body string) (string, string, error) {
	if len(front) > maxFront {
		return "", "", fmt.Errorf("its front matter has %d bytes: at most %d are read", len(front), maxFront)
	}
	return front, body, nil
}

// read returns the fields of a front matter that a skill has.
func read(front string) (map[string]string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(front), &document); err != nil {
		return nil, fmt.Errorf("its front matter is not YAML: %w", err)
	}
	fields := map[string]string{}
	if len(document.Content) == 0 {
		return fields, nil
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, errors.New("its front matter is not a list of fields and values")
	}
	if err := plain(&document); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if seen[key.Value] {
			return nil, fmt.Errorf("line %d of its front matter repeats the field %q", key.Line, clip(key.Value))
		}
		seen[key.Value] = true
		switch key.Value {
		case "name", "description", "category":
			if value.Tag == "!!null" {
				continue
			}
			if value.Kind != yaml.ScalarNode || value.Tag != "!!str" {
				return nil, fmt.Errorf("line %d of its front matter: %s is not a text; put it in quotes", value.Line, key.Value)
			}
			fields[key.Value] = strings.TrimSpace(value.Value)
		}
	}
	return fields, nil
}

// plain rejects YAML that expands a small document, or has a meaning to programs.
func plain(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return fmt.Errorf("line %d of its front matter has an anchor, an alias or a tag: those are not read", n.Line)
	}
	for _, child := range n.Content {
		if err := plain(child); err != nil {
			return err
		}
	}
	return nil
}

// oneLine returns a description for a list: on one line, without invisible characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxDescription {
		text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
	}
	return text
}

// clip returns a value of a hostile file for an error.
func clip(value string) string {
	if len(value) > 40 {
		return strings.ToValidUTF8(value[:40], "") + "…"
	}
	return value
}
