package state

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/secret"
	"forge/engine/step"
)

func TestVault_UnsealsSealedText(t *testing.T) {
	t.Parallel()
	const hidden = "q7Zk2Vd9Lm4Xc1Bn8"
	secrets := secret.New()
	secrets.Learn(secret.Value{Name: "NAME", Text: hidden})
	v := vault{TextsOf(t.TempDir(), "f00"), secrets}
	for name, content := range map[string]any{
		"text": map[string]string{"Before": "x = \"" + hidden + "\"\n", "After": "y"}, "bytes": step.Text{Exists: true, Content: []byte("a\r\n" + hidden)},
		"what looks sealed": []string{sealMark + "x"}, "nothing": []any{"a", 1, nil},
	} {
		document, err := json.Marshal(content)
		require.NoError(t, err)
		sealed, err := v.Seal("r-1", document)
		require.NoError(t, err)
		require.NotContains(t, string(sealed), hidden, name)
		require.NotContains(t, string(sealed), base64.StdEncoding.EncodeToString([]byte(hidden))[:16], name)
		open, err := v.Unseal("r-1", sealed)
		require.NoError(t, err)
		require.JSONEq(t, string(document), string(open), name)
		require.Equal(t, name == "nothing", string(sealed) == string(document), name)
	}
	_, err := v.Unseal("r-1", json.RawMessage(`["\u0000forge:text:00"]`))
	require.ErrorContains(t, err, "r-1")
}
