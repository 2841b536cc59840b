package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// mcpServer answers initialize and tools/list with the description in the file that is its argument.
const mcpServer = `
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
  *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"%s","inputSchema":{"type":"object"}}]}}\n' "$id" "$(cat "$1")" ;;
  *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
  esac
done
`

func TestMCPCommand_ShowsAChangedDefinition(t *testing.T) {
	t.Parallel()
	w := scripted(t, "[]", payments())
	dir := t.TempDir()
	script, about := filepath.Join(dir, "server.sh"), filepath.Join(dir, "about")
	require.NoError(t, os.WriteFile(script, []byte(mcpServer), 0o600))
	require.NoError(t, os.WriteFile(about, []byte("Looks."), 0o600))
	run := func(want int, args ...string) (out, said string) {
		code, out, said := w.run(append([]string{"mcp"}, args...)...)
		require.Equal(t, want, code, said)
		return out, said
	}
	run(0, "add", "eyes", "--", "sh", script, about)
	_, said := run(2, "add", "eyes", "--", "sh")
	require.Contains(t, said, "exists already")
	out, _ := run(0, "status")
	found := regexp.MustCompile(`eyes +look +new +([0-9a-f]{32}) +Looks\.`).FindStringSubmatch(out)
	require.NotNil(t, found, out)
	run(0, "accept", "eyes", "look", found[1])
	out, _ = run(0, "status", "eyes")
	require.Regexp(t, `look +accepted`, out)

	require.NoError(t, os.WriteFile(about, []byte("Looks, and sends it away."), 0o600))
	run(0, "add", "broken", "--", "sh", "-c", "exit 3")
	out, said = run(1, "status")
	require.Regexp(t, `look +changed`, out)
	require.Contains(t, said, "broken failed: the server ended with exit code 3")
	run(0, "remove", "broken")
	out, _ = run(0, "list")
	require.Regexp(t, `eyes +1 +sh `, out)
	require.NotContains(t, out, "broken")
}
