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

// Decode takes a model's answer apart into a struct. It accepts exactly one JSON object, which may stand
// in a code fence, between prose, and after a leading <think> block, and refuses everything that could be
// read in two ways: two objects, a list, braces in the prose, a key that occurs twice (in any case), a
// cut or malformed object, comments, trailing commas, NaN, a missing field, a wrong type. Fields that the
// type does not know are ignored; fields marked omitempty or omitzero may be missing or null.
//
// The error says what is wrong with the answer, in words that may be sent back to the model. On error
// into is unchanged.
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

// withoutThinking drops the block in which local reasoning models think aloud before they answer.
func withoutThinking(text string) (string, error) {
	rest, thinks := strings.CutPrefix(strings.TrimSpace(text), "<think>")
	if !thinks {
		return text, nil
	}
	_, answer, closed := strings.Cut(rest, "</think>")
	if !closed {
		return "", errCut
	}
	return answer, nil
}

// leadingObject splits text, which begins with a brace, behind the object that begins there.
func leadingObject(text string) (object json.RawMessage, after string, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&object); err != nil {
		return nil, "", plain(err)
	}
	return object, text[decoder.InputOffset():], nil
}

// checkProse refuses what shows that the object is a part of something larger, or one of several.
func checkProse(before, after string) error {
	if strings.HasSuffix(strings.TrimSpace(before), "[") || strings.HasPrefix(strings.TrimSpace(after), "]") {
		return errList
	}
	if strings.ContainsAny(before, "{}") || strings.ContainsAny(after, "{}") {
		return errMoreBraces
	}
	return nil
}

// checkKeys refuses an object that holds, at any depth, two keys which encoding/json would write into
// the same field: of {"approved": false, "Approved": true} it would take the last.
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

// keys is one open object or, when seen is nil, list. wantValue says that a key has just been read.
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

// next notes a key, or that the value of the last key begins.
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

// fold maps strings that differ only in case to one: each letter to the smallest of its case variants,
// as encoding/json compares field names.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		smallest := r
		for variant := unicode.SimpleFold(r); variant != r; variant = unicode.SimpleFold(variant) {
			smallest = min(smallest, variant)
		}
		return smallest
	}, key)
}

// plain puts an error of encoding/json into words without the names of Go types.
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
