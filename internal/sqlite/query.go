package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Source answers queries with rows: a handle, or a transaction.
type Source interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Row is a row of the result of a query.
type Row interface{ Scan(dest ...any) error }

// All returns the rows of a query, each as scan reads it. The first error of scan ends the reading.
func All[T any](ctx context.Context, from Source, scan func(Row) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Value scans a row of one column.
func Value[T any](row Row) (value T, err error) { return value, row.Scan(&value) }

// Where collects conditions that must all hold. The zero value holds for every row.
type Where struct {
	Conditions []string
	Args       []any // of all conditions, in order
}

// And adds a condition with its arguments.
func (w *Where) And(condition string, args ...any) {
	w.Conditions, w.Args = append(w.Conditions, condition), append(w.Args, args...)
}

// In adds the condition that a column has one of some texts. No texts add no condition.
func In[T ~string](w *Where, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	w.And(column+" IN ("+Marks(len(values))+")", args...)
}

// String returns the clause, with a space in front; without conditions it is empty.
func (w *Where) String() string {
	if len(w.Conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.Conditions, " AND ")
}

// Marks returns n question marks, separated by commas.
func Marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// Unix converts a time to nanoseconds of Unix time, as tables have it; the zero time is 0.
func Unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Time reverses Unix, in UTC.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
