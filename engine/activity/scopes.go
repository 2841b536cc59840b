package activity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/codeintel"
	"forge/engine/step"
)

// mark follows the line that a scope is about.
const mark = "  <-- here"

// scopes returns the code around places of a tree. A place in a missing file, or beyond its end, has no scope.
func (k Kit) scopes(ctx context.Context, c step.ScopesCall) (found []step.Scope, err error) {
	found = []step.Scope{}
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		files := outlined{kit: k, tree: t, read: map[string]*source{}}
		for _, place := range c.Places {
			s, err := files.at(ctx, place.Path)
			if err != nil {
				return err
			}
			if around, header := s.around(place.Line); around != "" {
				found = append(found, step.Scope{Location: place, Header: header, Lines: around})
			}
		}
		return nil
	})
	return found, err
}

// source is a file with its symbols; the zero source is an unreadable file.
type source struct {
	text    string
	symbols []codeintel.Symbol
}

// outlined holds the files of a tree, each read once.
type outlined struct {
	kit  Kit
	tree Tree
	read map[string]*source
}

func (o outlined) at(ctx context.Context, path string) (*source, error) {
	if s, known := o.read[path]; known {
		return s, nil
	}
	s := &source{}
	o.read[path] = s
	text, err := o.tree.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(text) > maxOutlined || !utf8.Valid(text)) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.text = string(text)
	s.symbols, err = o.kit.symbols(ctx, path, s.text)
	return s, err
}

// maxOutlined is the largest size in bytes of a file whose symbols are read.
const maxOutlined = 1 << 20

// symbols returns those of a text, or none for an unknown language.
func (k Kit) symbols(ctx context.Context, path, text string) ([]codeintel.Symbol, error) {
	if k.Outliner == nil {
		return nil, nil
	}
	outline, err := k.Outliner.Outline(ctx, codeintel.LanguageOf(path), text)
	return outline.Symbols, err
}

// around returns the numbered lines next to a line, and the first line of the innermost function or type around it.
func (s *source) around(line int) (lines, header string) {
	scope, found := codeintel.Enclosing(s.symbols, s.text, line)
	if scope.Around.First == 0 {
		return "", ""
	}
	var b strings.Builder
	for i, text := range strings.Split(scope.Around.Text, "\n") {
		text = strings.TrimSuffix(text, "\r")
		if n := scope.Around.First + i; n == line {
			fmt.Fprintf(&b, "> %d | %s%s\n", n, text, mark)
		} else {
			fmt.Fprintf(&b, "  %d | %s\n", n, text)
		}
	}
	if found {
		header, _, _ = strings.Cut(s.text[scope.Symbols[len(scope.Symbols)-1].Span.Start:], "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), strings.TrimSpace(header)
}

// defined finds the files of a tree that define names, as far as their languages are known.
func (k Kit) defined(ctx context.Context, c step.DefinedCall) (found []step.Definition, err error) {
	found = []step.Definition{}
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		paths, err := t.List(ctx)
		if err != nil || len(c.Names) == 0 {
			return err
		}
		files := outlined{kit: k, tree: t, read: map[string]*source{}}
		for _, path := range paths {
			if codeintel.LanguageOf(path) == "" || !mentions(t, path, c.Names) {
				continue
			}
			s, err := files.at(ctx, path)
			if err != nil {
				return err
			}
			for _, name := range definitions(s.symbols, c.Names) {
				found = append(found, step.Definition{Name: name, Path: path})
			}
		}
		return nil
	})
	return found, err
}

// mentions reports whether a file contains one of some names: only then its outline is read.
func mentions(t Tree, path string, names []string) bool {
	text, err := t.ReadFile(path)
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return strings.Contains(string(text), n) })
}

// definitions returns those of the names that the symbols, or nested ones, define.
func definitions(symbols []codeintel.Symbol, names []string) (found []string) {
	for _, s := range symbols {
		if slices.Contains(names, s.Name) && !slices.Contains(found, s.Name) {
			found = append(found, s.Name)
		}
		for _, inner := range definitions(s.Children, names) {
			if !slices.Contains(found, inner) {
				found = append(found, inner)
			}
		}
	}
	return found
}
