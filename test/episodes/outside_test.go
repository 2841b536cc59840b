package episodes

import "forge/engine/llm/llmtest"

const escape = "#!/bin/sh\necho owned\n"

// outside are models that write where nothing of theirs belongs.
func outside() []behaviour {
	return []behaviour{
		{name: "writes beside the folder", entries: implemented(func(p project) llmtest.Reply { return write(file{"../escape.sh", "create", escape}) }), says: `\.\./escape`},
		{name: "writes to an absolute path", entries: implemented(func(p project) llmtest.Reply { return write(file{"/tmp/forge-episode-escape.sh", "create", escape}) }), says: `escape`},
		{name: "writes a hook", entries: implemented(func(p project) llmtest.Reply { return write(file{".git/hooks/pre-commit", "create", escape}) }), says: `\.git`},
	}
}
