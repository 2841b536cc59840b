package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A key that is typed is not on the screen, and what is skipped is not asked again.
func TestSetupTerminal_HidesTheKey(t *testing.T) {
	t.Parallel()
	hosted := serve(t, false, listing(canary))
	w := modelsWorld(t, "OPENAI_BASE_URL="+hosted.URL+"/v1")
	p := w.sit("setup")
	p.sees("Key of OpenAI (hidden; Enter for none): ")
	p.types(canary)
	p.sees("OpenAI accepts the key: 2 models")
	p.sees("Key of Anthropic")
	p.types("")
	p.sees("skipped")
	p.sees("Key of MiniMax")
	p.types("")
	p.sees("forge models shows which models are used now")
	code, screen := p.leaves()
	require.Equal(t, 0, code, screen)
	require.NotContains(t, screen, canary)
	kept, err := os.ReadFile(filepath.Join(w.home, "keys.yaml"))
	require.NoError(t, err)
	require.NotContains(t, string(kept), canary)
	require.Regexp(t, `^openai: aes-256-gcm:\S+\n$`, string(kept))
}
