package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pinBytes is the length of a pin before it is written in hexadecimal: too long to find two definitions with the same pin.
const pinBytes = 16

// pinOf hashes everything about a tool that the model or the user sees: name, title, description, schemas and annotations. Icons and metadata do
// not count. The order of fields has no effect, since schemas are decoded into maps, which JSON sorts.
func pinOf(t *sdk.Tool) (string, error) {
	text, err := json.Marshal([]any{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:pinBytes]), nil
}

// ValidPin reports whether a text has the form of a pin.
func ValidPin(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == pinBytes
}
