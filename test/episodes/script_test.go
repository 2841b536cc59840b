package episodes

import (
	"fmt"

	"forge/engine/llm/llmtest"
)

// The requests of a run, by the names of their answers.
const (
	decision       = "decision"
	tests          = "tests"
	implementation = "implementation"
	review         = "review"
)

// to answers a request as often as it comes.
func to(schema string, reply llmtest.Reply) llmtest.Entry {
	return llmtest.Entry{Match: llmtest.Match{Schema: schema}, Reply: &reply, Times: -1}
}

// in answers a request of one attempt.
func in(attempt int, schema string, reply llmtest.Reply) llmtest.Entry {
	e := to(schema, reply)
	e.Match.Attempt = attempt
	return e
}

// file is a file of an answer.
type file struct{ path, action, content string }

// write is an answer that writes files.
func write(files ...file) llmtest.Reply {
	list := []any{}
	for _, f := range files {
		list = append(list, map[string]any{"path": f.path, "action": f.action, "content": f.content})
	}
	return answer(list, "")
}

// explained is an answer that writes files and says why.
func explained(why string, files ...file) llmtest.Reply {
	reply := write(files...)
	reply.JSON.(map[string]any)["explanation"] = why
	return reply
}

// patched is an answer that is a patch.
func patched(text string) llmtest.Reply { return answer([]any{}, text) }

func answer(files []any, patch string) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"explanation": "Done.", "files": files, "patch": patch, "blocked": ""}}
}

func text(words string) llmtest.Reply { return llmtest.Reply{Text: words} }

// diagnosis answers an overseer, and a debugger's requests with another strategy each time.
func diagnosis() (entries []llmtest.Entry) {
	entries = append(entries, to("class", llmtest.Reply{JSON: map[string]any{"class": "unclear", "reason": "it is not clear"}}))
	for attempt := 2; attempt <= 3; attempt++ {
		entries = append(entries, in(attempt, "diagnosis", llmtest.Reply{JSON: map[string]any{
			"rootCause": "it is wrong", "hypotheses": []any{"it is"}, "fix": "mend it", "mustRead": []any{}, "strategy": fmt.Sprintf("way %d to mend it", attempt)}}))
	}
	return entries
}

// The beginning and the end of an episode: no specification is needed, and the reviewer passes whatever it sees.
func begin() llmtest.Entry {
	return to(decision, llmtest.Reply{JSON: map[string]any{"action": "executor", "reason": "small"}})
}

func nod() llmtest.Entry {
	return to(review, llmtest.Reply{JSON: map[string]any{"pass": true, "reason": "Looks good to me.", "issues": []any{}}})
}

// with is an episode of a model that decides and reviews as if all were well.
func with(entries ...llmtest.Entry) []llmtest.Entry {
	return append([]llmtest.Entry{begin(), nod()}, entries...)
}

func (p project) tested() llmtest.Entry { return to(tests, write(file{p.test, "create", p.rightTest})) }

// implemented is a behaviour that writes the right tests and then something else.
func implemented(reply func(p project) llmtest.Reply) func(p project) []llmtest.Entry {
	return func(p project) []llmtest.Entry { return with(p.tested(), to(implementation, reply(p))) }
}

// untested is a behaviour whose tests are bad, and whose code is.
func untested(reply func(p project) llmtest.Reply, code func(p project) string) func(p project) []llmtest.Entry {
	return func(p project) []llmtest.Entry {
		return with(to(tests, reply(p)), to(implementation, write(file{p.source, "create", code(p)})))
	}
}

func (p project) wrongCode() string { return p.wrong }
