package gateways

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

// TestMain becomes a proxy of an MCP server if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == proxyMode {
		proxy(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(testkit.Main(m, &forge))
}

// request is the user's task, and every prompt of the run contains it.
const request = "Add a Discount method to Cart"

// answersOfTheDemo are those of the demo's script, in order: aimock gives the next one to each request of the run.
func answersOfTheDemo(t *testing.T) []fixture {
	t.Helper()
	source, err := os.ReadFile("../../cmd/forge/sample/script.yaml")
	require.NoError(t, err)
	var script struct {
		Entries []struct {
			Reply struct {
				JSON any `yaml:"json"`
			} `yaml:"reply"`
		} `yaml:"entries"`
	}
	require.NoError(t, yaml.Unmarshal(source, &script))
	require.NotEmpty(t, script.Entries)
	fixtures := make([]fixture, len(script.Entries))
	for i, entry := range script.Entries {
		fixtures[i] = fixture{
			"match":    fixture{"userMessage": request, "sequenceIndex": i},
			"response": fixture{"content": string(mustJSON(t, entry.Reply.JSON))},
		}
	}
	return fixtures
}

// The main job, from the built program to a changed folder, with a server that Forge did not write: the first implementation is
// blocked by its test, the second is applied, and undone. The user sets only what providers document.
func TestAimock_MainJob(t *testing.T) {
	t.Parallel()
	for name, environ := range testkit.SampleMap(1, map[string]func(url string) []string{
		"openai": func(url string) []string {
			return []string{"OPENAI_API_KEY=" + gatewayKey, "OPENAI_BASE_URL=" + url + "/v1", "FORGE_MODEL=gpt-4o"}
		},
		"anthropic": func(url string) []string {
			return []string{"ANTHROPIC_API_KEY=" + gatewayKey, "ANTHROPIC_BASE_URL=" + url, "FORGE_MODEL=claude-3-5-sonnet-20241022"}
		},
		"ollama": func(url string) []string {
			return []string{"OLLAMA_HOST=" + strings.TrimPrefix(url, "http://"), "FORGE_MODEL=gpt-4"} // it calls its models so
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := aimock(t, answersOfTheDemo(t)...)
			root := filepath.Join(t.TempDir(), "cart")
			run := func(args ...string) string {
				t.Helper()
				c := exec.Command(forge, args...)
				c.Env = append(append(os.Environ(), "FORGE_HOME="+filepath.Join(filepath.Dir(root), "state")), environ(url)...)
				out, err := c.CombinedOutput()
				require.NoError(t, err, string(out))
				return string(out)
			}
			run("dev", "sample", root)
			before, err := os.ReadFile(filepath.Join(root, "cart.go"))
			require.NoError(t, err)

			said := run("run", "--dir", root, "--trust", "--yes", request)
			require.Contains(t, said, "TestDiscount", "the output names the gate that blocked the first attempt")
			after, err := os.ReadFile(filepath.Join(root, "cart.go"))
			require.NoError(t, err)
			require.Contains(t, string(after), "func (c Cart) Discount(percent int) (int, error)")
			require.Len(t, journal(t, url), len(answersOfTheDemo(t)), "each answer was asked for once")
			require.NotContains(t, said, gatewayKey)

			run("undo", "--dir", root, "--yes")
			undone, err := os.ReadFile(filepath.Join(root, "cart.go"))
			require.NoError(t, err)
			require.Equal(t, string(before), string(undone))
		})
	}
}
