package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"forge/patch"
)

// File is a plan as a document: users read and edit it before it is carried out.
type File struct {
	Schema      string `json:"$schema,omitempty" jsonschema:"where the schema is; editors complete and check the file with it"`
	Version     int    `json:"version" jsonschema:"of the format: 1"`
	Task        string `json:"task" jsonschema:"the request that the plan carries out"`
	Explanation string `json:"explanation,omitempty" jsonschema:"two sentences for the user who approves the plan"`
	Parts       []Part `json:"parts" jsonschema:"the parts of the task"`
}

// Version is the version of the format of plan files.
const Version = 1

// MaxFile is the largest plan file, in bytes.
const MaxFile = 1 << 20

// Fault is something wrong with a plan file.
type Fault struct {
	Line, Column int  // from 1; the column counts bytes
	Warning      bool // the plan can be carried out all the same: the message states how
	Message      string
}

func (f Fault) String() string {
	kind := "error"
	if f.Warning {
		kind = "warning"
	}
	return fmt.Sprintf("%d:%d: %s: %s", f.Line, f.Column, kind, f.Message)
}

// TooLarge is the fault of a file with more than MaxFile bytes.
func TooLarge(bytes int64) Fault {
	return Fault{Line: 1, Column: 1, Message: fmt.Sprintf("the file has %d bytes: a plan has at most %d", bytes, MaxFile)}
}

// Read parses a plan file and returns its faults, in the order of their places. Without an error among them the plan can be
// carried out. refuses returns why a command of the plan cannot be run here; nil knows of none.
func Read(text []byte, refuses func(argv []string) string) (File, []Fault) {
	r := reader{text: bytes.TrimPrefix(text, []byte(patch.ByteOrderMark)), refuses: refuses}
	r.read()
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return (a.Line-b.Line)<<20 + a.Column - b.Column })
	return r.file, r.faults
}

// Broken reports whether faults keep a plan from being carried out.
func Broken(faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return !f.Warning })
}

// reader reads a plan file, and knows where in it everything is.
type reader struct {
	text    []byte
	refuses func(argv []string) string // see Read
	file    File
	starts  []int    // offsets of the parts
	raw     [][]byte // their texts
	faults  []Fault
	partial bool // a value has the wrong type, so that file lacks it
}

func (r *reader) fault(offset int, warning bool, format string, args ...any) {
	before := r.text[:min(max(offset, 0), len(r.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	r.faults = append(r.faults, Fault{line, len(before) - bytes.LastIndexByte(before, '\n'), warning, fmt.Sprintf(format, args...)})
}

func (r *reader) read() {
	if len(r.text) > MaxFile {
		r.faults = []Fault{TooLarge(int64(len(r.text)))}
		return
	}
	if len(bytes.TrimSpace(r.text)) == 0 {
		r.fault(0, false, "the file is empty")
		return
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.text, &whole); err != nil {
		r.invalid("the plan", err, 0)
		return
	}
	d := json.NewDecoder(bytes.NewReader(r.text))
	if err := r.object(d); err != nil {
		r.fault(r.skip(int(d.InputOffset())-1), false, "%v", err)
		return
	}
	switch {
	case Broken(r.faults): // what a field of the wrong type lacks is no fault of its own
		return
	case r.file.Version > Version:
		r.fault(r.key("version"), false, "version %d is of a newer Forge: this one reads version %d", r.file.Version, Version)
		return
	case r.file.Version < 1:
		r.fault(r.key("version"), false, "\"version\" is missing: this Forge writes %d", Version)
	}
	if strings.TrimSpace(r.file.Task) == "" {
		r.fault(r.key("task"), false, "\"task\" is missing: name the request that the plan carries out")
	}
	if !r.partial {
		r.check()
	}
}

// object reads the members of the document.
func (r *reader) object(d *json.Decoder) error {
	if err := open(d, '{'); err != nil {
		return err
	}
	targets := map[string]any{"$schema": &r.file.Schema, "version": &r.file.Version, "task": &r.file.Task, "explanation": &r.file.Explanation}
	for d.More() {
		at := int(d.InputOffset())
		name, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := name.(string)
		if key == "parts" {
			if err := r.parts(d); err != nil {
				return err
			}
			continue
		}
		target, known := targets[key]
		if !known {
			r.fault(r.skip(at), true, "%q is no field of a plan, and is ignored", key)
			target = new(json.RawMessage)
		}
		start := int(d.InputOffset())
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := json.Unmarshal(value, target); err != nil {
			r.invalid(strconv.Quote(key), err, r.skip(start))
		}
	}
	_, err := d.Token() // the end of the object
	return err
}

func (r *reader) parts(d *json.Decoder) error {
	if err := open(d, '['); err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		start := int(d.InputOffset()) - len(raw)
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		var part Part
		if err := strict.Decode(&part); err != nil {
			r.partFault(err, raw, start, &part)
		}
		r.file.Parts, r.starts, r.raw = append(r.file.Parts, part), append(r.starts, start), append(r.raw, raw)
	}
	_, err := d.Token()
	return err
}

// partFault reports why a part cannot be decoded. An unknown field is a warning: the rest of the part counts.
func (r *reader) partFault(err error, raw []byte, start int, part *Part) {
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		r.fault(start+max(0, bytes.Index(raw, []byte(name))), true, "%s is no field of a part, and is ignored", name)
		*part = Part{}
		err = json.Unmarshal(raw, part)
	}
	if err != nil {
		r.invalid("a part", err, start)
	}
}

// invalid reports why a text is no JSON, or a value has the wrong type. what names the value if err names no field in it; base is where the
// text begins from which err counts.
func (r *reader) invalid(what string, err error, base int) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		r.fault(len(r.text), false, "the file ends here, in the middle of the plan")
	case errors.As(err, &syntax):
		r.fault(base+int(syntax.Offset)-1, false, "this is no JSON: %v", syntax)
	case errors.As(err, &kind):
		r.partial = true
		if kind.Field != "" {
			what = strconv.Quote(kind.Field)
		}
		r.fault(base+int(kind.Offset)-1, false, "%s cannot be a JSON %s", what, kind.Value)
	default:
		r.fault(base, false, "%v", err)
	}
}

func open(d *json.Decoder, bracket json.Delim) error {
	token, err := d.Token()
	switch {
	case err != nil || token == bracket:
		return err
	case bracket == '{':
		return errors.New("a plan is a JSON object: { … }")
	}
	return errors.New("\"parts\" is a list: [ … ]")
}

// skip returns the offset of the next text after white space, commas and colons.
func (r *reader) skip(at int) int {
	for at >= 0 && at < len(r.text) && strings.ContainsRune(" \t\r\n,:", rune(r.text[at])) {
		at++
	}
	return max(at, 0)
}

// key returns the offset of a name in the document; 0 without it.
func (r *reader) key(name string) int { return max(0, bytes.Index(r.text, []byte(`"`+name+`"`))) }

// check reports the faults of the parts, and what Forge will do differently.
func (r *reader) check() {
	plan := Plan{r.file.Parts}
	if n := len(plan.Parts); n == 0 || n > MaxParts {
		r.fault(r.key("parts"), false, "%d parts: give between 1 and %d", n, MaxParts)
	}
	for i, part := range plan.Parts {
		for _, err := range part.check() {
			r.fault(r.within(i, err.Error()), false, "%v", err)
		}
		if plan.index(part.ID) < i {
			r.fault(r.within(i, "id"), false, "two parts have the id %s", part.ID)
		}
	}
	if circle := plan.circle(); circle != nil {
		r.fault(r.within(plan.index(circle[0]), "dependsOn"), false, "parts wait for each other: %s", strings.Join(circle, " → "))
	}
	if Broken(r.faults) {
		return
	}
	if err := plan.Check(); err != nil { // what only concerns sub-tasks
		r.fault(r.key("parts"), false, "%v", err)
		return
	}
	r.checkCommands()
	_, notes := Repair(plan)
	for _, note := range notes {
		id, _, _ := strings.Cut(note, " ")
		at := r.key("parts")
		if i := plan.index(id); i >= 0 {
			at = r.within(i, note)
		}
		r.fault(at, true, "%s", note)
	}
}

// checkCommands warns of commands that no run starts: the reviewer decides without them.
func (r *reader) checkCommands() {
	for i, part := range r.file.Parts {
		for _, entry := range part.Verify {
			c, is := CommandIn(entry)
			if why := r.cannotRun(c); is && why != "" {
				r.fault(r.written(i, entry), true, "%s cannot be run: %s. The reviewer decides without it", c.Line, why)
			}
		}
	}
}

// cannotRun returns why a command cannot be run; "" if it can.
func (r *reader) cannotRun(c Command) string {
	if c.Trouble != "" || r.refuses == nil || len(c.Argv) == 0 {
		return c.Trouble
	}
	return r.refuses(c.Argv)
}

// written returns where in a part a text is, or its field "verify" if it is written in another way.
func (r *reader) written(i int, text string) int {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string
	if at := bytes.Index(r.raw[i], bytes.TrimSpace(quoted.Bytes())); at >= 0 {
		return r.starts[i] + at
	}
	return r.within(i, "verify")
}

// within returns where in a part a fault is: at a file that the message names, else at a field that it names, else at the part.
func (r *reader) within(i int, message string) int {
	part, raw := r.file.Parts[i], r.raw[i]
	names := slices.Concat(part.Files, part.DependsOn, []string{"dependsOn", "doneWhen", "objective", "subTasks", "verify", "title", "files", "risk", "type", "id"})
	if strings.Contains(message, "waits for") {
		names = append([]string{"dependsOn"}, names...)
	}
	for _, name := range names {
		quoted, _ := json.Marshal(name)
		if at := bytes.Index(raw, quoted); at >= 0 && name != "" && (strings.Contains(message, name) || name == "dependsOn" && strings.Contains(message, "waits for")) {
			return r.starts[i] + at
		}
	}
	return r.starts[i]
}
