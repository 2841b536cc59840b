package api

// Generated returns the files that are generated from this package, by their slash-separated path in
// the repository.
func Generated() map[string]string {
	return map[string]string{
		"docs/commands.md":                     Markdown(),
		"vscode-extension/src/protocol_gen.ts": TypeScript(),
	}
}
