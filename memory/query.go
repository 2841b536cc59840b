package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// rowsQuerier answers queries with rows.
type rowsQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// querier is a transaction, or a handle that only reads.
type querier interface {
	rowsQuerier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }

// selectAll reads the rows of a query.
func selectAll[T any](ctx context.Context, q rowsQuerier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// selectOne reads one row; it is ErrNotFound, with what was looked for, where there is none.
func selectOne[T any](ctx context.Context, q querier, what string, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	one, err := scan(q.QueryRowContext(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return one, err
}

// where collects conditions that must all hold.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

// in asks for a column to be one of some texts; none asks for nothing.
func in[T ~string](w *where, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	w.and(column+" IN ("+marks(len(values))+")", args...)
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// marks are n question marks.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

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
