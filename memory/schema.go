package memory

import (
	_ "embed"

	"forge/internal/sqlite"
)

var (
	//go:embed schema/1_tiers.sql
	schemaTiers string
	//go:embed schema/2_learning.sql
	schemaLearning string
	//go:embed schema/3_work.sql
	schemaWork string
	//go:embed schema/4_errands.sql
	schemaErrands string
	//go:embed schema/4_lessons.sql
	schemaLessons string
)

// migrations create the tables. A migration that was released is never changed; what comes later is a new one, at the end.
var migrations = []sqlite.Migration{
	{Version: 1, SQL: schemaTiers}, {Version: 2, SQL: schemaLearning}, {Version: 3, SQL: schemaWork}, {Version: 4, SQL: schemaErrands + schemaLessons},
}
