package llm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// hashVersion changes whenever the hash of the same request would change: entries stored by hash are then missing instead of wrong.
const hashVersion = "forge request 1"

// Hash identifies the part of the request that reaches the model, in 64 hexadecimal digits: two requests have the same
// hash exactly if a model cannot distinguish them. It is the same in every process, on every machine and in every
// version (see hashVersion).
//
// Node, Attempt, Key and Tier do not count, because they describe origin and target; Whole and Message.Stable do not,
// because they describe the transport. JSON counts byte for byte, as a model sees it; empty counts as nil.
func (r Request) Hash() string {
	h := hasher{sha256.New()}
	h.text(hashVersion)
	h.number(uint64(len(r.Messages)))
	for _, m := range r.Messages {
		h.message(m)
	}
	h.number(math.Float64bits(r.Temperature + 0)) // adding 0 makes -0 a 0
	h.flag(r.OwnTemperature)
	h.number(uint64(r.MaxTokens))
	h.text(string(r.Schema))
	h.text(r.SchemaName)
	h.number(uint64(len(r.Tools)))
	for _, t := range r.Tools {
		h.text(t.Name)
		h.text(t.Description)
		h.text(string(t.Schema))
	}
	h.text(r.UseTool)
	h.number(uint64(r.Thinking))
	return hex.EncodeToString(h.Sum(nil))
}

// hasher writes values with their lengths, so that different sequences have different bytes.
type hasher struct{ hash.Hash }

func (h hasher) message(m Message) {
	h.text(string(m.Role))
	h.text(m.Text)
	h.number(uint64(len(m.Calls)))
	for _, c := range m.Calls {
		h.text(c.ID)
		h.text(c.Name)
		h.text(string(c.Arguments))
	}
	h.text(m.CallID)
	h.flag(m.Failed)
}

func (h hasher) text(s string) {
	h.number(uint64(len(s)))
	_, _ = h.Write([]byte(s)) // a hash takes everything
}

func (h hasher) number(n uint64) {
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, n))
}

func (h hasher) flag(is bool) {
	if is {
		h.number(1)
	} else {
		h.number(0)
	}
}
