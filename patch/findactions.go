package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// findActions returns the entries of the only action list of a text. Two lists are an error, because it is unclear whether both apply.
// The error is a *ParseError.
func findActions(text string) ([]json.RawMessage, error) {
	text = strings.TrimPrefix(text, ByteOrderMark)
	found := jsonValues(text, false)
	if len(found) == 0 {
		return nil, &ParseError{Line: 1, Cause: `no action list found: it must begin a line with [{"path": …, "action": …`}
	}
	list := found[max(slices.IndexFunc(found, jsonValue.isActions), 0)] // otherwise the first value has the best error
	if list.err != nil {
		return nil, list.broken(text)
	}
	entries, cause := list.entries()
	switch {
	case cause != "":
		return nil, parseErrorAt(text, list.start, cause)
	case len(entries) == 0:
		return nil, parseErrorAt(text, list.start, "the list is empty: give at least one action")
	}
	return entries, onlyList(text, list.end)
}

// actionsLine returns the index of the line where an action list begins, or -1.
func actionsLine(text string) int {
	for _, v := range jsonValues(text, false) {
		if v.isActions() {
			return strings.Count(text[:v.start], "\n")
		}
	}
	return -1
}

// parseErrorAt returns an error about the line of a byte.
func parseErrorAt(text string, at int, cause string) error {
	return &ParseError{Line: 1 + strings.Count(text[:min(at, len(text))], "\n"), Cause: cause}
}

// onlyList rejects entries after the end of a list, which would be lost silently.
func onlyList(text string, end int) error {
	const help = "put all entries into one array"
	line, _, _ := strings.Cut(text[end:], "\n")
	if rest := strings.TrimSpace(line); rest != "" && strings.Contains(`,:"[]{}`, rest[:1]) {
		return parseErrorAt(text, end, fmt.Sprintf("%q follows the end of the list: %s", Clip(rest, 60), help))
	}
	for _, v := range jsonValues(text[end:], true) {
		if v.isActions() {
			return parseErrorAt(text, end+v.start, "a second list begins: "+help)
		}
	}
	return nil
}

// jsonValue is a JSON array or object in a text, or the beginning of one.
type jsonValue struct {
	start, end int // byte offsets; with an error, end is its place
	raw        string
	err        error
}

// valueStart matches the beginning of an array of objects, or of an object.
var valueStart = lazyregexp.New(`^(\[\s*[{\]]|\{\s*["}])`)

// jsonValues finds the arrays of objects and the objects that begin a line. Unless indented is set, leading white space is only accepted
// in the first line of a text or a fence: in a patch without markers, a line after a space is context.
func jsonValues(text string, indented bool) []jsonValue {
	var found []jsonValue
	at, behind, first := 0, 0, true
	for line := range strings.SplitAfterSeq(text, "\n") {
		begin := at + len(line) - len(strings.TrimLeft(line, " \t"))
		if begin >= behind && (begin == at || first || indented) && valueStart.MatchString(text[begin:]) {
			v := readValue(text, begin)
			behind, found = v.end, append(found, v)
		}
		if strings.TrimSpace(line) != "" {
			first = IsFence(line)
		}
		at += len(line)
	}
	return found
}

func readValue(text string, start int) jsonValue {
	v := jsonValue{start: start, end: len(text)}
	d := json.NewDecoder(strings.NewReader(text[start:]))
	var raw json.RawMessage
	v.err = d.Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case v.err == nil:
		v.end = start + int(d.InputOffset())
	case errors.As(v.err, &syntax):
		v.end = start + int(max(syntax.Offset-1, 1))
	}
	v.raw = text[start:v.end]
	return v
}

// broken describes the syntax error of a value.
func (v jsonValue) broken(text string) error {
	var syntax *json.SyntaxError
	switch {
	case !errors.As(v.err, &syntax):
		return parseErrorAt(text, len(text), "the list is incomplete: its last bracket is missing")
	case v.end < len(text) && (text[v.end] == '\n' || text[v.end] == '\r') && strings.Contains(syntax.Error(), "string"):
		return parseErrorAt(text, v.end, `the list is not JSON: a line ends inside a string; write \n there`)
	}
	return parseErrorAt(text, v.end, "the list is not JSON: "+syntax.Error())
}

// actionField is a field that only entries have.
var actionField = lazyregexp.New(`"action"\s*:`)

// isActions reports whether a value is an action list, by its first entry or by its beginning.
func (v jsonValue) isActions() bool {
	if v.err != nil {
		return actionField.MatchString(v.raw)
	}
	entries, _ := v.entries()
	if len(entries) == 0 {
		return false
	}
	var first map[string]json.RawMessage
	return json.Unmarshal(entries[0], &first) == nil && first["path"] != nil && first["action"] != nil
}

// entries returns the entries of a list, with or without a wrapper; cause is why it has none.
func (v jsonValue) entries() (list []json.RawMessage, cause string) {
	if v.raw[0] == '[' {
		return list, causeOf(json.Unmarshal([]byte(v.raw), &list))
	}
	fields, cause := readObject(json.RawMessage(v.raw))
	entry := fields["path"] != nil || fields["action"] != nil
	wrapper := fields["actions"] != nil || fields["files"] != nil
	switch {
	case entry, cause != "" && !wrapper:
		return []json.RawMessage{json.RawMessage(v.raw)}, "" // an error in an entry names its number
	case cause != "":
		return nil, cause
	}
	return wrapped(fields)
}

// wrapped returns the only list of an object. It rejects an object with further edits, which would be lost silently.
func wrapped(fields map[string]json.RawMessage) (list []json.RawMessage, cause string) {
	var named []string
	for _, name := range []string{"actions", "files", "edits", "patch"} {
		if !isEmpty(fields[name]) {
			named = append(named, name)
		}
	}
	switch {
	case len(named) > 1:
		return nil, fmt.Sprintf("the object has edits both as %s and as %s: put all entries into one array", named[0], named[1])
	case len(named) == 0 && fields["actions"] == nil && fields["files"] == nil:
		return nil, `the object is not an action list: write [{"path": …, "action": …}]`
	case len(named) == 0:
		return nil, ""
	}
	if json.Unmarshal(fields[named[0]], &list) != nil || named[0] == "edits" || named[0] == "patch" {
		return nil, fmt.Sprintf(`%s is not a list of actions: write [{"path": …, "action": …}]`, named[0])
	}
	return list, ""
}

func isEmpty(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "[]", `""`, "{}":
		return true
	}
	return false
}

func causeOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
