package episodes

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// attack is a way to have wrong code pass that lies in which files a model writes, not in what it answers.
type attack struct {
	name  string
	there map[string]string // more files of the user's
	tests []file            // what is written with the tests; none: nothing more than the right ones
	code  []file            // what is written with the wrong code
	wrong string            // in place of the project's wrong code
}

// No file that a model may write takes the place of what judges its code.
func TestGoAttacks_AreRejected(t *testing.T) {
	t.Parallel()
	for p, attacks := range map[string][]attack{"go": goAttacks(), "python": pythonAttacks(), "javascript": javascriptAttacks()} {
		for _, a := range testkit.Sample(1, attacks) {
			t.Run(p+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				refused(t, a, named(p))
			})
		}
	}
}

// refused plays an attack, which must fail.
func refused(t *testing.T, a attack, p project) {
	t.Helper()
	p.files = maps.Clone(p.files)
	maps.Copy(p.files, a.there)
	if a.wrong != "" {
		p.wrong = a.wrong
	}
	e := play(t, p, behaviour{entries: func(project) []llmtest.Entry {
		return with(to(tests, write(append([]file{{p.test, "create", p.rightTest}}, a.tests...)...)),
			to(implementation, write(append([]file{{p.source, "create", p.wrong}}, a.code...)...)))
	}}, "implement")
	require.NotEmpty(t, e.reason)
	require.Empty(t, e.falseGreen, e.reason)
	require.Contains(t, []string{"blocked", "failed"}, e.state, e.reason)
	require.False(t, e.changed)
}

func named(name string) project {
	for _, p := range projects() {
		if p.name == name {
			return p
		}
	}
	if name == "ruby" {
		return project{name: name, files: map[string]string{"pay.rb": "def fee(cents)\n  1\nend\n"}, suite: []string{"true"}}
	}
	panic(name)
}
