// Package sqlite opens Forge's own database files, so that each of them survives what files go through:
// a process killed in the middle, several processes at once, a full disk, a damaged page, a newer or an
// older program.
//
//	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true})
//
// Every file is opened with _txlock=immediate, journal_mode=WAL, busy_timeout=5000 and one handle that
// writes. A file that fails the integrity check is set aside as name.damaged-<time> and rebuilt, which
// Open reports once as a note; it never fails for that reason. Before a migration the file is copied
// next to itself (VACUUM INTO) and the copy is removed once the migration has been committed. A file from
// a newer program is not written: ErrNewer.
//
// A process opens a file alone, in its folder: a lock that ends with the process orders the openers. The check
// costs time that grows with the file, so it is made when there is a reason: the last process that had the file
// open did not close it (SQLite leaves its -wal file then, and no living process holds it), a statement has
// reported damage (a name.suspect file records that; then the check is the full one), or the file is small.
// But for the full one, a check is broken off after a second. The header is looked at each time.
package sqlite
