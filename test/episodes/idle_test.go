package episodes

import "forge/engine/llm/llmtest"

// idle are models that do nothing: they say that it is done, or that they cannot.
func idle() []behaviour {
	return []behaviour{
		{name: "done without tests", entries: func(project) []llmtest.Entry { return with(to(tests, write())) }, says: `changes nothing`},
		{name: "done without code", entries: implemented(func(project) llmtest.Reply { return write() }), says: `changes nothing`},
		{name: "done at once", entries: func(project) []llmtest.Entry {
			return []llmtest.Entry{to(decision, llmtest.Reply{JSON: map[string]any{"action": "done", "reason": "It is there already."}})}
		}},
		{name: "writes what is there already", entries: implemented(func(p project) llmtest.Reply { return write(file{"pay.keep", "create", ""}) })},
		{name: "says that it cannot", entries: implemented(func(p project) llmtest.Reply {
			return llmtest.Reply{JSON: map[string]any{"explanation": "", "files": []any{}, "patch": "", "blocked": "I have no database."}}
		}), says: `no database`},
		{name: "declines", entries: implemented(func(p project) llmtest.Reply { return llmtest.Reply{Refusal: "I would rather not."} }), says: `rather not`},
	}
}
