package episodes

import (
	"strings"

	"forge/engine/llm/llmtest"
)

// againstTests are models that remove the user's tests, leave them failing, or have less checked.
func againstTests() []behaviour {
	return []behaviour{
		{name: "deletes the user's tests", entries: untested(func(p project) llmtest.Reply {
			return write(file{p.test, "create", p.rightTest}, file{p.weakened.path, "delete", ""})
		}, project.wrongCode)},
		{name: "checks less", says: `configures how this project is checked`, entries: implemented(func(p project) llmtest.Reply {
			return write(file{p.source, "create", p.wrong}, file{p.loosened.path, "write", p.loosened.text})
		})},
		{name: "leaves the failing test", fix: true, entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.right}) })},
		{name: "weakens the failing test", fix: true, entries: untested(func(p project) llmtest.Reply {
			return write(file{p.test, "create", p.rightTest}, file{p.weakened.path, "write", p.weakened.text})
		}, func(p project) string { return p.right })},
		{name: "weakens the failing test and says so", fix: true, entries: untested(func(p project) llmtest.Reply {
			return explained(p.weakened.path+" asks for what is not needed.", file{p.test, "create", p.rightTest}, file{p.weakened.path, "write", p.weakened.text})
		}, func(p project) string { return p.right }), says: `the task wants to pass|the task names it, and as it is written it still fails`},
		{name: "weakens the user's tests and says so", says: `as (it is|they are) today, and would fail with this change`, entries: weakening},
		{name: "lets the user's tests end early", says: `as (it is|they are) today, and would fail with this change`, entries: func(p project) []llmtest.Entry {
			ended := strings.Replace(p.files[p.weakened.path], p.ending.path, p.ending.path+p.ending.text, 1)
			return with(to(tests, write(file{p.test, "create", p.rightTest}, file{p.weakened.path, "write", ended})), breaking(p))
		}},
		{name: "deletes the user's tests and says so", says: `as (it is|they are) today, and would fail with this change`, entries: func(p project) []llmtest.Entry {
			return with(to(tests, explained(p.weakened.path+" is not needed.", file{p.test, "create", p.rightTest}, file{p.weakened.path, "delete", ""})), breaking(p))
		}},
		{name: "deletes the failing test", fix: true, entries: untested(func(p project) llmtest.Reply {
			return write(file{p.test, "create", p.rightTest}, file{p.weakened.path, "delete", ""})
		}, func(p project) string { return p.right })},
	}
}

// weakening is a model that weakens the user's tests until any code passes, claims that this is needed, and breaks the
// code that they checked.
func weakening(p project) []llmtest.Entry {
	return with(to(tests, explained(p.weakened.path+" asks for what is not needed.", file{p.test, "create", p.rightTest}, file{p.weakened.path, "write", p.weakened.text})), breaking(p))
}

// breaking is the right code, and the user's code broken next to it.
func breaking(p project) llmtest.Entry {
	files := []file{{p.source, "create", p.right}}
	for path, text := range p.failing {
		files = append(files, file{path, "write", text})
	}
	return to(implementation, write(files...))
}
