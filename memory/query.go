package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/internal/sqlite"
)

// querier is a transaction, or a handle that only reads.
type querier interface {
	sqlite.Source
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// selectOne reads one row; it is ErrNotFound, with what was looked for, where there is none.
func selectOne[T any](ctx context.Context, q querier, what string, scan func(sqlite.Row) (T, error), query string, args ...any) (T, error) {
	one, err := scan(q.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return one, err
}

// values are the arguments of a statement, from parts.
func values(parts ...any) []any {
	var all []any
	for _, part := range parts {
		if list, ok := part.([]any); ok {
			all = append(all, list...)
		} else {
			all = append(all, part)
		}
	}
	return slices.Clip(all)
}

// limited is a limit for LIMIT, where zero and less are no limit.
func limited(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// likeAny is a pattern for LIKE … ESCAPE '\' that finds a text anywhere.
func likeAny(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
