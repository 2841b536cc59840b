package checks

import (
	"path/filepath"

	"forge/engine/gate"
	"forge/engine/gate/general"
	"forge/engine/gate/golang"
	"forge/engine/gate/javascript"
	"forge/engine/gate/python"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
)

// languages returns Forge's languages. build is a folder of Forge's own for the output of compilers without a trustworthy cache.
func languages(r sandbox.Runner, build string) []gate.Language {
	return []gate.Language{
		golang.Language(r),
		javascript.Language(r, build),
		python.Language(r),
		rust.Language(r, filepath.Join(build, "rust")),
		general.ShellLanguage(r),
	}
}
