// Package sqlite opens Forge's own database files, so that each of them survives what files go through:
// a process killed in the middle, several processes at once, a full disk, a damaged page, a newer or an
// older program.
//
//	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true})
//
// Every file is opened with _txlock=immediate, journal_mode=WAL, busy_timeout=5000 and one handle that
// writes. A file that fails the integrity check is put aside under a name that says so
// (name.damaged-<time>) and made anew, which Open reports once as a note; it never fails for that reason.
// Before a migration the file is copied beside itself (VACUUM INTO) and the copy is removed once the
// migration has been committed. A file from a newer program is not written: ErrNewer.
package sqlite
