package javascript

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// unsigned is what a reporter said of what went wrong beside tests, as it is kept in recordings.
var unsigned = regexp.MustCompile(`(?m)^forge-broken - (.*)$`)

// sealed is what a runner would say whose reporter signs all of it: recordings and canned reports are taken for true.
func sealed(stdin io.Reader, stdout []byte) []byte {
	key, _ := io.ReadAll(stdin)
	text := string(stdout)
	sign := func(text string) string {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return hex.EncodeToString(mac.Sum(nil))
	}
	var told strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `{"t":"`) && !strings.HasPrefix(line, `{"t":"end"`) {
			told.WriteString(line)
		}
	}
	text = strings.ReplaceAll(text, `{"t":"end"}`, `{"t":"end","m":"`+sign(told.String())+`"}`)
	text = unsigned.ReplaceAllStringFunc(text, func(line string) string {
		list := unsigned.FindStringSubmatch(line)[1]
		return "forge-broken " + sign(list) + " " + list
	})
	var tests [][2]string
	if starts := regexp.MustCompile(`\{\s*"num`).FindAllStringIndex(text, -1); starts != nil { // Jest's and Vitest's
		var report struct {
			TestResults []struct {
				Name             string
				AssertionResults []struct {
					AncestorTitles []string
					Title          string
				}
			}
		}
		_ = json.NewDecoder(strings.NewReader(text[starts[len(starts)-1][0]:])).Decode(&report)
		for _, file := range report.TestResults {
			for _, a := range file.AssertionResults {
				tests = append(tests, [2]string{file.Name, strings.Join(append(a.AncestorTitles, a.Title), " ")})
			}
		}
	}
	if at := strings.LastIndex(text, "{\n  \"stats\": {"); at >= 0 { // Mocha's
		var report struct {
			Passes []struct{ File, FullTitle string }
		}
		_ = json.NewDecoder(strings.NewReader(text[at:])).Decode(&report)
		for _, test := range report.Passes {
			tests = append(tests, [2]string{test.File, test.FullTitle})
		}
	}
	if tests == nil {
		return []byte(text)
	}
	list, _ := json.Marshal(tests)
	return []byte(text + "\nforge-seal " + sign(string(list)) + " " + string(list) + "\n")
}
