package secret

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

var marked = regexp.MustCompile(`«(.*?)»`)

// TestConfiguration_OnlySecretsAreLearned: class names, hosts, versions and words of a configuration stay readable in every text.
func TestConfiguration_OnlySecretsAreLearned(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/configuration.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archive.Files)
	for _, file := range archive.Files {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, m := range marked.FindAllStringSubmatch(string(file.Data), -1) {
				want = append(want, m[1])
			}
			require.NotEmpty(t, want)
			r := New()
			text := strings.NewReplacer("«", "", "»", "").Replace(string(file.Data))
			require.NoError(t, r.LearnFolder(fstest.MapFS{file.Name: {Data: []byte(text)}}))
			require.Subset(t, slices.Collect(maps.Keys(r.known)), want)
			for learned, name := range r.known { // a rule may know a part
				require.True(t, slices.ContainsFunc(want, func(secret string) bool { return strings.Contains(secret, learned) }), "%s is no secret: %s", name, learned)
			}
		})
	}
}

// TestConfiguration_CodeStaysReadable: what a configuration names occurs in code, too.
func TestConfiguration_CodeStaysReadable(t *testing.T) {
	t.Parallel()
	r := New()
	require.NoError(t, r.LearnFolder(fstest.MapFS{
		"src/main/resources/application.properties": {Data: []byte("spring.kafka.consumer.key-deserializer=org.apache.kafka.common.serialization.StringDeserializer\napi.authorization=Bearer s3rvice2service\n")},
		"appsettings.Development.json":              {Data: []byte(`{"Logging": {"LogLevel": {"Microsoft.AspNetCore.Authentication": "Information"}}}`)},
	}))
	code := "import org.apache.kafka.common.serialization.StringDeserializer;\n// Information on keys\n"
	require.Equal(t, code, r.Plain(code))
	require.Equal(t, "call([redacted: application.properties api.authorization])", r.Plain("call(s3rvice2service)"))
}

// TestOrdinary_KeysAreNot: whatever chance makes of a key, in each alphabet that keys are written in.
func TestOrdinary_KeysAreNot(t *testing.T) {
	t.Parallel()
	uuid := func(sum []byte) string {
		return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	}
	for name, encode := range map[string]func(sum []byte) string{
		"hexadecimal": func(sum []byte) string { return hex.EncodeToString(sum[:10]) },
		"base32": func(sum []byte) string {
			return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15])
		},
		"small":  func(sum []byte) string { return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20])) },
		"base64": func(sum []byte) string { return base64.StdEncoding.EncodeToString(sum[:18]) },
		"URL":    func(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum[:15]) },
		"text": func(sum []byte) string {
			return base64.StdEncoding.EncodeToString([]byte("admin:" + hex.EncodeToString(sum[:6])))
		},
		"UUID": uuid,
	} {
		ordinary := 0
		for i := range 10_000 {
			sum := sha256.Sum256(fmt.Append(nil, i))
			if isOrdinary(encode(sum[:])) {
				ordinary++
			}
		}
		require.Less(t, ordinary, 100, "%s: of 10,000", name)
	}
	require.True(t, isOrdinary("quay.io/keycloak/keycloak:24.0.1"))
}
