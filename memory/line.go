package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"forge/internal/sqlite"
)

// line is one row of a JSONL file, of any kind: only the fields of its kind are there. The order of the
// fields is the order in the file.
type line struct {
	Kind string `json:"kind"` // entry, pattern or playbook

	Tier     Tier            `json:"tier,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Key      string          `json:"key,omitempty"`
	Value    json.RawMessage `json:"value,omitempty"`
	Tokens   int             `json:"tokens,omitempty"`
	Priority int             `json:"priority,omitempty"`
	Expires  *time.Time      `json:"expires,omitempty"`

	Category  Category `json:"category,omitempty"`
	Pattern   string   `json:"pattern,omitempty"`
	Fix       string   `json:"fix,omitempty"`
	Context   string   `json:"context,omitempty"`
	Successes int      `json:"successes,omitempty"`
	Failures  int      `json:"failures,omitempty"`

	Title   string `json:"title,omitempty"`
	Content string `json:"content,omitempty"`

	Tags   []string   `json:"tags,omitempty"`
	Source lineSource `json:"source"`
}

type lineSource struct {
	Origin Origin `json:"origin"`
	Run    string `json:"run,omitempty"`
	Node   string `json:"node,omitempty"`
	Event  int64  `json:"event,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func entryLine(e Entry) line {
	l := line{
		Kind: string(kindEntry), Tier: e.Tier, Agent: e.Agent, Key: e.Key, Value: compact(e.Value), Tokens: e.Tokens, Priority: e.Priority,
		Source: lineSource(e.Source),
	}
	if !e.Expires.IsZero() {
		l.Expires = &e.Expires
	}
	return l
}

func patternLine(p Pattern) line {
	return line{
		Kind: string(kindPattern), Category: p.Category, Pattern: p.Text, Fix: p.Fix, Context: p.Context, Tags: p.Tags,
		Successes: p.Successes, Failures: p.Failures, Source: lineSource(p.Source),
	}
}

func playbookLine(p Playbook) line {
	return line{Kind: string(kindPlaybook), Title: p.Title, Content: p.Content, Tags: p.Tags, Source: lineSource(p.Source)}
}

// identity is what makes two lines the same row. It orders the lines of a file.
func (l line) identity() string {
	switch kind(l.Kind) {
	case kindEntry:
		return strings.Join([]string{l.Kind, string(l.Tier), l.Agent, l.Key}, "\x00")
	case kindPattern:
		return strings.Join([]string{l.Kind, string(l.Category), fold(l.Pattern)}, "\x00")
	default:
		return strings.Join([]string{l.Kind, fold(l.Title)}, "\x00")
	}
}

func (l line) entry() Entry {
	e := Entry{Tier: l.Tier, Agent: l.Agent, Key: l.Key, Value: l.Value, Tokens: l.Tokens, Priority: l.Priority, Source: Source(l.Source)}
	if l.Expires != nil {
		e.Expires = *l.Expires
	}
	return e
}

func (l line) pattern() Pattern {
	return Pattern{Category: l.Category, Text: l.Pattern, Fix: l.Fix, Context: l.Context, Tags: l.Tags, Source: Source(l.Source)}
}

func (l line) playbook() Playbook {
	return Playbook{Title: l.Title, Content: l.Content, Tags: l.Tags, Source: Source(l.Source)}
}

// check refuses a line whose row could not be kept.
func (l line) check() error {
	switch kind(l.Kind) {
	case kindEntry:
		return l.entry().check()
	case kindPattern:
		if l.Successes < 0 || l.Failures < 0 {
			return fmt.Errorf("%w: there is no count below zero", ErrInvalid)
		}
		return l.pattern().check()
	case kindPlaybook:
		return l.playbook().check()
	}
	return fmt.Errorf("%w: kind must be entry, pattern or playbook, not %q", ErrInvalid, l.Kind)
}

// encode returns the line with its end.
func (l line) encode() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(l)
	return b.Bytes(), err
}

// parseLine reads one line. Fields it does not know are an error: they would be lost.
func parseLine(text []byte) (line, error) {
	var l line
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&l); err != nil {
		return line{}, fmt.Errorf("%w: %s", ErrInvalid, explainJSON(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return line{}, fmt.Errorf("%w: unexpected text after the row", ErrInvalid)
	}
	if err := l.check(); err != nil {
		return line{}, err
	}
	return l, nil
}

// explainJSON is an error of encoding/json without names of Go types.
func explainJSON(err error) string {
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		return fmt.Sprintf("%s cannot be a %s", wrongType.Field, wrongType.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the line is cut off"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// compact is a JSON value in one line.
func compact(value json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return value // not reached: Write takes valid JSON only
	}
	return b.Bytes()
}

// Export writes the entries of some tiers (of the long one where none is named), all patterns and all
// playbooks as JSONL: one row a line, in the order of what the rows are, without ids, so that the same memory
// is the same file and a change of one row is a change of one line. It returns the number of lines.
func (s *Store) Export(ctx context.Context, w io.Writer, tiers ...Tier) (int, error) {
	if len(tiers) == 0 {
		tiers = []Tier{Long}
	}
	var lines []line
	err := s.view(ctx, "export memory", func(q sqlite.RowSource) error {
		var err error
		lines, err = exported(ctx, q, tiers)
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.identity(), b.identity()) })
	for i, l := range lines {
		text, err := l.encode()
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			return i, fmt.Errorf("export memory: %w", err)
		}
	}
	return len(lines), nil
}

// exported are the lines of all rows that leave the file.
func exported(ctx context.Context, q sqlite.RowSource, tiers []Tier) ([]line, error) {
	var lines []line
	var w sqlite.Where
	sqlite.In(&w, "tier", tiers)
	entries, err := sqlite.All(ctx, q, scanEntry, `SELECT `+entryColumns+` FROM memory`+w.String(), w.Args...)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		lines = append(lines, entryLine(e))
	}
	patterns, err := sqlite.All(ctx, q, scanPattern(epoch), `SELECT `+patternColumns+` FROM patterns`)
	if err != nil {
		return nil, err
	}
	for _, p := range patterns {
		lines = append(lines, patternLine(p))
	}
	playbooks, err := sqlite.All(ctx, q, scanPlaybook, `SELECT `+playbookColumns+` FROM playbooks`)
	for _, p := range playbooks {
		lines = append(lines, playbookLine(p))
	}
	return lines, err
}
