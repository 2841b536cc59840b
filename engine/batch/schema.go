package batch

import (
	_ "embed"

	"forge/internal/sqlite"
)

//go:embed schema.sql
var schema string

// migrations create the tables of the queue. Times are Unix times in nanoseconds, 0 if unset.
var migrations = []sqlite.Migration{{Version: 1, SQL: schema}}
