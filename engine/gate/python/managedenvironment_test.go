package python

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// copied is a tree that is a copy of a folder of the user's.
type copied struct{ dir, origin string }

func (c copied) Dir() string    { return c.dir }
func (c copied) Origin() string { return c.origin }

// The digests are those that Poetry and Pipenv make of these folders.
func TestManagedEnvironment_FindsEnvironmentsOfPoetryAndPipenv(t *testing.T) {
	t.Parallel()
	const user = "/data/thing"
	for name, c := range map[string]struct {
		file, in string
		kept     []string
		env      map[string]string
		want     string
	}{
		"Poetry":             {"poetry.lock", "", []string{".cache/pypoetry/virtualenvs/thing-u9puHQpn-py3.9"}, nil, ".cache/pypoetry/virtualenvs/thing-u9puHQpn-py3.9"},
		"the newest":         {"poetry.lock", "", []string{"p/thing-u9puHQpn-py3.9", "p/thing-u9puHQpn-py3.12", "p/thing-u9puHQpn-py3.11"}, map[string]string{"POETRY_VIRTUALENVS_PATH": "/p"}, "p/thing-u9puHQpn-py3.12"},
		"Poetry's cache":     {"poetry.lock", "", []string{"c/virtualenvs/thing-u9puHQpn-py3.9"}, map[string]string{"POETRY_CACHE_DIR": "/c"}, "c/virtualenvs/thing-u9puHQpn-py3.9"},
		"Pipenv":             {"Pipfile", "", []string{".local/share/virtualenvs/thing-p9m6iwlp"}, nil, ".local/share/virtualenvs/thing-p9m6iwlp"},
		"a folder above":     {"Pipfile", "part", []string{"w/thing-p9m6iwlp"}, map[string]string{"WORKON_HOME": "/w"}, "w/thing-p9m6iwlp"},
		"of another folder":  {"poetry.lock", "", []string{".cache/pypoetry/virtualenvs/thing-aaaaaaaa-py3.9"}, nil, ""},
		"without a lock":     {"setup.py", "", []string{".cache/pypoetry/virtualenvs/thing-u9puHQpn-py3.9"}, nil, ""},
		"another is active":  {"poetry.lock", "", []string{".cache/pypoetry/virtualenvs/thing-u9puHQpn-py3.9"}, map[string]string{"VIRTUAL_ENV": "/x"}, ""},
		"conda is active":    {"poetry.lock", "", []string{".cache/pypoetry/virtualenvs/thing-u9puHQpn-py3.9"}, map[string]string{"CONDA_PREFIX": "/x"}, ""},
		"conda's base alone": {"Pipfile", "", []string{".local/share/virtualenvs/thing-p9m6iwlp"}, map[string]string{"CONDA_PREFIX": "/x", "CONDA_DEFAULT_ENV": "base"}, ".local/share/virtualenvs/thing-p9m6iwlp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, tree := t.TempDir(), t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(tree, c.in), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(tree, c.file), nil, 0o600))
			for _, kept := range c.kept {
				require.NoError(t, os.MkdirAll(filepath.Join(home, kept, "bin"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(home, kept, "pyvenv.cfg"), nil, 0o600))
			}
			env := func(name string) string {
				if value := c.env[name]; filepath.IsAbs(value) {
					return filepath.Join(home, value)
				}
				if name == "HOME" {
					return home
				}
				return c.env[name]
			}
			programs, _ := managedEnvironment(gate.InDir(copied{tree, user}, c.in), env)
			want := ""
			if c.want != "" {
				want = filepath.Join(home, c.want, "bin")
			}
			require.Equal(t, want, programs)
			programs, _ = managedEnvironment(folder(tree), env)
			require.Empty(t, programs, "it is unknown whose copy it is")
		})
	}
}
