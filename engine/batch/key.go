package batch

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"forge/engine/llm"
)

// line is what goes into one job: requests for one model.
type line struct{ provider, model string }

func lineOf(c llm.Candidate) line { return line{c.Provider, c.ID} }

// keyOf names an item: the same for the same request of the same key, in any process. The request counts as well, because it may
// be asked once more without something that the provider does not take. Without a key each request is a new one.
func keyOf(l line, r llm.Request, request []byte) string {
	if r.Key == "" {
		return rand.Text()
	}
	sum := sha256.New()
	for _, part := range []string{l.provider, l.model, r.Key, string(request)} {
		fmt.Fprintf(sum, "%d\n%s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:20])
}
