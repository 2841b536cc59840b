package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decode decodes a model's answer into a struct. It accepts exactly one JSON object, which may be in a
// code fence, between prose, and after the thoughts of a model, which end with </think>. It rejects every ambiguous answer: two
// objects, a list, braces in the prose, a duplicate key (in any case), a truncated or malformed object,
// comments, trailing commas, NaN, a missing field, a wrong type. It ignores unknown fields; fields marked
// omitempty or omitzero may be missing or null.
//
// The error describes the fault, in words that may be sent back to the model. On error into is unchanged.
func Decode[T any](text string, into *T) error {
	object, err := soleObject(text)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err := check[T](object); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	var decoded T
	if err := json.Unmarshal(object, &decoded); err != nil {
		return fmt.Errorf("read the answer: %w", plain(err))
	}
	*into = decoded
	return nil
}

// The ways in which an answer is not one object.
var (
	errNoObject   = errors.New("it holds no JSON object")
	errCut        = errors.New("the JSON object is cut off")
	errMoreBraces = errors.New("there are braces outside the JSON object: answer with one object and nothing else")
	errList       = errors.New("it is a JSON list: answer with one object")
	errEncoding   = errors.New("it is not valid UTF-8")
)

// soleObject returns the one JSON object in text, verbatim.
func soleObject(text string) (json.RawMessage, error) {
	if !utf8.ValidString(text) {
		return nil, errEncoding
	}
	text, err := withoutThinking(text)
	if err != nil {
		return nil, err
	}
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return nil, errNoObject
	}
	object, after, err := leadingObject(text[start:])
	if err != nil {
		return nil, err
	}
	if err := checkProse(text[:start], after); err != nil {
		return nil, err
	}
	return object, checkKeys(object)
}

// withoutThinking drops the thoughts of local reasoning models before an answer: a leading block or, if the template of the
// model has opened the block in the prompt, everything up to its end.
func withoutThinking(text string) (string, error) {
	rest, thinks := strings.CutPrefix(strings.TrimSpace(text), "<think>")
	before, answer, closed := strings.Cut(rest, "</think>")
	switch {
	case thinks && !closed:
		return "", errCut
	case thinks, closed && !quotes(before):
		return answer, nil
	default:
		return text, nil
	}
}

// quotes reports whether a text that ends before </think> is an answer with that tag in it, and not thoughts: it has opened
// the block itself, or code, or a text of its object, which a line break cannot continue.
func quotes(before string) bool {
	if strings.Contains(before, "<think>") || strings.Count(before, "`")%2 == 1 {
		return true
	}
	start := strings.IndexByte(before, '{')
	if start < 0 {
		return false
	}
	_, _, open := leadingObject(before[start:])
	_, _, broken := leadingObject(before[start:] + "\n")
	return errors.Is(open, errCut) && !errors.Is(broken, errCut)
}

// leadingObject splits text, which begins with a brace, after its first object.
func leadingObject(text string) (object json.RawMessage, after string, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&object); err != nil {
		return nil, "", plain(err)
	}
	return object, text[decoder.InputOffset():], nil
}

// checkProse rejects text which shows that the object is a part of something larger, or one of several.
func checkProse(before, after string) error {
	if strings.HasSuffix(strings.TrimSpace(before), "[") || strings.HasPrefix(strings.TrimSpace(after), "]") {
		return errList
	}
	if strings.ContainsAny(before, "{}") || strings.ContainsAny(after, "{}") {
		return errMoreBraces
	}
	return nil
}

// checkKeys rejects an object that contains, at any depth, two keys for the same field: of
// {"approved": false, "Approved": true} encoding/json would use the last.
func checkKeys(object json.RawMessage) error {
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	decoder.UseNumber()
	var open []keys
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return plain(err)
		}
		if open, err = track(open, token); err != nil {
			return err
		}
	}
}

// keys is one open object or, if seen is nil, list. wantValue means that a key has just been read.
type keys struct {
	seen      map[string]bool
	wantValue bool
}

func track(open []keys, token json.Token) ([]keys, error) {
	if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
		return open[:len(open)-1], nil
	}
	if len(open) > 0 {
		if err := open[len(open)-1].next(token); err != nil {
			return nil, err
		}
	}
	switch token {
	case json.Delim('{'):
		return append(open, keys{seen: map[string]bool{}}), nil
	case json.Delim('['):
		return append(open, keys{}), nil
	}
	return open, nil
}

// next handles a key, or the beginning of the last key's value.
func (k *keys) next(token json.Token) error {
	if k.seen == nil {
		return nil
	}
	if k.wantValue {
		k.wantValue = false
		return nil
	}
	k.wantValue = true
	key, _ := token.(string)
	if k.seen[fold(key)] {
		return fmt.Errorf("the key %q occurs twice in one object", key)
	}
	k.seen[fold(key)] = true
	return nil
}

// fold maps strings that differ only in case to one: each letter to its smallest case variant, as
// encoding/json compares field names.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		smallest := r
		for variant := unicode.SimpleFold(r); variant != r; variant = unicode.SimpleFold(variant) {
			smallest = min(smallest, variant)
		}
		return smallest
	}, key)
}

// plain rewrites an error of encoding/json without the names of Go types.
func plain(err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCut
	case errors.As(err, &syntax):
		return fmt.Errorf("the JSON is malformed at byte %d: %s", syntax.Offset, syntax.Error())
	case errors.As(err, &mismatch):
		return fmt.Errorf("the field %q cannot hold a %s", mismatch.Field, mismatch.Value)
	default:
		return err
	}
}
