package episodes

import (
	"strings"

	"forge/engine/llm/llmtest"
)

// garbage are answers that are none, to each request.
func garbage() (all []behaviour) {
	for kind, words := range map[string]string{
		"prose": "Certainly! Here is the change you asked for.", "a list": `[1, 2, 3]`, "two objects": `{"explanation": "a"} {"explanation": "b"}`,
		"an object cut off": `{"explanation": "a", "files": [{"path": "x`, "not a number": `{"explanation": NaN}`, "null": `null`,
		"a string": `"files"`, "a deep list": strings.Repeat("[", 5000), "a megabyte": `{"explanation": "` + strings.Repeat("x", 1<<20) + `"}`,
		"zero bytes": "{\"explanation\": \"\x00\"}",
	} {
		for _, schema := range []string{decision, tests, implementation, review} {
			all = append(all, behaviour{name: kind + " for " + schema, garbage: true, entries: func(p project) []llmtest.Entry {
				entries := []llmtest.Entry{to(schema, text(words))}
				for _, other := range []llmtest.Entry{begin(), nod(), p.tested(), to(implementation, write(file{p.source, "create", p.right}))} {
					if other.Match.Schema != schema {
						entries = append(entries, other)
					}
				}
				return entries
			}})
		}
	}
	return all
}
