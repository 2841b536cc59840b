package imports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadTOML_KnowsEachWayToWriteAValue(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"tables":         "[tool.setuptools.packages.find]\nwhere = [\"src\", # why\n]\n[[tool.poetry.packages]]\nfrom = 'lib'\n",
		"dotted keys":    "tool.setuptools.packages.find.where = [\"src\"]\n[[tool.poetry.packages]]\nfrom = \"lib\"\n",
		"inline tables":  "[tool]\nsetuptools = { packages = { find = { where = [\"src\"] } } }\npoetry = { packages = [{ include = \"x\", from = \"lib\" }] }\n",
		"texts of lines": "[project]\nreadme = '''\n[tool.pytest.ini_options]\npythonpath = \"no\"\n'''\n[tool.setuptools.packages.find]\nwhere = \"\"\"\nsrc\"\"\"\n[[tool.poetry.packages]]\nfrom = 'lib'\n",
	} {
		require.Equal(t, []string{"src", "lib"}, pyprojectSources([]byte(text)), name)
	}
	require.Empty(t, pyprojectSources([]byte("a = "+strings.Repeat("[", 1<<20))), "nested deeper than anybody writes")
}

func TestReadJSON_KnowsCommentsFromTexts(t *testing.T) {
	t.Parallel()
	var config struct {
		Include []string
		Paths   map[string]string
		Last    bool
	}
	readJSON([]byte("\uFEFF// a \"comment\"\n{\n  \"include\": [\"**/*\", \"a/**/b\", /* no, */ \"http://x//y\",],\n  \"paths\": {\"@/*\": \"src/*\", \"a\\\"//\": \"b\"}, // }\n  \"last\": true,\n}\n/* end */"), &config)
	require.Equal(t, []string{"**/*", "a/**/b", "http://x//y"}, config.Include)
	require.Equal(t, map[string]string{"@/*": "src/*", `a"//`: "b"}, config.Paths)
	require.True(t, config.Last)
}
