package memory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"forge/internal/sqlite"
)

// Export writes the entries of some tiers (of the long one where none is named), all patterns and all
// playbooks as JSONL: one row a line, in the order of what the rows are, without ids, so that the same memory
// is the same file and a change of one row is a change of one line. It gives the number of lines.
func (s *Store) Export(ctx context.Context, w io.Writer, tiers ...Tier) (int, error) {
	if len(tiers) == 0 {
		tiers = []Tier{Long}
	}
	var lines []line
	err := s.view(ctx, "export memory", func(q querier) error {
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
func exported(ctx context.Context, q querier, tiers []Tier) ([]line, error) {
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
