package anthropic

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// The API has no place for the label of a job. It has one for a name of each request, which comes back with the
// results and nowhere else, so the label travels in front of each key:
//
//	<length of the label, one digit of 64> <how the key is written> <label> <key>
//
// A key is written as it is, or, where it is hexadecimal and there is no room, as the bytes that it stands for.
const (
	digits  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	maxName = 64 // characters

	asItIs  = "k"
	asBytes = "h"
)

var nameable = lazyregexp.New(`^[a-zA-Z0-9_-]*$`)

// nameOf returns the name of a request. The label may be empty, the key may not.
func nameOf(label, key string) (string, error) {
	if !nameable.MatchString(label) || !nameable.MatchString(key) || key == "" {
		return "", wire.Malformed("a batch can hold names of letters, digits, - and _ only, not %q of the job %q", key, label)
	}
	name := asItIs + label + key
	if bytes, err := hex.DecodeString(key); err == nil && len(name) >= maxName && key == strings.ToLower(key) {
		name = asBytes + label + base64.RawURLEncoding.EncodeToString(bytes)
	}
	if len(name) >= maxName {
		return "", wire.Malformed("the names %q and %q are too long for a batch: together they may have %d characters", label, key, maxName-2)
	}
	return digits[len(label):len(label)+1] + name, nil
}

// parseName splits a name; ok is false for foreign names.
func parseName(name string) (label, key string, ok bool) {
	if len(name) < 3 {
		return "", "", false
	}
	end := 2 + strings.IndexByte(digits, name[0])
	if end < 2 || end >= len(name) {
		return "", "", false
	}
	label, key = name[2:end], name[end:]
	switch name[1:2] {
	case asItIs:
		return label, key, true
	case asBytes:
		bytes, err := base64.RawURLEncoding.DecodeString(key)
		return label, hex.EncodeToString(bytes), err == nil
	default:
		return "", "", false
	}
}
