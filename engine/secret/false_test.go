package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// TestFalse_FewOfGosSourcesAreTakenForSecrets counts what is found in code of people who put no secrets into it, but keys for tests.
func TestFalse_FewOfGosSourcesAreTakenForSecrets(t *testing.T) {
	t.Parallel()
	sum, size := 0, 0
	for _, folder := range []string{"net", "crypto", "encoding"} {
		found, names := 0, map[string]int{}
		text := sources(t, testkit.Cases(150_000, 600_000), folder)
		for _, s := range joined(rules().match("", text)) {
			found++
			names[s.name]++
		}
		t.Logf("%-8s %4.1f in each MB: %v", folder, float64(found)*1e6/float64(len(text)), names)
		sum, size = sum+found, size+len(text)
	}
	require.Less(t, float64(sum)*1e6/float64(size), 20.0)
	require.NotEmpty(t, strings.TrimSpace(sources(t, 1000, "net")))
}
