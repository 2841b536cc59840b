package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// findActions returns the entries of the one action list of a text. Two of them are refused, because
// nothing says whether both are meant. The error is a *ParseError.
func findActions(text string) ([]json.RawMessage, error) {
	text = strings.TrimPrefix(text, ByteOrderMark)
	found := jsonValues(text, false)
	if len(found) == 0 {
		return nil, &ParseError{Line: 1, Cause: `there is no action list: it must begin a line with [{"path": …, "action": …`}
	}
	list := found[max(slices.IndexFunc(found, jsonValue.isActions), 0)] // if there is none, the first has the best error
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

// actionsLine is the index of the line where an action list begins, or -1.
func actionsLine(text string) int {
	for _, v := range jsonValues(text, false) {
		if v.isActions() {
			return strings.Count(text[:v.start], "\n")
		}
	}
	return -1
}

// parseErrorAt is an error about the line of a byte.
func parseErrorAt(text string, at int, cause string) error {
	return &ParseError{Line: 1 + strings.Count(text[:min(at, len(text))], "\n"), Cause: cause}
}

// onlyList refuses entries behind the end of a list. Passed over as prose, they would be lost unseen.
func onlyList(text string, end int) error {
	const help = "put all entries into one array"
	line, _, _ := strings.Cut(text[end:], "\n")
	if rest := strings.TrimSpace(line); rest != "" && strings.Contains(`,:"[]{}`, rest[:1]) {
		return parseErrorAt(text, end, fmt.Sprintf("behind the end of the list stands %q: %s", Clip(rest, 60), help))
	}
	for _, v := range jsonValues(text[end:], true) {
		if v.isActions() {
			return parseErrorAt(text, end+v.start, "a second list begins: "+help)
		}
	}
	return nil
}

// jsonValue is a JSON array or object in a text, or what begins like one.
type jsonValue struct {
	start, end int // bytes; with an error, it goes wrong at end
	raw        string
	err        error
}

// valueStart is how an array of objects, or an object, begins.
var valueStart = lazyregexp.New(`^(\[\s*[{\]]|\{\s*["}])`)

// jsonValues finds the arrays of objects and the objects that begin a line. White space before them is
// for the first line of a text or of a fence only, unless it is for all: in a patch that lost its
// markers, a line behind a space is context.
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

// broken says what is wrong with a value that is no JSON.
func (v jsonValue) broken(text string) error {
	var syntax *json.SyntaxError
	switch {
	case !errors.As(v.err, &syntax):
		return parseErrorAt(text, len(text), "the list is cut off: its last bracket is missing")
	case v.end < len(text) && (text[v.end] == '\n' || text[v.end] == '\r') && strings.Contains(syntax.Error(), "string"):
		return parseErrorAt(text, v.end, `the list is no JSON: a line ends inside of a string; write \n there`)
	}
	return parseErrorAt(text, v.end, "the list is no JSON: "+syntax.Error())
}

// actionField is a field that only an entry has.
var actionField = lazyregexp.New(`"action"\s*:`)

// isActions reports whether a value is an action list by its first entry, or begins like one.
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

// entries returns the entries of a list, however it is wrapped; cause is why it has none.
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

// wrapped returns the one list of an object. Other edits beside it would be lost unseen.
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
		return nil, `the object is no action list: write [{"path": …, "action": …}]`
	case len(named) == 0:
		return nil, ""
	}
	if json.Unmarshal(fields[named[0]], &list) != nil || named[0] == "edits" || named[0] == "patch" {
		return nil, fmt.Sprintf(`%s is no list of actions: write [{"path": …, "action": …}]`, named[0])
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
