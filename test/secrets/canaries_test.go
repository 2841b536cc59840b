package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
)

// canary is a secret that was made for one test.
type canary struct {
	name  string // for people
	value string
	lines []string // of a value that has several, each to be looked for by itself
}

// The alphabets of tokens.
const (
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	figures = "0123456789"
	letters = upper + "abcdefghijklmnopqrstuvwxyz"
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// random is a text of an alphabet.
func random(alphabet string, n int) string {
	text := make([]byte, n)
	for i := range text {
		at, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err)
		}
		text[i] = alphabet[at.Int64()]
	}
	return string(text)
}

// token is n letters and figures in the disorder that tokens have; chance alone gives, once in a while, what looks like a word.
func token(n int) string {
	for {
		if t := random(letters+figures, n-3) + "4x7"; disorder(t) > 0.4 {
			return t
		}
	}
}

// disorder is how often small letters, capital ones and figures take turns, from 0 to 1.
func disorder(text string) float64 {
	class := func(c byte) bool { return '0' <= c && c <= '9' }
	turns := 0
	for i := 1; i < len(text); i++ {
		if class(text[i]) != class(text[i-1]) || text[i]&0x20 != text[i-1]&0x20 {
			turns++
		}
	}
	return float64(turns) / float64(len(text)-1)
}

// environment is twenty variables with secrets in them, of many kinds.
func environment() (all []canary, environ []string) {
	jwt := "eyJhbGciOiJIUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"`+token(24)+`"}`)) + "." + token(43)
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-" + token(48), "ANTHROPIC_API_KEY": "sk-ant-api03-" + token(60), "AWS_SECRET_ACCESS_KEY": token(40),
		"GITHUB_TOKEN": "ghp_" + token(36), "GITLAB_PAT": "glpat-" + token(20), "STRIPE_SECRET_KEY": "sk_live_" + token(24),
		"SENTRY_AUTH_TOKEN": token(64), "NPM_TOKEN": "npm_" + token(36), "DOCKER_PASSWORD": "Tr0ub4dor&" + token(8),
		"MYSQL_PWD": token(14) + "%!", "PGPASSWORD": token(16) + "\"q", "JWT_SECRET": hex.EncodeToString([]byte(token(16))),
		"TWILIO_AUTH_TOKEN": random("0123456789abcdef", 32), "HF_TOKEN": "hf_" + random(letters, 34), "AZURE_CLIENT_SECRET": token(34) + "~.",
		"VAULT_TOKEN": "hvs." + token(90), "SLACK_BOT_TOKEN": "xoxb-" + random(figures, 12) + "-" + random(figures, 12) + "-" + token(24),
		"SIGNING_KEY": token(22) + "/+=", "SESSION_JWT": jwt, "smtp_pass": "p4ss phrase of " + token(10),
	} {
		all = append(all, canary{name: name, value: value})
		environ = append(environ, name+"="+value)
	}
	return all, environ
}

// keys are ten that Forge stores itself: half of them in the keychain, half in the file for machines without one. Providers
// of the user's settings use those of the keychain.
func keys(provider string) (all []canary, kept map[string]string, file, settings string) {
	kept, settings = map[string]string{}, "providers:\n"
	for i := range 10 {
		name, where := fmt.Sprintf("provider%d", i), "keychain"
		c := canary{value: token(32)}
		if i%2 == 0 {
			kept[name] = c.value
			settings += fmt.Sprintf("- {name: %s, kind: openai-compatible, baseURL: %s, key: saved}\n", name, provider)
		} else {
			where = "file"
			file += name + ": " + c.value + "\n"
		}
		c.name = where + ", key of " + name
		all = append(all, c)
	}
	return all, kept, file, settings
}

// files are twenty-three secrets in the files of a folder, and the files. Three are in the project's texts for models.
func files() (all []canary, folder map[string]string) {
	give := func(name, value string) string {
		c := canary{name: name, value: value}
		if strings.Contains(value, "\n") {
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); len(line) > 30 {
					c.lines = append(c.lines, line)
				}
			}
		}
		all = append(all, c)
		return value
	}
	folder = map[string]string{
		".gitignore": ".env\n.npmrc\n.netrc\nlocal.pem\n",
		".env": fmt.Sprintf("# local\nDB_PASSWORD=%s\nexport API_KEY='%s'\nDATABASE_URL=postgres://app:%s@db.local:5432/app\nINTERNAL=%s\nDEBUG=true\nPORT=8080\n",
			give(".env DB_PASSWORD", token(18)), give(".env API_KEY", token(30)), give(".env DATABASE_URL", token(20)), give(".env INTERNAL", token(28))),
		".npmrc":    "registry=https://registry.example.com/\n//registry.example.com/:_authToken=" + give(".npmrc", token(36)) + "\n",
		".netrc":    "machine example.com login me password " + give(".netrc", token(20)) + "\n",
		"local.pem": pem(give("local.pem", body())),
		"deploy/aws.ini": "[default]\naws_access_key_id = " + give("AWS id", "AKIA"+random(base32, 16)) + "\naws_secret_access_key = " +
			give("AWS key", token(40)) + "\n# refund\n",
		"deploy/app.yaml":         "# refund\ngithub: " + give("GitHub token", "ghp_"+token(36)) + "\nslack: " + give("Slack token", "xoxb-"+random(figures, 12)+"-"+random(figures, 12)+"-"+token(24)) + "\n",
		"deploy/terraform.tfvars": "# refund\ndb_password = \"" + give("tfvars", token(24)) + "\"\n",
		"deploy/credentials.json": `{"refund": true, "private_key": ` + quote(pem(give("credentials.json", body()))) + `, "client_secret": "` + give("client secret", token(26)) + `"}` + "\n",
		"deploy/gcp.go":           "package deploy\n\n// refund\nconst mapsKey = \"" + give("GCP key", "AIza"+token(35)) + "\"\n",
		"deploy/git.txt":          "refund: https://me:" + give("password in a URL", "glpat-"+token(20)) + "@gitlab.com/a/b.git\n",
		"AGENTS.md":               "# Working here\n\nRefunds are tested against the live system, with " + give("AGENTS.md", "ghp_"+token(36)) + "\n",
		".forge/skills/refunds/SKILL.md": "---\nname: refunds\ncategory: tdd\ndescription: How refunds are tested, with " + give("description of a skill", "npm_"+token(36)) +
			"\n---\nWrite the test first. The password is in the URL: https://me:" + give("body of a skill", "glpat-"+token(20)) + "@gitlab.com/a/b.git\n",
		"go.mod":      "module example.com/pay\n\ngo 1.24\n",
		"pay_test.go": payTest(give("printed by a test", "sk_live_"+token(24))),
		"pay.go": payment(give("hard-coded", "sk_live_"+token(24)), pem(give("private key in Go", body())),
			give("token in Go", "npm_"+token(36))),
	}
	return all, folder
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }

// body is what looks like a private key, without its first and last line.
func body() string {
	var lines []string
	for range 6 {
		lines = append(lines, token(64))
	}
	return strings.Join(lines, "\n")
}

func pem(body string) string {
	return "-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n-----END RSA PRIVATE KEY-----\n"
}
