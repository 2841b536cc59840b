// Package repomap fits what a model should know of a folder into a budget of tokens: a map of files with the
// signatures of their symbols, and tiers of whole files, signatures and map.
package repomap

// Tokens estimates the tokens of a text: characters divided by four, rounded up.
func Tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// Map is a text that shows files with their symbols below them.
type Map struct {
	Text   string
	Tokens int
	Files  []string // those shown with symbols, in the order of the text
}
