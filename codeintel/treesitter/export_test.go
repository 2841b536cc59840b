package treesitter

import "forge/codeintel"

// Settle is settle, which every outline goes through.
var Settle = settle

// Scan is how a text is read where there are no grammars: with cgo most languages are read by them.
func Scan(language codeintel.Language, source string) codeintel.Outline {
	outline := scan(language, source)
	settle(&outline)
	return outline
}
