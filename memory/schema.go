package memory

import (
	"embed"
	"fmt"

	"forge/internal/sqlite"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// schemaNames are the migrations in order: the place in the list, from 1, is the version of the tables after
// it. A migration that was released is never changed; what comes later is a new one, at the end.
var schemaNames = []string{"1_tiers", "2_learning", "3_work"}

// migrations are the first so many of them.
func migrations(versions int) ([]sqlite.Migration, error) {
	var all []sqlite.Migration
	for i, name := range schemaNames[:versions] {
		text, err := schemaFiles.ReadFile("schema/" + name + ".sql")
		if err != nil {
			return nil, fmt.Errorf("read the schema %s: %w", name, err)
		}
		all = append(all, sqlite.Migration{Version: i + 1, SQL: string(text)})
	}
	return all, nil
}
