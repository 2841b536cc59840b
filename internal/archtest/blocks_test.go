package archtest

import (
	"bufio"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// blocks are the two fenced blocks of ImportsFile, the texts of the documents that name tests, and the list in RaceFile.
type blocks struct {
	documents map[string]string // texts, by path
	deps      []row             // one package each
	world     []row             // one or more imports each
	race      map[string]int    // packages of RaceFile, by line; nil where there is none
}

// row is a line of a block: names, a colon, names.
type row struct {
	line  int // in the document, from 1
	left  []string
	right []string
}

func readBlocks(fsys fs.FS) (*blocks, error) {
	text, err := fs.ReadFile(fsys, ImportsFile)
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	b := &blocks{documents: map[string]string{}}
	for _, name := range documents {
		if text, err := fs.ReadFile(fsys, name); err == nil {
			b.documents[name] = string(text)
		}
	}
	if b.race, err = readRace(fsys); err != nil {
		return nil, err
	}
	for name, rows := range map[string]*[]row{"deps": &b.deps, "world": &b.world} {
		if *rows, err = parseBlock(string(text), name); err != nil {
			return nil, fmt.Errorf("read the block %s of %s: %w", name, ImportsFile, err)
		}
	}
	return b, nil
}

// parseBlock returns the rows between "```name" and "```". A block that is not there is an error: without it
// the test would have nothing to say.
func parseBlock(text, name string) ([]row, error) {
	var rows []row
	in, closed := false, false
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case !in:
			in = line == "```"+name
		case line == "```":
			closed = true
		case line == "" || strings.HasPrefix(line, "#"):
		default:
			r, err := parseRow(line, n)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		if closed {
			return rows, nil
		}
	}
	return nil, fmt.Errorf("there is no block that begins with ```%s and ends with ```", name)
}

func parseRow(line string, n int) (row, error) {
	left, right, ok := strings.Cut(line, ":")
	names := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
	}
	r := row{n, names(left), names(right)}
	if !ok || len(r.left) == 0 {
		return row{}, fmt.Errorf("line %d is not of the form \"names: names\": %s", n, line)
	}
	return r, nil
}

// matches reports whether a name fits a pattern: itself, or with "x/*" anything below x.
func matches(pattern, name string) bool {
	if below, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, below)
	}
	return pattern == name
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}
