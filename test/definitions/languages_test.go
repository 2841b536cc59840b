package definitions

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// folders are the trees to compare on: those of an environment variable, or the usual ones.
func folders(variable string, usual ...string) []string {
	if set := os.Getenv(variable); set != "" {
		return strings.Split(set, ":")
	}
	return usual
}

func output(t *testing.T, program ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program[0], program[1:]...).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestGo_AsByItsTypeChecker(t *testing.T) {
	t.Parallel()
	root := output(t, "go", "env", "GOROOT")
	report(t, compare(t, goAnswers(t, files(t, []string{".go"}, nil, folders("GO_TREES", root+"/src")...))))
}

func TestPython_AsByItsAST(t *testing.T) {
	t.Parallel()
	library := output(t, "python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))")
	all := files(t, []string{".py"}, []string{"site-packages", "test"}, folders("PYTHON_TREES", library)...)
	report(t, compare(t, ask(t, all, "python3", "python.py")))
}

func TestTypeScript_AsByItsCompiler(t *testing.T) {
	t.Parallel()
	all := files(t, []string{".ts", ".tsx"}, nil, folders("TYPESCRIPT_TREES", "node_modules")...)
	report(t, compare(t, ask(t, all, "node", "typescript.mjs")))
}

func TestJavaScript_AsByTypeScriptsCompiler(t *testing.T) {
	t.Parallel()
	usual := []string{"node_modules/axios/lib", "node_modules/express/lib", "node_modules/qs", "node_modules/rxjs/dist/esm", "node_modules/zod/v4"}
	all := files(t, []string{".js"}, nil, folders("JAVASCRIPT_TREES", usual...)...)
	report(t, compare(t, ask(t, all, "node", "typescript.mjs")))
}
