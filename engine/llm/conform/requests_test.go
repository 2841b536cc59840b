package conform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// Checks of requests as they arrive.
var requestChecks = []check{
	{name: "messages arrive", run: checkMessages},
	{name: "who asks arrives", run: checkTags},
	{name: "temperature arrives", needs: []Ability{Temperature}, run: checkTemperature},
	{name: "schema arrives", needs: []Ability{Schemas}, run: checkSchema},
	{name: "thinking arrives", needs: []Ability{Thinking}, run: checkThinking},
	{name: "what is stable is marked", needs: []Ability{CacheMarks}, run: checkMarks},
	{name: "key only in a header", needs: []Ability{Keys}, run: checkKeyInHeader},
}

// arrives asks once, and returns the request as the server read it.
func (t *trial) arrives(r llm.Request, reply llmtest.Reply) (*session, llm.Request, said, error) {
	s, m, err := t.start(llmtest.Entry{Reply: &reply})
	if err != nil {
		return nil, llm.Request{}, said{}, err
	}
	answer := t.ask(m, r)
	if answer.err != nil {
		return nil, llm.Request{}, said{}, answer.err
	}
	return s, s.script.Requests()[0], answer, t.sound(answer)
}

// conversation has every role except those of tools.
func conversation() llm.Request {
	r := hello()
	r.Messages = []llm.Message{
		{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "One “question”\n\twith a tab 😀"},
		{Role: llm.Assistant, Text: "One answer"}, {Role: llm.User, Text: "Another question"},
	}
	return r
}

func checkMessages(t *trial) error {
	_, got, _, err := t.arrives(conversation(), llmtest.Reply{Text: "a"})
	if err != nil {
		return err
	}
	if want := conversation().Messages; !reflect.DeepEqual(want, got.Messages) {
		return fmt.Errorf("the messages arrive as %+v, not as %+v", got.Messages, want)
	}
	return errors.Join(same("the limit of the answer", 512, got.MaxTokens), same("whole", t.way == whole, got.Whole))
}

func checkTags(t *trial) error {
	r := hello()
	r.Node, r.Attempt, r.Key = "review", 3, "run-1/review/3"
	s, got, _, err := t.arrives(r, llmtest.Reply{Text: "a"})
	if err != nil {
		return err
	}
	_, body, _ := s.request()
	for _, tag := range []string{"review", "run-1"} {
		if strings.Contains(string(body), tag) {
			return fmt.Errorf("%q is in the request's body", tag)
		}
	}
	return errors.Join(same("the node", r.Node, got.Node), same("the attempt", r.Attempt, got.Attempt), same("the key", r.Key, got.Key))
}

func checkTemperature(t *trial) error {
	for temperature, stated := range map[float64]string{0: "0", 0.7: `0\.7`} {
		r := hello()
		r.Temperature = temperature
		s, _, _, err := t.arrives(r, llmtest.Reply{Text: "a"})
		if err != nil {
			return err
		}
		_, body, _ := s.request()
		if !regexp.MustCompile(`"temperature":\s*` + stated + `[,}\s]`).Match(body) {
			return fmt.Errorf("a temperature of %v does not arrive: %s", temperature, body)
		}
	}
	return nil
}

type verdict struct {
	Approved bool   `json:"approved"`
	Reason   string `json:"reason"`
}

func checkSchema(t *trial) error {
	r := hello()
	r.Schema, r.SchemaName = llm.SchemaFor[verdict](), "review_verdict"
	want := verdict{true, "“fine” 😀"}
	_, got, answer, err := t.arrives(r, llmtest.Reply{JSON: want})
	if err != nil {
		return err
	}
	var decoded verdict
	if err := llm.Decode(answer.Text, &decoded); err != nil {
		return err
	}
	if !sameJSON(r.Schema, got.Schema) {
		return fmt.Errorf("the schema arrives as %s, not as %s", got.Schema, r.Schema)
	}
	if got.SchemaName != "" && got.SchemaName != r.SchemaName {
		return fmt.Errorf("the schema's name arrives as %q", got.SchemaName)
	}
	return errors.Join(same("the answer", want, decoded), same("the finish reason", llm.FinishStop, answer.Finish),
		same("the number of calls", 0, len(answer.Calls)))
}

// sameJSON compares two documents, ignoring the order of their members.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func checkThinking(t *trial) error {
	r := hello()
	r.Thinking, r.MaxTokens = 2048, 512
	_, got, _, err := t.arrives(r, llmtest.Reply{Text: "a", Thinking: "hm"})
	if err != nil {
		return err
	}
	return same("the budget for thinking", r.Thinking, got.Thinking)
}

func checkMarks(t *trial) error {
	r := conversation()
	r.Messages[0].Stable, r.Messages[1].Stable = true, true
	_, got, _, err := t.arrives(r, llmtest.Reply{Text: "a"})
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(r.Messages, got.Messages) {
		return fmt.Errorf("the messages arrive as %+v, not as %+v", got.Messages, r.Messages)
	}
	return nil
}

func checkKeyInHeader(t *trial) error {
	s, _, _, err := t.arrives(hello(), llmtest.Reply{Text: "a"})
	if err != nil {
		return err
	}
	header, body, url := s.request()
	if strings.Contains(string(body), key) || strings.Contains(url, key) {
		return errors.New("the key is in the request's body or URL")
	}
	for name, values := range header {
		if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, key) }) {
			return sameOf("the header with the key", name, "Authorization", "X-Api-Key")
		}
	}
	return errors.New("the key was not sent")
}

// sameOf returns an error if a value is not among the allowed ones.
func sameOf(what, got string, allowed ...string) error {
	if !slices.Contains(allowed, got) {
		return fmt.Errorf("%s is %q, not one of %q", what, got, allowed)
	}
	return nil
}
