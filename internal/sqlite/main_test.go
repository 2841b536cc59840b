package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// TestMain is also the main of the processes that tests start: see process.
func TestMain(m *testing.M) {
	if what := os.Getenv("FORGE_SQLITE_CHILD"); what != "" {
		if err := child(context.Background(), what, os.Getenv("FORGE_SQLITE_FILE"), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// process is another process of this program: child says what it does with a file.
func process(t *testing.T, what, file string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(append(os.Environ(), "FORGE_SQLITE_CHILD="+what, "FORGE_SQLITE_FILE="+file), env...)
	return cmd
}

func child(ctx context.Context, what, file string, in io.Reader, out io.Writer) error {
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil {
		return err
	}
	switch what {
	case "transactions":
		return writeMany(ctx, file, in)
	case "acknowledge":
		return writeAlways(ctx, file, os.Getenv("FORGE_SQLITE_BY"), out)
	case "migrate":
		return openAndClose(ctx, file, two)
	}
	if here, ok := children[what]; ok {
		return here(ctx, file)
	}
	return fmt.Errorf("nothing is called %s", what)
}

// children are what other processes can do on some systems only.
var children = map[string]func(ctx context.Context, file string) error{}

// onThisSystem adds to children.
func onThisSystem(what string, f func(ctx context.Context, file string) error) bool {
	children[what] = f
	return true
}

func openAndClose(ctx context.Context, file string, migrations []sqlite.Migration) error {
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: migrations, Full: true})
	if err != nil {
		return err
	}
	return db.Close()
}

// one and two are the tables of an older and a newer program.
var (
	one = []sqlite.Migration{{Version: 1, SQL: `CREATE TABLE rows (id INTEGER PRIMARY KEY, writer TEXT NOT NULL, number INTEGER NOT NULL);
		CREATE INDEX rows_by_writer ON rows (writer, number)`}}
	two = append(one[:1:1],
		sqlite.Migration{Version: 2, SQL: "ALTER TABLE rows ADD COLUMN square INTEGER; UPDATE rows SET square = number * number"},
		sqlite.Migration{Version: 3, SQL: "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT"},
	)
)

// opened is a file with the tables of one, closed at the end of the test.
func opened(t *testing.T, file string, change ...func(*sqlite.Options)) *sqlite.DB {
	t.Helper()
	o := sqlite.Options{Migrations: one, Full: true, Note: func(text string) { t.Errorf("unexpected note: %s", text) }}
	for _, f := range change {
		f(&o)
	}
	db, err := sqlite.Open(t.Context(), file, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// notes makes Open's notes expected, and collects them.
func notes(into *[]string) func(*sqlite.Options) {
	return func(o *sqlite.Options) { o.Note = func(text string) { *into = append(*into, text) } }
}

func insert(ctx context.Context, db *sqlite.DB, writer string, number int) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO rows (writer, number) VALUES (?, ?)", writer, number)
		return err
	})
}

func count(t *testing.T, db *sqlite.DB, where string) (n int) {
	t.Helper()
	require.NoError(t, db.Read().QueryRow("SELECT count(*) FROM rows WHERE "+where).Scan(&n))
	return n
}

// files are the names in a folder.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
