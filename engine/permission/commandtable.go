package permission

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// The tables: tables/effects.txt explains the format.
//
//go:embed tables/*.txt
var files embed.FS

// table is all that is known of programs.
type table struct {
	effects    map[string]string // why an effect is critical, as a clause
	programs   map[string]*program
	variables  []variable
	vocabulary map[string][]string // the words that code of a language may use; "*" is of all
}

// program is a block: what options take a value, and the rows that judge a call of it.
type program struct {
	takes map[string]bool
	is    map[string]bool // dash: options are words after one dash; slash: they begin with a slash
	lang  string          // of the code that it executes; empty if it executes none
	rows  []row
}

// row is a line of a block: if all its terms match a call, it decides.
type row struct {
	verdict string
	terms   []term
}

// term is a condition on the arguments of a call.
type term struct {
	not   bool
	kind  byte     // 'w' the next operand, 'a' any operand, 'o' an option, 't' a test of operands, 'c' a part of any argument, 'n' no operand, 'i' it has an input, 'v' an operand sets a variable that is critical
	words []string // of which one must match
	test  string   // that the operands, or the value of the option, must pass; empty is none
}

// variable is an environment variable, or several by a pattern.
type variable struct {
	pattern, verdict string
}

// tables returns the tables. It panics if an embedded file is invalid, which TestTables_CanBeRead excludes.
var tables = sync.OnceValue(func() *table {
	t := &table{effects: map[string]string{}, programs: map[string]*program{}, vocabulary: map[string][]string{}}
	names, err := fs.Glob(files, "tables/*.txt")
	for _, name := range names {
		text, _ := files.ReadFile(name)
		switch base := strings.TrimSuffix(strings.TrimPrefix(name, "tables/"), ".txt"); base {
		case "effects", "variables", "words":
			t.readPairs(base, string(text))
		default:
			err = t.readBlocks(name, string(text))
		}
		if err != nil {
			panic(err) // a mistake in an embedded file, which TestTables_CanBeRead finds
		}
	}
	return t
})

// readPairs reads a table of lines that are a word and what belongs to it.
func (t *table) readPairs(kind, text string) {
	for line := range strings.Lines(text) {
		key, value, has := strings.Cut(strings.TrimSpace(line), " ")
		if !has || strings.HasPrefix(line, "#") {
			continue
		}
		switch kind {
		case "effects":
			t.effects[key] = strings.TrimSpace(value)
		case "words":
			t.vocabulary[key] = append(t.vocabulary[key], strings.Fields(value)...)
		default:
			for pattern := range strings.FieldsSeq(value) {
				t.variables = append(t.variables, variable{pattern, key})
			}
		}
	}
}

// readBlocks reads a table of programs: names at the beginning of a line, rows after a tab.
func (t *table) readBlocks(file, text string) error {
	var at *program
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "  #")
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] != '\t' {
			at = &program{takes: map[string]bool{}, is: map[string]bool{}}
			for _, name := range fields {
				if t.programs[name] != nil {
					return fmt.Errorf("%s:%d: %s has a block already", file, number, name)
				}
				t.programs[name] = at
			}
			continue
		}
		at.read(fields)
	}
	return nil
}

// read reads a row of a block.
func (p *program) read(fields []string) {
	switch fields[0] {
	case "takes":
		for _, option := range fields[1:] {
			p.takes[option] = true
		}
	case "is":
		for _, property := range fields[1:] {
			p.is[property] = true
		}
	case "lang":
		p.lang = fields[1]
	default:
		r := row{verdict: fields[0]}
		for _, field := range fields[1:] {
			t := readTerm(field)
			if t.kind == 'o' && t.test != "" {
				for _, option := range t.words {
					p.takes[option] = true
				}
			}
			r.terms = append(r.terms, t)
		}
		p.rows = append(p.rows, r)
	}
}

func readTerm(field string) (t term) {
	field, t.not = strings.TrimPrefix(field, "!"), strings.HasPrefix(field, "!")
	t.kind = 'w'
	switch {
	case field == "none":
		t.kind = 'n'
	case field == "input":
		t.kind = 'i'
	case field == "assigns":
		t.kind = 'v'
	case strings.HasPrefix(field, "..."):
		t.kind, field = 'a', field[3:]
	case strings.HasPrefix(field, "~"):
		t.kind, field = 'c', field[1:]
	case strings.HasPrefix(field, "-"), strings.HasPrefix(field, "+"), strings.HasPrefix(field, "/"):
		t.kind = 'o'
		if at := strings.IndexByte(field, '='); at > 0 {
			field, t.test = field[:at], field[at+1:]
		}
	case strings.HasPrefix(field, "%"):
		t.kind, t.test, field = 't', field[1:], ""
	}
	t.words = strings.Split(field, "|")
	return t
}
