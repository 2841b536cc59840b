package secret

import (
	"crypto/sha1" //nolint:gosec // see TestSecret_HashesOfGit
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	value = "q7Zk2Vd9&\"Lm4/Xc1+Bn8==" // no rule knows it
	key   = "sk_li" + "ve_4eC39HqLyjWDarjtT1zdp7dc"
)

func knowing(values ...string) *Redactor {
	r := New()
	for _, v := range values {
		r.Learn(Value{"NAME", v})
	}
	return r
}

func TestSecret_AKnownValueIsReplacedInEveryForm(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(value)
	require.NoError(t, err)
	for name, form := range map[string]string{
		"as it is": value, "in a query": url.QueryEscape(value), "in a path": url.PathEscape(value), "in JSON": strings.Trim(string(quoted), `"`),
		"in Go": strings.Trim(fmt.Sprintf("%q", value), `"`), "in digits": fmt.Sprintf("%x", value), "in capital digits": fmt.Sprintf("%X", value),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, "a=[redacted: NAME];", knowing(value).Plain("a="+form+";"))
		})
	}
	for shift := range 4 {
		text := base64.StdEncoding.EncodeToString([]byte("user:xyz"[:shift] + value + "tail"))
		//nolint:testifylint // the bytes count
		require.Equal(t, `{"auth": "[redacted: NAME]"}`, knowing(value).Plain(`{"auth": "`+text+`"}`), shift)
	}
}

func TestSecret_TheSameTextGivesTheSameMarks(t *testing.T) {
	t.Parallel()
	text := "x := \"" + key + "\"\ny := \"" + value + "\" // " + key
	r := knowing(value)
	first, found := r.Text(text)
	require.Equal(t, "x := \"[redacted: stripe-access-token]\"\ny := \"[redacted: NAME]\" // [redacted: stripe-access-token]", first)
	for range 3 {
		again, _ := r.Text(text)
		require.Equal(t, first, again)
	}
	marked, none := r.Text(first)
	require.Equal(t, first, marked, "a mark is no secret")
	require.Empty(t, none)
	var tally Tally
	require.True(t, tally.Add(found))
	require.False(t, tally.Add(found))
	require.Equal(t, []Count{{"NAME", 1}, {"stripe-access-token", 1}}, tally.Counts(), "each is counted once")
}

func TestSecret_RecognisesPartsOfAFoundSecret(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("MIIEpAIBAAKCAQEA7bq98vZ2hX4kQ1rT5yU6wE3sD0fG8jK2lP9oI7uY1tR5eWq3\nZXcVbNmAsDfGhJkLqWeRtYuIoP1234567890aXcDqFgHwJkLmNoPqRsTuVwXyZ12\n", 2)
	private := "-----BEGIN RSA PRIVATE KEY-----\n" + body + "-----END RSA PRIVATE KEY-----"
	line := strings.Split(body, "\n")[0]
	r := New()
	require.NotContains(t, r.Plain("  "+line[:30]+"\n"), "redacted", "by itself it is nothing to a rule")
	require.NotContains(t, r.Plain("key:\n"+private+"\n"), line)
	require.Equal(t, "+\t[redacted: private-key]\n", r.Plain("+\t"+line+"\n"), "as a diff shows it")
}

func TestSecret_Environment(t *testing.T) {
	t.Parallel()
	for variable, secret := range map[string]string{
		"STRIPE_KEY=" + value:                           value,
		"DB_PASSWORD=Sup3rGeheim":                       "Sup3rGeheim",
		"MYSQL_PWD=a1b2c3d4e5":                          "a1b2c3d4e5",
		"DATABASE_URL=postgres://me:pa55w0rd!@h:5432/d": "pa55w0rd!",
		"smtp_pass=correct horse battery staple":        "correct horse battery staple",
		"AUTHORIZATION_TOKEN=s3rvice2service":           "s3rvice2service",
		"API_AUTHORIZATION=Bearer 8f14e45fceea167a":     "8f14e45fceea167a",
		"AUTHOR_TOKEN=N7bV3xZ9qL1m":                     "N7bV3xZ9qL1m",
		"KEYCLOAK_ADMIN=q7Zk2Vd9Lm4Xc1":                 "q7Zk2Vd9Lm4Xc1",
		// not secret
		"SSH_AUTH_SOCK=/tmp/ssh-XXXXa1b2c3/agent.4711": "",
		"KEY=1":        "",
		"AUTH=true":    "",
		"GOAUTH=netrc": "",
		"TOKEN_FILE=/run/secrets/token-1a2b3c4d5e6f":          "",
		"PASSWORD=postgres":                                   "",
		"MAX_TOKENS=128000":                                   "",
		"PWD=/home/someone/Projects2024":                      "",
		"KEYBOARD_LAYOUT=de":                                  "",
		"AUTHOR=Some Body <me@example.com>":                   "",
		"GIT_AUTHOR_NAME=Jane-Elizabeth Public 2nd":           "",
		"KEYCLOAK_REALM=MyCompany":                            "",
		"KEYCLOAK_HOSTNAME=keycloak.example.com":              "",
		"TOKENIZER=sentence-transformers/all-MiniLM-L6-v2":    "",
		"DEFAULT_KEY=Information":                             "",
		"SESSION_MANAGER=local/box:@/tmp/.ICE-unix/2000":      "",
		"API_AUTHORIZATION=Bearer ${API_TOKEN}":               "",
		"API_KEY=${VAULT_API_KEY}":                            "",
		"HOME=/home/someone/q7Zk2Vd9Lm4Xc1":                   "",
		"GIT_COMMIT=3f786850e387550fdab836ed7e6dc881de23001b": "",
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			r := New()
			r.LearnEnviron([]string{variable})
			_, text, _ := strings.Cut(variable, "=")
			if secret == "" {
				require.Empty(t, r.known, "%s", text)
				return
			}
			require.Contains(t, r.known, secret)
		})
	}
}

// Random-looking text that is no secret stays: a model needs it, and so do users.
func TestSecret_HashesAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "index 83db48f..bf2a6c1 100644",
		"github.com/google/go-cmp v0.7.0 h1:wk8382ETsv4JYUZwIsn6YpYiWiBsYLSJiTsyBybVuN8=",
		`"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="`,
		"id = 123e4567-e89b-12d3-a456-426614174000", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"func TestParse(t *testing.T) { token := lexer.Next() }", "key := map[string]int{}", "password := os.Getenv(\"PASSWORD\")",
		"const maxTokens = 1_000_000",
	} {
		require.Equal(t, text, New().Plain(text))
	}
}

// A hash of git's is no secret, whichever it is, also where it stands beside the word.
func TestSecret_HashesOfGit(t *testing.T) {
	t.Parallel()
	for i := range 500 {
		hash := sha1.Sum([]byte{byte(i), byte(i >> 8)}) //nolint:gosec // git's own, and nothing is kept safe with it
		text := fmt.Sprintf("commit %x\ntoken: see %x\n", hash, hash)
		require.Equal(t, text, New().Plain(text))
	}
}

func TestSecret_MarksOfAnEdit(t *testing.T) {
	t.Parallel()
	mark := Mark("KEY")
	require.Empty(t, MarkAdded("a "+mark, "b "+mark), "it was there before")
	require.Equal(t, mark, MarkAdded("a "+mark, mark+mark))
	require.Equal(t, mark, MarkIn("- x = "+mark))
	require.Empty(t, MarkIn("[redacted: ]"))
	require.Equal(t, "[redacted: a__b_c]", Mark("a[]b\nc"), "no name ends a mark")
}

func TestSecret_OffReplacesNothing(t *testing.T) {
	t.Parallel()
	for _, r := range []*Redactor{Off(), nil} {
		r.Learn(Value{"NAME", value})
		require.Equal(t, key+value, r.Plain(key+value))
		require.False(t, r.Holds(key))
	}
}

// Whatever stands around values, none of them is left, and the rest is as it was.
func TestSecret_NothingIsLeftAndNothingElseIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9+/"&%=!-]{8,40}`), 1, 5).Draw(t, "values")
		r := knowing(values...)
		var text, want strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			filler := rapid.StringMatching(`[a-z \n,.]{0,20}`).Draw(t, "filler")
			v := rapid.SampledFrom(values).Draw(t, "value")
			text.WriteString(filler + " " + v + " ")
			want.WriteString(filler + " ")
		}
		got := r.Plain(text.String())
		for _, v := range values {
			require.NotContains(t, strings.ReplaceAll(got, Mark("NAME"), "\x00"), v)
		}
		require.Equal(t, strings.TrimSpace(want.String()) == "", strings.TrimSpace(strings.ReplaceAll(got, Mark("NAME"), "")) == "")
	})
}

func TestSecret_JSONIsTheSameButForSecrets(t *testing.T) {
	t.Parallel()
	document := []byte(`{"b": 1e3, "a\u0041": ["x ` + key + `", "\u2028"], "c": null }`)
	got, found := New().JSON(document)
	require.Len(t, found, 1)
	//nolint:testifylint // the bytes count
	require.Equal(t, `{"b": 1e3, "a\u0041": ["x `+key+`", "\u2028"], "c": null }`, strings.ReplaceAll(string(got), Mark("stripe-access-token"), key))
	same, none := New().JSON([]byte(`{"a": "b"}`))
	require.Equal(t, `{"a": "b"}`, string(same)) //nolint:testifylint // the bytes count
	require.Empty(t, none)
}

func FuzzSecret_Text(f *testing.F) {
	f.Add("a=" + value + "\n\n## x\n" + key)
	f.Add("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("aA1", 40) + "\n-----END PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		r := knowing(value)
		got, found := r.Text(text)
		require.NotContains(t, got, value)
		require.Equal(t, len(found) == 0, got == text)
		again, _ := r.Text(text)
		require.Equal(t, got, again)
		if quoted, err := json.Marshal(text); err == nil {
			safe, _ := r.JSON(quoted)
			require.True(t, json.Valid(safe))
		}
	})
}

func TestSecret_BlankKeepsPlacesAndNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"k := \"" + key + "\"\n":                         "k := \"" + strings.Repeat("*", len(key)) + "\"\n",
		"p = " + value + "\n":                            "p = " + strings.Repeat("*", len(value)) + "\n",
		"x = a9Kd02kLmQ8zPw3nVb7R\r\n":                   "x = " + strings.Repeat("*", 20) + "\r\n",
		"func TestHTTP2ServerSettingsTimeout() {}":       "func TestHTTP2ServerSettingsTimeout() {}",
		"TestMaxInt64ForMultipartFormMaxMemory32kB":      "TestMaxInt64ForMultipartFormMaxMemory32kB",
		"func TestX509V1CertP256R1A2(t *T) {}":           "func TestX509V1CertP256R1A2(t *T) {}",
		"checkX5V1CertP2R1A2(\"checkX5V1CertP2R1A2(\")":  "checkX5V1CertP2R1A2(\"" + strings.Repeat("*", 19) + "(\")",
		"class A1b2C3d4E5f6G7h8:":                        "class A1b2C3d4E5f6G7h8:",
		"encodeBase64URLWithoutPadding2 utf8ToUTF16LE32": "encodeBase64URLWithoutPadding2 utf8ToUTF16LE32",
		"var x86_64_avx512_vpopcntdq = 0x1234567890":     "var x86_64_avx512_vpopcntdq = 0x1234567890",
	} {
		require.Equal(t, want, string(knowing(value).Blank("x.go", []byte(text))))
	}
}
