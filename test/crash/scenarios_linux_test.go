package crash

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// scenario is something that people do, and how it goes on after a death in it.
type scenario struct {
	name string
	// dies does it with the program armed, and returns the life that was to be killed.
	dies func(s *stage, place string) life
	// goesOn is what the person does next, and requires what must be true then. It returns what became of it.
	goesOn func(s *stage, about string, killed life) string
}

// aRun is forge run with consent given beforehand, and taking it up.
var aRun = scenario{"a run", func(s *stage, place string) life { return s.run(at(place), nil) }, resumed}

// resumed takes the run up again, and demands that it ends as if nothing had happened.
func resumed(s *stage, about string, killed life) string {
	s.t.Helper()
	next := s.resume(nil, nil)
	about += "\n" + killed.output + "\n--- resumed:\n" + next.output
	s.requireBoughtOnce(about, true)
	became := s.requireSettled(about, killed, next)
	if became == absent {
		require.Empty(s.t, s.model.asked(s.t), about)
	} else {
		require.Zero(s.t, next.code, about)
	}
	return became
}

// after a first death somewhere, something else dies at the place.
func afterADeath(name, first string, second func(s *stage, env []string) life) scenario {
	return scenario{name, func(s *stage, place string) life {
		s.t.Helper()
		require.True(s.t, s.run(at(first), nil).killed)
		return second(s, at(place))
	}, resumed}
}

func resuming(s *stage, env []string) life { return s.resume(env, nil) }

var (
	cutOff   = afterADeath("recovery of files", "apply.rename.after:3", resuming)
	recorded = afterADeath("recovery of the ledger", "apply.record.before", resuming)
	aResume  = afterADeath("resume", "run.tree.written", resuming)
	aKill    = afterADeath("forge kill, and resume", "run.tree.written", func(s *stage, env []string) life {
		return s.live(env, nil, "kill", s.known()[0])
	})
	// The run came to nothing, because there is no Go; then there is.
	aRetry = scenario{"resume of a run that was blocked", func(s *stage, place string) life {
		s.t.Helper()
		blocked := s.run([]string{"PATH=/usr/bin:/bin"}, nil)
		require.Equal(s.t, 3, blocked.code, blocked.output)
		return s.resume(at(place), nil)
	}, resumed}
)

// done makes a run that was applied.
func done(s *stage) {
	s.t.Helper()
	first := s.run(nil, nil)
	require.Zero(s.t, first.code, first.output)
	require.Equal(s.t, after(), s.files(), first.output)
}

// anUndo is undo, and undo again; a redo after it takes it back.
var anUndo = scenario{
	"undo",
	func(s *stage, place string) life {
		done(s)
		return s.live(at(place), nil, "undo", "--yes")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(nil, nil, "undo", "--yes")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		if again.code != 0 { // it had come to its end
			require.Contains(s.t, again.output, "nothing to undo", about)
		}
		require.Equal(s.t, before(), s.files(), about)
		s.requireNothingLeft(about)
		redo := s.live(nil, nil, "redo", "--yes")
		require.Zero(s.t, redo.code, about+"\n"+redo.output)
		require.Equal(s.t, after(), s.files(), about+"\n"+redo.output)
		return "undone, and can be redone"
	},
}

// aRedo is redo, and redo again; an undo takes it back.
var aRedo = scenario{
	"redo",
	func(s *stage, place string) life {
		done(s)
		require.Zero(s.t, s.live(nil, nil, "undo", "--yes").code)
		return s.live(at(place), nil, "redo", "--yes")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(nil, nil, "redo", "--yes")
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
	func(s *stage, place string) life {
		s.t.Helper()
		done(s)
		require.Zero(s.t, s.live(nil, nil, "undo", "--yes").code)
		require.NoError(s.t, os.RemoveAll(filepath.Dir(s.eventsOf(s.known()[0])))) // so that the only known run is the second
		s.model = newModel(s.t)
		s.environ = append(s.environ, "FORGE_BASE_URL="+s.model.url)
		return s.run(at(place), nil)
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		next := s.resume(nil, nil)
		require.Zero(s.t, next.code, about+"\n"+killed.output+"\n"+next.output)
		require.Equal(s.t, after(), s.files(), about)
		s.requireBoughtOnce(about, true)
		s.requireNothingLeft(about)
		return "done"
	},
}

// aCollection is gc after a run was done and undone, and gc again. All that could be undone still can.
var aCollection = scenario{
	"gc",
	func(s *stage, place string) life {
		done(s)
		return s.live(at(place), nil, "gc")
	},
	func(s *stage, about string, killed life) string {
		s.t.Helper()
		again := s.live(nil, nil, "gc")
		about += "\n" + killed.output + "\n--- again:\n" + again.output
		require.Zero(s.t, again.code, about)
		return s.requireSettled(about)
	},
}

// remembers writes into memory and reads it again: what was acknowledged is there, what was not may be, whole.
func remembers(name string, prepare func(s *stage), write, read []string, want string) scenario {
	return scenario{name, func(s *stage, place string) life {
		s.t.Helper()
		trusted := s.live(nil, nil, "memory", "set", "kept", "from before")
		require.Zero(s.t, trusted.code, trusted.output)
		if prepare != nil {
			prepare(s)
		}
		return s.live(at(place), nil, write...)
	}, func(s *stage, about string, killed life) string {
		s.t.Helper()
		old := s.live(nil, nil, "memory", "get", "kept")
		require.Contains(s.t, old.output, "from before", about)
		again := s.live(nil, nil, write...)
		require.Zero(s.t, again.code, about+"\n"+again.output)
		got := s.live(nil, nil, read...)
		require.Zero(s.t, got.code, about+"\n"+got.output)
		require.Contains(s.t, got.out, want, about)
		s.requireNothingLeft(about)
		return "remembered, and nothing is lost"
	}}
}

var aMemory = remembers("memory set", nil, []string{"memory", "set", "colour", "green"}, []string{"memory", "get", "colour"}, "green")

// eventsOf is the file of a run's events.
func (s *stage) eventsOf(id string) string {
	files, _ := filepath.Glob(filepath.Join(s.home, "projects", "*", "runs", id+".jsonl"))
	return strings.Join(files, "")
}

// scenariosOf says in which scenarios a place is passed: those of the longest prefix.
var scenariosOf = map[string][]scenario{
	"": {aRun}, "recover.back": {cutOff}, "recover.settle": {recorded}, "run.resuming": {aResume}, "flow.run.claim": {aResume},
	"flow.run.request": {aKill}, "flow.run.forg": {aRetry}, "edit.": {anEditor}, "shadow.gc.": {aCollection}, "memory.collected": {aCollection},
	"shadow.tree.taken": {aSecondRun}, "sqlite.write.": {aRun, aMemory}, "sqlite.create": {aRun, aMemory},
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
