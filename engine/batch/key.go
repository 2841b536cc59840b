package batch

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"forge/engine/llm"
)

// line identifies requests that can share a job: those for one model.
type line struct{ provider, model string }

func lineOf(c llm.Candidate) line { return line{c.Provider, c.ID} }

// keyOf returns the name of an item: the same for the same request with the same key, in any process. The request is part of it,
// because a retry may omit a feature that the provider rejects. Without a key each request is a new one.
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
