package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// small is the size in bytes up to which a file is checked whenever it is opened.
const small = 4 << 20

// examine finds out whether the file is whole and ours. Damage is errDamage or one of SQLite's errors for it.
func (o *opener) examine(ctx context.Context) error {
	_, err := os.Lstat(o.file + suspectSuffix)
	suspect := err == nil
	if err := o.examineFile(ctx, o.file, suspect); err != nil {
		return err
	}
	return remove(o.file + suspectSuffix)
}

// examineFile is examine; thorough makes it check all that SQLite can.
func (o *opener) examineFile(ctx context.Context, file string, thorough bool) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	inUse, err := hasWAL(file)
	if err != nil {
		return err
	}
	if info.Size() == 0 && !inUse {
		return nil // its writer died before it wrote
	}
	if !inUse { // so no process has it open, and reading it takes no locks away
		if err := checkHeader(file, info.Size()); err != nil {
			return err
		}
	}
	if err := o.identify(ctx, file, inUse); err != nil {
		return err
	}
	if !thorough && !inUse && info.Size() > small {
		return nil
	}
	limit := quick
	if thorough {
		limit = 0
	}
	if err := o.check(ctx, file, limit); err != nil {
		return err
	}
	return checkSettled(file, inUse)
}

// checkSettled checks the header of a file that was in use, if the check has found it given up and settled it.
func checkSettled(file string, wasInUse bool) error {
	inUse, err := hasWAL(file)
	if err != nil || inUse || !wasInUse {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return checkHeader(file, info.Size())
}

func hasWAL(file string) (bool, error) {
	_, err := os.Lstat(file + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// identity is the origin that a file states.
type identity struct {
	application, version int
	recorded             int // in forge_versions; -1: there is no such table
	tables               int
}

// identify reads, and only reads, whose file it is.
func (o *opener) identify(ctx context.Context, file string, inUse bool) error {
	mode := "mode=ro&immutable=1"
	if inUse {
		mode = "mode=ro"
	}
	db, err := pool(file, "deferred", mode, "busy_timeout(5000)")
	if err != nil {
		return err
	}
	id, err := readIdentity(ctx, db)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return id.judge(len(o.Migrations))
}

func readIdentity(ctx context.Context, db *sql.DB) (id identity, err error) {
	id.recorded = -1
	var named int
	for _, q := range []struct {
		query string
		into  *int
	}{
		{"PRAGMA application_id", &id.application},
		{"PRAGMA user_version", &id.version},
		{"SELECT count(*) FROM sqlite_schema", &id.tables},
		{"SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'forge_versions'", &named},
	} {
		if err := db.QueryRowContext(ctx, q.query).Scan(q.into); err != nil {
			return id, err
		}
	}
	if named > 0 {
		err = db.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM forge_versions").Scan(&id.recorded)
	}
	return id, err
}

// judge returns an error if a program that knows so many versions may not use the file.
func (id identity) judge(known int) error {
	switch {
	case id.tables == 0 && id.version == 0 && id.application == 0:
		return nil // it is new
	case id.recorded >= 0 && (id.application != applicationID || id.recorded != id.version):
		return fmt.Errorf("%w: its header says version %d of program %#x, its tables version %d",
			errDamage, id.version, id.application, id.recorded)
	case id.application != applicationID:
		return fmt.Errorf("%w (it is marked %#x)", ErrNewer, id.application)
	case id.recorded < 0:
		return fmt.Errorf("%w: the table of its versions is gone", errDamage)
	case id.version > known:
		return fmt.Errorf("%w (its tables have version %d, this Forge knows %d)", ErrNewer, id.version, known)
	}
	return nil
}

// quick is how long a check may take that is made only because a process died. A dead process alone damages no file.
const quick = time.Second

// check lets SQLite check a file that no other process has open: such a process has checked it. It merges what a dead
// process left in the -wal file. Without a limit it is the thorough check; one that is not done within its limit has
// found nothing.
func (o *opener) check(ctx context.Context, file string, limit time.Duration) error {
	db, err := pool(file, "deferred", "mode=rw", "busy_timeout(0)", "locking_mode(EXCLUSIVE)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	limited, pragma := ctx, "PRAGMA integrity_check(1)"
	if limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
		pragma = "PRAGMA quick_check(1)"
	}
	var verdict string
	err = db.QueryRowContext(limited, pragma).Scan(&verdict)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err, verdict = nil, "ok"
	}
	if err == nil && verdict == "ok" {
		err = o.noteLost(file)
	}
	err = errors.Join(err, db.Close())
	switch {
	case code(err) == codeBusy:
		return nil
	case err != nil:
		return err
	case verdict != "ok":
		return fmt.Errorf("%w: %s", errDamage, verdict)
	}
	return nil
}

// noteLost reports writes that were lost to damage of the -wal file. The rest is whole, and is kept.
func (o *opener) noteLost(file string) error {
	lost, err := hasLostCommits(file)
	if lost {
		o.note(fmt.Sprintf("%s-wal was damaged: the last writes to the database are lost, the rest is intact.", file))
	}
	return err
}

// magic begins every file of SQLite. The format of the header is at https://sqlite.org/fileformat2.html.
const magic = "SQLite format 3\x00"

// checkHeader finds what SQLite would read past, or refuse under another name: a file marked as written by a later
// SQLite, in another encoding, or with the wrong constants. No process may have the file open.
func checkHeader(file string, size int64) (err error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0) // so that a file that may not be written is found out here
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return fmt.Errorf("%w: it ends within its header", errDamage)
	}
	page := int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 65536
	}
	format, encoding := binary.BigEndian.Uint32(header[44:]), binary.BigEndian.Uint32(header[56:])
	switch {
	case string(header[:16]) != magic:
		return fmt.Errorf("%w: it does not begin as a database does", errDamage)
	case page < 512 || page&(page-1) != 0 || size%page != 0:
		return fmt.Errorf("%w: it has %d bytes in pages of %d", errDamage, size, page)
	case header[18] < 1 || header[18] > 2 || header[19] < 1 || header[19] > 2:
		return fmt.Errorf("%w: its format has versions %d and %d", errDamage, header[18], header[19])
	case string(header[20:24]) != "\x00\x40\x20\x20":
		return fmt.Errorf("%w: its header has wrong constants", errDamage)
	case format > 4 || encoding > 1:
		return fmt.Errorf("%w: its tables have format %d, encoding %d", errDamage, format, encoding)
	}
	return nil
}

// Of a -wal file, https://sqlite.org/fileformat2.html#walformat.
const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // one more: its checksums read the other order of bytes
)

// walChecksum is the running checksum of a -wal file.
type walChecksum struct {
	a, b  uint32
	order binary.ByteOrder
}

func (c *walChecksum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		c.a += c.order.Uint32(data) + c.b
		c.b += c.order.Uint32(data[4:]) + c.a
	}
}

// is reports whether the checksum is in some bytes.
func (c *walChecksum) is(data []byte) bool {
	return c.a == binary.BigEndian.Uint32(data) && c.b == binary.BigEndian.Uint32(data[4:])
}

// hasLostCommits reports whether the -wal file of a dead process holds commits after a wrong checksum, at which SQLite
// stops reading: they are lost. It cannot judge the last commit, which may just not have been written whole. No process
// may write the file meanwhile.
func hasLostCommits(file string) (lost bool, err error) {
	f, err := os.Open(file + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReader(f)
	head := make([]byte, walHeader)
	if _, err := io.ReadFull(in, head); err != nil {
		return false, ignoreEnd(err)
	}
	size := binary.BigEndian.Uint32(head[8:])
	if size < 512 || size > 65536 {
		return true, nil
	}
	sum := walChecksum{order: binary.LittleEndian}
	if binary.BigEndian.Uint32(head) == walMagic+1 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	good := sum.is(head[24:])
	frame := make([]byte, frameHeader+int(size))
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return false, ignoreEnd(err)
		}
		isCommit := binary.BigEndian.Uint32(frame[4:]) != 0
		ofThisTime := string(frame[8:16]) == string(head[16:24]) // older frames, after these, have another salt
		if !good && isCommit && ofThisTime {
			return true, nil
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		good = good && ofThisTime && sum.is(frame[16:])
	}
}

// ignoreEnd is nil at the end of a file, also in the middle of what was read.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
