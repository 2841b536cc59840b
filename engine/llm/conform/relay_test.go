package conform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// The exit statuses of the real mmx.
const (
	exitGeneral = 1
	exitAuth    = 3
	exitQuota   = 4
	exitTimeout = 5
	exitNetwork = 6
)

// relay does what `mmx text chat` does with its arguments, its configuration and its input: it asks MiniMax, at the base
// URL of its environment, and prints the answer or what is wrong.
func relay(args []string, stdin []byte) int {
	request, err := relayed(args, stdin)
	if err != nil {
		return complain(exitGeneral, err.Error())
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return complain(exitNetwork, "Network request failed.")
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return complain(exitNetwork, "Network request failed.")
	}
	var answer struct {
		Content json.RawMessage `json:"content"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	understood := json.Unmarshal(body, &answer) == nil
	said := answer.Error.Message
	switch code := response.StatusCode; {
	case code == 401 || code == 403:
		return complain(exitAuth, fmt.Sprintf("API key rejected (HTTP %d).", code))
	case code == 429:
		return complain(exitQuota, "Rate limit or quota exceeded. "+said)
	case code == 402:
		return complain(exitQuota, "Quota or balance exhausted. "+said)
	case code == 408 || code == 504:
		return complain(exitTimeout, fmt.Sprintf("Request timed out (HTTP %d).", code))
	case code != 200:
		return complain(exitGeneral, fmt.Sprintf("API error: %s (HTTP %d)", said, code))
	case !understood:
		return complain(exitGeneral, "API returned non-JSON response (text/html). Server may be experiencing issues.")
	case answer.Content == nil:
		return complain(exitGeneral, "Cannot read properties of undefined (reading 'filter')")
	}
	var pretty bytes.Buffer
	_ = json.Indent(&pretty, body, "", "  ")
	_, _ = os.Stdout.Write(append(pretty.Bytes(), '\n'))
	return 0
}

func complain(exit int, message string) int {
	_ = json.NewEncoder(os.Stderr).Encode(map[string]any{"error": map[string]any{"code": exit, "message": message}})
	return exit
}

// relayed makes the request.
func relayed(args []string, stdin []byte) (*http.Request, error) {
	var messages []map[string]any
	if err := json.Unmarshal(stdin, &messages); err != nil {
		return nil, err
	}
	body := map[string]any{"model": "MiniMax-M3", "max_tokens": 8192, "stream": false}
	var turns []map[string]any
	for _, m := range messages {
		if m["role"] == "system" {
			body["system"] = m["content"] // the last one counts
		} else {
			turns = append(turns, m)
		}
	}
	body["messages"] = turns
	var tools []json.RawMessage
	for i := 0; i+1 < len(args); i++ {
		switch value := args[i+1]; args[i] {
		case "--model":
			body["model"] = value
		case "--max-tokens":
			body["max_tokens"], _ = strconv.Atoi(value)
		case "--temperature":
			body["temperature"], _ = strconv.ParseFloat(value, 64)
		case "--tool":
			definition, err := os.ReadFile(value)
			if err != nil {
				return nil, err
			}
			tools = append(tools, definition)
		}
	}
	if tools != nil {
		body["tools"] = tools
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, os.Getenv("MINIMAX_BASE_URL")+"/v1/messages", bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	var config struct {
		Key string `json:"api_key"`
	}
	raw, err := os.ReadFile(filepath.Join(os.Getenv("MMX_CONFIG_DIR"), "config.json"))
	if err == nil {
		err = json.Unmarshal(raw, &config)
	}
	request.Header.Set("x-api-key", config.Key)
	request.Header.Set("Content-Type", "application/json")
	return request, err
}
