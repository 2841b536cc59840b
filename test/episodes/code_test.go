package episodes

import (
	"cmp"

	"forge/engine/llm/llmtest"
)

// badCode are models whose code is wrong, or whose code ends the tests.
func badCode() []behaviour {
	return []behaviour{
		{name: "the same wrong code for ever", entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.wrong}) }), says: `(?i)refund`},
		{name: "two wrong codes in turn", says: `(?i)refund`, entries: func(p project) []llmtest.Entry {
			return with(p.tested(), in(1, implementation, write(file{p.source, "create", p.wrong})), in(2, implementation, write(file{p.source, "create", p.otherWrong})),
				to(implementation, write(file{p.source, "create", p.wrong})))
		}},
		{name: "code that is none", entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.broken}) })},
		{name: "code that exits", entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.vanishing}) })},
		{name: "code that exits and prints that tests passed", entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.forging}) })},
		{name: "code that exits and writes that tests passed", entries: implemented(func(p project) llmtest.Reply {
			return write(file{p.source, "create", cmp.Or(p.writing, p.forging)})
		})},
	}
}
