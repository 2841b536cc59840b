package prompt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"forge/internal/inert"
	"forge/internal/lazyregexp"
)

// SkillFile is the name of a skill file.
const SkillFile = "SKILL.md"

// Skill is a skill.
type Skill struct {
	Name        string
	Description string // one line
	Category    string // "code", "planning/api"; may be empty
	Source      string // its place, for users: "~/.forge/skills/tdd/SKILL.md"
	Body        string // Markdown
}

// Line returns the skill in one line: "[skill:tdd] Write the test first".
func (s Skill) Line() string {
	if s.Description == "" {
		return "[skill:" + s.Name + "]"
	}
	return "[skill:" + s.Name + "] " + s.Description
}

// FirstSkills returns the skills of several lists by name, the first one of each name. Names are case-insensitive.
func FirstSkills(lists ...[]Skill) []Skill {
	var all []Skill
	seen := map[string]bool{}
	for _, list := range lists {
		for _, s := range list {
			if name := strings.ToLower(s.Name); !seen[name] {
				seen[name] = true
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// MatchSkills returns the skills for kinds of work, in the order of the kinds: for each the one with exactly that name, or
// those whose category begins with it, without duplicates.
func MatchSkills(all []Skill, kinds ...string) (matched []Skill) {
	for _, kind := range kinds {
		for _, s := range match(all, strings.ToLower(strings.TrimSpace(kind))) {
			if !slices.ContainsFunc(matched, func(m Skill) bool { return m.Name == s.Name }) {
				matched = append(matched, s)
			}
		}
	}
	return matched
}

func match(all []Skill, kind string) (found []Skill) {
	if kind == "" {
		return nil
	}
	for _, s := range all {
		if strings.ToLower(s.Name) == kind {
			return []Skill{s}
		}
		if strings.HasPrefix(strings.ToLower(s.Category), kind) {
			found = append(found, s)
		}
	}
	return found
}

// IsSkill reports whether a path below a folder of skills is a skill file.
func IsSkill(file string) bool { return path.Base(file) == SkillFile }

// SkillRoot is a folder of skills.
type SkillRoot struct {
	FS   fs.FS
	Name string // for users: "~/.forge/skills"
}

// SkillProblem is an invalid skill file, with the reason.
type SkillProblem struct {
	Source string
	Reason string
}

// The limits of a search: a folder that was added by mistake may have many files.
const (
	maxDepth   = 6
	maxEntries = 20_000
	maxSkills  = 500
)

// FindSkills returns the skills below folders, at any depth; of each name the one in the first folder. A missing folder has none.
// Links to folders are not followed. Invalid skills are reported, and do not affect others.
func FindSkills(roots ...SkillRoot) (found []Skill, problems []SkillProblem) {
	var lists [][]Skill
	for _, root := range roots {
		skills, refused := root.walk()
		lists = append(lists, skills)
		problems = append(problems, refused...)
	}
	return FirstSkills(lists...), problems
}

// walk reads the skills of one folder in the order of their paths.
func (r SkillRoot) walk() (skills []Skill, problems []SkillProblem) {
	entries := 0
	err := fs.WalkDir(r.FS, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return r.unreadable(file, err, &problems)
		}
		if entries++; entries > maxEntries || len(skills) >= maxSkills {
			problems = append(problems, SkillProblem{r.Name, fmt.Sprintf("it has too many files: no more than %d skills among %d files are read", maxSkills, maxEntries)})
			return fs.SkipAll
		}
		switch {
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".git") || strings.Count(file, "/") >= maxDepth):
			return fs.SkipDir
		case entry.IsDir() || !IsSkill(file):
			return nil
		}
		skill, fault := r.read(file, entry)
		if fault == nil {
			skills = append(skills, skill)
		} else {
			problems = append(problems, SkillProblem{r.source(file), fault.Error()})
		}
		return nil
	})
	if err != nil {
		problems = append(problems, SkillProblem{r.Name, err.Error()})
	}
	return skills, problems
}

// unreadable reports an unreadable folder, and continues.
func (r SkillRoot) unreadable(file string, err error, problems *[]SkillProblem) error {
	if !errors.Is(err, fs.ErrNotExist) {
		*problems = append(*problems, SkillProblem{r.source(file), err.Error()})
	}
	return fs.SkipDir
}

func (r SkillRoot) source(file string) string {
	if file == "." {
		return r.Name
	}
	return r.Name + "/" + file
}

// errNotRegular is the error for a folder, a pipe or a device with the name of a skill file.
var errNotRegular = errors.New("it is not a regular file")

// read reads a skill. Files that are not regular, directly or through a link, are not opened: a pipe would block.
func (r SkillRoot) read(file string, entry fs.DirEntry) (Skill, error) {
	if kind := entry.Type(); !kind.IsRegular() && kind&fs.ModeSymlink == 0 {
		return Skill{}, errNotRegular
	}
	info, err := fs.Stat(r.FS, file)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return Skill{}, err
	}
	opened, err := r.FS.Open(file)
	if err != nil {
		return Skill{}, err
	}
	defer func() { _ = opened.Close() }() // only read
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return Skill{}, errors.Join(err, errNotRegular)
	}
	content, err := io.ReadAll(io.LimitReader(opened, MaxSkillFile+1))
	if err != nil {
		return Skill{}, err
	}
	return ParseSkill(file, r.source(file), content)
}

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
		return fmt.Errorf("its name is %q: a name has up to 64 letters, digits, dots, dashes and underscores", inert.Clip(s.Name, maxQuoted))
	case s.Category != "" && !categories.MatchString(s.Category):
		return fmt.Errorf("its category is %q: a category has up to 128 letters, digits, dots, dashes, underscores and slashes", inert.Clip(s.Category, maxQuoted))
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
			return nil, fmt.Errorf("line %d of its front matter repeats the field %q", key.Line, inert.Clip(key.Value, maxQuoted))
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

// template is a new skill. Without a category it is only listed in one line: its placeholder text is of no use.
const template = `---
name: %s
description: When this helps, in one line
# One of planning, exploration, code, tdd, debug, review: runs show the skill whole to whoever does that work.
category:
---

# %[1]s

Say how this is done here: what comes first, what to look at, what never to do, and how to see that it is done.
`

// SkillTemplate returns the file of a new skill, for its author to edit. The error is about an invalid name.
func SkillTemplate(name string) ([]byte, error) {
	content := fmt.Appendf(nil, template, name)
	_, err := ParseSkill(name+"/"+SkillFile, SkillFile, content)
	return content, err
}
