package state

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"forge/engine/secret"
)

// vault keeps strings that have a secret in them out of the journal: texts of the user's files, which stand in the shadow
// of their folder anyway. The journal has their names, and a run that is played again gets what it had.
type vault struct {
	texts   Texts
	secrets *secret.Redactor
}

// sealMark begins a string that stands for a text in the shadow. A string that begins so by itself is kept there, too.
const sealMark = "\x00forge:text:"

// Seal puts the strings of a document away that have a secret.
func (v vault) Seal(run string, document json.RawMessage) (json.RawMessage, error) {
	return secret.EachString(document, func(s string) (string, error) {
		if !strings.HasPrefix(s, sealMark) && !v.holds(s) {
			return s, nil
		}
		id, err := v.texts.Put(run, s)
		return sealMark + id, err
	})
}

// Unseal puts them back, and knows their secrets from then on.
func (v vault) Unseal(run string, document json.RawMessage) (json.RawMessage, error) {
	return secret.EachString(document, func(s string) (string, error) {
		id, sealed := strings.CutPrefix(s, sealMark)
		if !sealed {
			return s, nil
		}
		text, err := v.texts.Text(run, id)
		if err != nil {
			return "", fmt.Errorf("a text that the journal names: %w", err)
		}
		_ = v.holds(text)
		return text, nil
	})
}

// holds reports whether there is a secret in a string, or in the bytes it stands for: JSON has those in base64.
func (v vault) holds(s string) bool {
	if v.secrets.Holds(s) {
		return true
	}
	bytes, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(bytes) > 0 && v.secrets.Holds(string(bytes))
}
