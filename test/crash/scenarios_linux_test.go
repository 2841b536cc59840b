package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"forge/internal/sqlite"
)

// scenario is something that users do, and how it continues after a death in it.
type scenario struct {
	name string
	// dies does it with a death on the way, and returns the process that was to be killed.
	dies func(s *stage, by death) life
	// goesOn is what the user does next, and requires what must be true then. It returns the outcome of the run.
	goesOn func(s *stage, about string, killed life) string
}

// aRun is forge run with consent given beforehand, and taking it up.
var aRun = scenario{"a run", func(s *stage, by death) life { return s.run(by) }, resumed}

// resumed takes the run up again, and demands that it ends as if nothing had happened.
func resumed(s *stage, about string, killed life) string {
	s.t.Helper()
	next := s.resume(never)
	about += "\n" + killed.output + "\n--- resumed:\n" + next.output
	s.requireBoughtOnce(about)
	became := s.requireSettled(about, killed, next)
	if became == absent {
		require.Empty(s.t, s.model.asked(s.t), about)
	} else {
		require.Zero(s.t, next.code, about)
	}
	return became
}

// after a first death somewhere, something else dies at the place.
func afterADeath(name, first string, second func(s *stage, by death) life) scenario {
	return scenario{name, func(s *stage, by death) life {
		s.t.Helper()
		require.True(s.t, s.run(at(first)).killed)
		return second(s, by)
	}, resumed}
}

func resuming(s *stage, by death) life { return s.resume(by) }

var (
	cutOff   = afterADeath("recovery of files", "apply.rename.after:3", resuming)
	recorded = afterADeath("recovery of the ledger", "apply.record.before", resuming)
	aResume  = afterADeath("resume", "run.tree.written", resuming)
	aKill    = afterADeath("forge kill, and resume", "run.tree.written", func(s *stage, by death) life {
		return s.live(by, "kill", s.known()[0])
	})
	// The run came to nothing, because there is no Go; then there is.
	aRetry = scenario{"resume of a run that was blocked", func(s *stage, by death) life {
		s.t.Helper()
		blocked := s.run(death{env: []string{"PATH=/usr/bin:/bin"}})
		require.Equal(s.t, 3, blocked.code, blocked.output)
		return s.resume(by)
	}, resumed}
)

// done makes a run that was applied.
func done(s *stage) {
	s.t.Helper()
	first := s.run(never)
	require.Zero(s.t, first.code, first.output)
	require.Equal(s.t, after(), s.files(), first.output)
}

// anUndo is undo, and undo again; a redo after it takes it back.
var anUndo = scenario{
	"undo",
	func(s *stage, by death) life {
		done(s)
		return s.live(by, "undo", "--yes")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(never, "undo", "--yes")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		if again.code != 0 { // it had come to its end
			require.Contains(s.t, again.output, "nothing to undo", about)
		}
		require.Equal(s.t, before(), s.files(), about)
		s.requireNothingLeft(about)
		redo := s.live(never, "redo", "--yes")
		require.Zero(s.t, redo.code, about+"\n"+redo.output)
		require.Equal(s.t, after(), s.files(), about+"\n"+redo.output)
		return "undone, and can be redone"
	},
}

// aRedo is redo, and redo again; an undo takes it back.
var aRedo = scenario{
	"redo",
	func(s *stage, by death) life {
		done(s)
		require.Zero(s.t, s.live(never, "undo", "--yes").code)
		return s.live(by, "redo", "--yes")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(never, "redo", "--yes")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		if again.code != 0 {
			require.Contains(s.t, again.output, "nothing to redo", about)
		}
		require.Equal(s.t, after(), s.files(), about)
		return s.requireSettled(about)
	},
}

// aSecondRun is a run in a folder in which another one was done and undone: it finds a tree in the pool.
var aSecondRun = scenario{
	"a second run",
	func(s *stage, by death) life {
		s.t.Helper()
		done(s)
		require.Zero(s.t, s.live(never, "undo", "--yes").code)
		require.NoError(s.t, os.RemoveAll(filepath.Dir(s.eventsOf(s.known()[0])))) // so that the only known run is the second
		s.model = newModel(s.t)
		s.environ = append(s.environ, "FORGE_BASE_URL="+s.model.url)
		return s.run(by)
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		next := s.resume(never)
		require.Zero(s.t, next.code, about+"\n"+killed.output+"\n"+next.output)
		require.Equal(s.t, after(), s.files(), about)
		s.requireBoughtOnce(about)
		s.requireNothingLeft(about)
		return "done"
	},
}

// aCollection is gc after a run was done and undone, and gc again. All that could be undone still can.
var aCollection = scenario{
	"gc",
	func(s *stage, by death) life {
		done(s)
		require.Zero(s.t, s.live(never, "memory", "set", "kept", fromBefore).code)
		return s.live(by, "gc")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(never, "gc")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		require.Zero(s.t, again.code, about)
		return s.requireSettled(about)
	},
}

// inMemory is a scenario that writes into memory. What was there before, kept, is there afterwards; and what dies works
// when it is done again.
func inMemory(name, kept string, prepare func(s *stage), write []string, want string) scenario {
	return scenario{name, func(s *stage, by death) life {
		s.t.Helper()
		require.Zero(s.t, s.live(never, "memory", "set", "kept", fromBefore).code)
		prepare(s)
		return s.live(by, write...)
	}, func(s *stage, about string, killed life) string {
		s.t.Helper()
		require.Contains(s.t, s.live(never, "memory", "list").output, kept, about)
		again := s.live(never, write...)
		require.Zero(s.t, again.code, about+"\n"+again.output)
		got := s.live(never, "memory", "search", want)
		require.Zero(s.t, got.code, about+"\n"+got.output)
		require.Contains(s.t, got.out, want, about)
		return "remembered, and what was there still is"
	}}
}

// fromBefore is what is remembered before anything dies.
const fromBefore = "from before"

func nothing(*stage) {}

// memoryFile is the file of the folder's memory.
func (s *stage) memoryFile() string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.home, "projects", "*", "memory.db"))
	require.NoError(s.t, err)
	require.Len(s.t, found, 1)
	return found[0]
}

// older makes the memory one of an older version.
func older(s *stage) {
	s.t.Helper()
	name := s.memoryFile()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(name + suffix)
	}
	dump, err := os.ReadFile(filepath.Join("..", "..", "memory", "testdata", "version1.sql"))
	require.NoError(s.t, err)
	db, err := sqlite.Open(s.t.Context(), name, sqlite.Options{Migrations: []sqlite.Migration{{Version: 1, SQL: string(dump)}}})
	require.NoError(s.t, err)
	require.NoError(s.t, db.Close())
}

// damaged makes the memory something that is no database.
func damaged(s *stage) {
	s.t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(s.memoryFile() + suffix)
	}
	data, err := os.ReadFile(s.memoryFile())
	require.NoError(s.t, err)
	for i := range data {
		data[i] ^= 0x55
	}
	require.NoError(s.t, os.WriteFile(s.memoryFile(), data, 0o600))
	require.NoError(s.t, os.WriteFile(s.memoryFile()+"-wal", nil, 0o600))
}

// damagedWhileMigrating is one that was damaged after its migration was cut off: there is a copy of what it was.
func damagedWhileMigrating(s *stage) {
	s.t.Helper()
	older(s)
	require.True(s.t, s.live(at("sqlite.migrate.step"), "memory", "list").killed)
	damaged(s)
}

// manyLines is a file of more lines than are imported at once.
func manyLines(s *stage) {
	s.t.Helper()
	exported := s.live(never, "memory", "export")
	require.Zero(s.t, exported.code, exported.output)
	var lines strings.Builder
	for line := range strings.Lines(exported.out) {
		if strings.Contains(line, `"kept"`) {
			for i := range 1500 {
				lines.WriteString(strings.ReplaceAll(line, `"kept"`, fmt.Sprintf(`"many.%d"`, i)))
			}
		}
	}
	require.NotZero(s.t, lines.Len(), exported.out)
	require.NoError(s.t, os.WriteFile(filepath.Join(s.base, "lines.jsonl"), []byte(lines.String()), 0o600))
}

var (
	aMemory  = inMemory("memory set", fromBefore, nothing, []string{"memory", "set", "colour", "green"}, "green")
	anOldOne = inMemory("memory of an older version", "", older, []string{"memory", "set", "colour", "green"}, "green")
	aDamaged = inMemory("damaged memory", "", damaged, []string{"memory", "set", "colour", "green"}, "green")
	aCopy    = inMemory("memory that was damaged while it migrated", "", damagedWhileMigrating, []string{"memory", "set", "colour", "green"}, "green")
	anImport = inMemory("memory import", fromBefore, manyLines, []string{"memory", "import", "../lines.jsonl"}, "many.1499")
)

// aSpec goes back to a version of the specification, and does so again: versions are only added, and none is lost.
var aSpec = scenario{
	"spec rollback",
	func(s *stage, by death) life {
		done(s)
		return s.live(by, "spec", "rollback", "1")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(never, "spec", "rollback", "1")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		require.Zero(s.t, again.code, about)
		for _, version := range []string{"1", "2"} {
			shown := s.live(never, "spec", "--version", version)
			require.Zero(s.t, shown.code, about+"\n"+shown.output)
			require.Contains(s.t, shown.out, "Add returns the sum.", about)
		}
		return s.requireSettled(about)
	},
}

// eventsOf is the file of a run's events.
func (s *stage) eventsOf(id string) string {
	files, _ := filepath.Glob(filepath.Join(s.home, "projects", "*", "runs", id+".jsonl"))
	return strings.Join(files, "")
}

// scenariosOf says in which scenarios a place is passed: those of the longest prefix.
var scenariosOf = map[string][]scenario{
	"": {aRun}, "recover.back": {cutOff}, "recover.settle": {recorded}, "run.resuming": {aResume}, "flow.run.claim": {aResume},
	"flow.run.request": {aKill}, "flow.run.forg": {aRetry}, "edit.": {anEditor}, "shadow.gc.": {aCollection}, "memory.collected": {aCollection},
	"shadow.tree.taken": {aSecondRun}, "sqlite.write.": {aRun, aMemory, anImport, aSpec},
	"sqlite.backup": {anOldOne}, "sqlite.migrate": {aRun, anOldOne}, "memory.indexed": {anOldOne}, "sqlite.aside": {aDamaged}, "sqlite.restore": {aCopy},
	"memory.imported": {anImport}, "shadow.tree.remove": {aResume},
	"apply.commit": {aRun, anUndo, aRedo}, "apply.rename.after": {aRun, anUndo, aRedo}, "shadow.record": {aRun, anUndo, aRedo},
	"apply.record": {aRun, anUndo, aRedo}, "run.answer.kept": {aRun, anEditor}, "flow.wait.finish": {aRun, anEditor},
}

func scenariosFor(place string) []scenario {
	prefix := ""
	for p := range scenariosOf {
		if strings.HasPrefix(place, p) && len(p) > len(prefix) {
			prefix = p
		}
	}
	return scenariosOf[prefix]
}
