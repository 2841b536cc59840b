package flow

import (
	_ "embed"

	"forge/internal/sqlite"
)

var (
	//go:embed schema/1_runs.sql
	schemaRuns string
	//go:embed schema/2_summary.sql
	schemaSummary string
)

// migrations create the tables of a store. Times are Unix times in nanoseconds, 0 if unset.
var migrations = []sqlite.Migration{{Version: 1, SQL: schemaRuns}, {Version: 2, SQL: schemaSummary}}
