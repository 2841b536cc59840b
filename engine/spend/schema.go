package spend

import (
	_ "embed"

	"forge/internal/sqlite"
)

var (
	//go:embed schema.sql
	schema string
	//go:embed schema_cache.sql
	schemaCache string
)

// The migrations make the tables of a ledger and of a cache. Times are nanoseconds of Unix time, 0 if unset; money is millionths of a US dollar.
var (
	migrations      = []sqlite.Migration{{Version: 1, SQL: schema}}
	cacheMigrations = []sqlite.Migration{{Version: 1, SQL: schemaCache}}
)

// The states of an attempt.
const (
	reserved = "reserved" // it is under way, or was broken off, or its process died
	settled  = "settled"  // it is charged what it cost
	lost     = "lost"     // it failed and may have been billed: it is charged what it can have cost
	free     = "free"     // it was turned down, or not sent
)
