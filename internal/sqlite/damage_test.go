package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
	"forge/internal/testkit"
)

// filled is a file with n rows, closed.
func filled(t *testing.T, n int) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "a.db")
	db := opened(t, file)
	require.NoError(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		for i := range n {
			if _, err := tx.Exec("INSERT INTO rows (writer, number) VALUES (?, ?)", strings.Repeat(fmt.Sprint("w", i), 20), i); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
	return file
}

// copied is the file, and its -wal file if it has one, in a new folder.
func copied(t *testing.T, file string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "a.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(file + suffix)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to+suffix, content, 0o600))
	}
	return to
}

func damaged(names []string) (n int) {
	for _, name := range names {
		if strings.Contains(name, ".damaged-") && !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-shm") {
			n++
		}
	}
	return n
}

func TestDamage_DamagedFileIsSetAsideAndRebuilt(t *testing.T) {
	t.Parallel()
	flip := func(at int64, to ...byte) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			require.NoError(t, err)
			_, err = f.WriteAt(to, at)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	whole := filled(t, 500)
	for name, damage := range map[string]func(t *testing.T, file string){
		"no database": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("this is no database ", 20)), 0o600))
		},
		"one byte": func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte("S"), 0o600)) },
		"cut in half": func(t *testing.T, file string) {
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(file, info.Size()/2/4096*4096))
		},
		"its magic":                    flip(3, 'x'),
		"the size of its pages":        flip(16, 0x20),
		"a format of the future":       flip(18, 3, 3),
		"the constants":                flip(21, 0),
		"the format of its tables":     flip(47, 9),
		"another encoding":             flip(59, 2),
		"a version that is not":        flip(63, 77),
		"an older version":             flip(63, 0),
		"the mark of the program":      flip(70, 0),
		"all zeros behind its header":  flip(100, make([]byte, 3996)...),
		"a page in the middle":         flip(4*4096, []byte(strings.Repeat("garbage!", 512))...),
		"a -wal file without its file": func(t *testing.T, file string) { require.NoError(t, os.Rename(file, file+"-wal")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := copied(t, whole)
			damage(t, file)
			var told []string
			db := opened(t, file, notes(&told))
			require.Equal(t, 0, count(t, db, "true"))
			require.Len(t, told, 1)
			require.NoError(t, insert(t.Context(), db, "a", 1))
			require.NoError(t, db.Close())
			db = opened(t, file)
			require.Equal(t, 1, count(t, db, "true"))
			require.NoError(t, db.Close())
			names := files(t, filepath.Dir(file))
			require.Len(t, names, 2, names)
		})
	}
}

// readAll reads all rows, by the table and by its index.
func readAll(db *sqlite.DB) error {
	for _, query := range []string{"SELECT sum(length(writer) + number) FROM rows NOT INDEXED", "SELECT sum(length(writer) + number) FROM rows INDEXED BY rows_by_writer"} {
		var sum sql.NullInt64
		if err := db.Explain(db.Read().QueryRow(query).Scan(&sum)); err != nil {
			return err
		}
	}
	return nil
}

// TestDamage_FlippedBytesAnywhere flips bytes at random places of a file and of a -wal file: each start comes to a file that
// works after at most one more start, and no start fails twice. Of a -wal file, more than the last commit is not lost
// without a word.
func TestDamage_FlippedBytesAnywhere(t *testing.T) {
	t.Parallel()
	whole, killed := filled(t, 500), killedWithWAL(t)
	rows := count(t, opened(t, copied(t, killed)), "true")
	require.GreaterOrEqual(t, rows, 40)
	random := rand.New(rand.NewPCG(9, 4))
	asides, lost := 0, 0
	for i := range testkit.Cases(16, 80) {
		file, flipped := copied(t, whole), ""
		if i%2 == 1 {
			file, flipped = copied(t, killed), "-wal"
		}
		flipBytes(t, file+flipped, random)
		told := untilItWorks(t, file, func(db *sqlite.DB, told []string) {
			if n := count(t, db, "true"); flipped == "-wal" && len(told) == 0 {
				require.GreaterOrEqual(t, n, rows-1, "they are lost without a word")
			}
		})
		n := damaged(files(t, filepath.Dir(file)))
		require.LessOrEqual(t, n, 1)
		asides += n
		lost += told - n
	}
	require.NotZero(t, asides)
	require.NotZero(t, lost)
}

// untilItWorks opens a damaged file until it can be read and written, calls first the first time, and gives the
// number of notes.
func untilItWorks(t *testing.T, file string, first func(db *sqlite.DB, told []string)) (notesTold int) {
	t.Helper()
	for start := range 3 {
		var told []string
		db := opened(t, file, notes(&told))
		notesTold += len(told)
		err := readAll(db)
		if err == nil {
			first(db, told)
			err = insert(t.Context(), db, "after", 1)
		}
		require.NoError(t, db.Close())
		if err == nil {
			return notesTold
		}
		require.ErrorIs(t, err, sqlite.ErrDamaged)
		require.Less(t, start, 2, "it is damaged for ever")
	}
	return notesTold
}

func flipBytes(t *testing.T, file string, random *rand.Rand) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	for range 1 + random.IntN(30) {
		content[random.IntN(len(content))] ^= byte(1 + random.IntN(255))
	}
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

// killedWithWAL is a file whose process died: it has a -wal file.
func killedWithWAL(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "a.db")
	require.NotZero(t, killedAfter(t, file, "w", 40, 0))
	info, err := os.Stat(file + "-wal")
	require.NoError(t, err)
	require.NotZero(t, info.Size())
	return file
}

// TestDamage_MetLater proves that a file that is damaged while it is open reports that, and is rebuilt by the next
// start.
func TestDamage_MetLater(t *testing.T) {
	t.Parallel()
	file := filled(t, 60_000) // too large to be checked at each start
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(4<<20))
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	require.NoError(t, err)
	for page := int64(20); page < info.Size()/4096; page++ {
		_, err = f.WriteAt(make([]byte, 4096), page*4096)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())

	db := opened(t, file)
	require.ErrorIs(t, readAll(db), sqlite.ErrDamaged)
	require.NoError(t, db.Close())

	var told []string
	db = opened(t, file, notes(&told))
	require.Len(t, told, 1)
	require.Equal(t, 0, count(t, db, "true"))
	require.NoError(t, db.Close())
	require.Equal(t, 1, damaged(files(t, filepath.Dir(file))))
	require.Len(t, files(t, filepath.Dir(file)), 2)
}

// TestDamage_AFileThatWasSetAsideIsNotWritten proves that a process that still has it open notices before anything is
// lost.
func TestDamage_AFileThatWasSetAsideIsNotWritten(t *testing.T) {
	t.Parallel()
	file := filled(t, 10)
	old := opened(t, file)
	require.NoError(t, insert(t.Context(), old, "a", 1))
	require.NoError(t, os.WriteFile(file+".aside", []byte("a.db.damaged-x"), 0o600)) // as by a process that died then
	var told []string
	db := opened(t, file, notes(&told))
	require.Len(t, told, 1)
	require.ErrorIs(t, insert(t.Context(), old, "b", 2), sqlite.ErrReplaced)
	require.NoError(t, insert(t.Context(), db, "c", 3))
	require.Equal(t, 1, count(t, db, "true"))
}

// TestDamage_DamagedTwiceInASecond proves that no file that was put aside is overwritten by the next.
func TestDamage_DamagedTwiceInASecond(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.db")
	at := func(o *sqlite.Options) { o.Now = func() time.Time { return time.Unix(1e9, 0) } }
	for range 3 {
		require.NoError(t, os.WriteFile(file, []byte("damage"), 0o600))
		var told []string
		require.NoError(t, opened(t, file, at, notes(&told)).Close())
	}
	require.Equal(t, 3, damaged(files(t, filepath.Dir(file))))
}
