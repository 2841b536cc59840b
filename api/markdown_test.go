package api

import (
	"fmt"
	"reflect"
	"strings"

	"forge/engine/event"
)

const markdownHead = `# Commands

<!-- ` + generatedBy + ` -->

Every command is a standard ` + "`workspace/executeCommand`" + `. Its arguments are one JSON object, or strings
` + "`key=value`" + ` (a dotted key reaches into an object, a repeated key fills a list), or nothing. Unknown
fields of an object are ignored; a wrong one, and an unknown key, is answered with -32602, its name and the allowed values.
`

// Markdown returns the documentation of all commands and events.
func Markdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, spec := range Table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", spec.Name, spec.Doc)
		fmt.Fprintf(&b, "Takes %s, returns %s.\n", linkTo(reflect.TypeOf(spec.Args)), linkTo(reflect.TypeOf(spec.Result)))
	}
	fmt.Fprintf(&b, "\n## Events\n\nThe notification `%s` carries an [Event](#event); `data` is, by `type`:\n\n", EventMethod)
	for _, data := range event.Types() {
		fmt.Fprintf(&b, "- `%s`: %s\n", data.Type(), linkTo(payloadType(data)))
	}
	fmt.Fprintf(&b, "\nThe notification `%s` carries a [Delta](#delta): what a model says while it says it.\n", DeltaMethod)
	fmt.Fprintf(&b, "\nThe notification `%s` carries a [ConversationChanged](#conversationchanged): another editor or a terminal has added a turn to a conversation.\n", ConversationMethod)
	fmt.Fprintf(&b, "\nThe notification `%s` carries a [ProposalChanged](#proposalchanged): a proposal has changed by itself.\n", ProposalMethod)
	fmt.Fprintf(&b, "\nA client sends a [Restriction](#restriction) as `initializationOptions`, and as the notification `%s` when it changes.\n", RestrictMethod)
	b.WriteString("\nThe `data` of an error that answers a command is an [ErrorData](#errordata), if it has a remedy. The message is for the user; no client needs to read it.\n")
	b.WriteString("\n## Types\n")
	for _, t := range wireTypes() {
		writeTable(&b, t)
	}
	return b.String()
}

func writeTable(b *strings.Builder, t reflect.Type) {
	if t.NumField() == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n| field | type | |\n|---|---|---|\n", t.Name())
	for _, f := range fieldsOf(t) {
		name := "`" + f.name + "`"
		if f.optional {
			name += "?"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, typeCell(f), f.doc)
	}
}

func typeCell(f field) string {
	if f.enum != "" {
		return "`" + strings.ReplaceAll(f.enum, ",", "`, `") + "`"
	}
	return linkTo(f.typ)
}

// linkTo names a type and leads to its table.
func linkTo(t reflect.Type) string {
	t = wireType(t)
	switch t.Kind() {
	case reflect.Pointer:
		return linkTo(t.Elem())
	case reflect.Slice:
		return "list of " + linkTo(t.Elem())
	case reflect.Struct:
		if t.NumField() == 0 {
			return "nothing"
		}
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	case reflect.Interface:
		return "see above"
	default:
		return strings.TrimSuffix(tsOf(t), "[]")
	}
}
