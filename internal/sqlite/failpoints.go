package sqlite

// The failpoints at which a process may die while it opens, migrates or writes a file.
const (
	FailCreate    = "sqlite.create"            // before a new file is made
	FailMarking   = "sqlite.aside.marking"     // that a file is to be put aside is written, and has not its name yet
	FailMark      = "sqlite.aside.marked"      // it is written down that a file is to be put aside
	FailMoveWAL   = "sqlite.aside.wal-moved"   // its -wal file has been moved, itself not
	FailMove      = "sqlite.aside.moved"       // all has been moved, the mark is still there
	FailBackUp    = "sqlite.backup.copied"     // the copy is whole and has not its name yet
	FailBackedUp  = "sqlite.backup.named"      // the copy has its name
	FailMigrate   = "sqlite.migrate.step"      // a step was made and not committed
	FailMigrated  = "sqlite.migrate.committed" // a step was committed
	FailUpToDate  = "sqlite.migrate.done"      // all steps were committed, the copy is still there
	FailRestoring = "sqlite.restore.checked"   // the copy was found whole and is about to take the file's place
	FailCommit    = "sqlite.write.commit"      // a Write is about to be committed
	FailCommitted = "sqlite.write.committed"   // a Write was committed, and its caller does not know yet
)
