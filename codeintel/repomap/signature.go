package repomap

import (
	"strings"
	"unicode/utf8"

	"forge/codeintel"
)

// maxSignature bounds a signature, in bytes.
const maxSignature = 120

// signature is the line that shows a symbol: "Server.Serve(l net.Listener) error", "struct Server", "const
// limit int". The parentheses mark functions and methods; a container is only named, not described.
func signature(container, name string, s *codeintel.Symbol) string {
	var b strings.Builder
	if word := kindWord(s.Kind); word != "" {
		b.WriteString(word + " ")
	}
	if s.Receiver != "" {
		container = bareType(s.Receiver)
	}
	if container != "" {
		b.WriteString(container + ".")
	}
	b.WriteString(name)
	if detail := oneLine(s.Detail); detail != "" {
		if !strings.HasPrefix(detail, "(") {
			b.WriteString(" ")
		}
		b.WriteString(detail)
	}
	return clip(b.String())
}

// kindWord is what stands before a name; functions, methods and what lies inside of something need none.
func kindWord(kind codeintel.Kind) string {
	switch kind {
	case codeintel.Function, codeintel.Method, codeintel.Constructor, codeintel.Field, codeintel.Member,
		codeintel.Heading, codeintel.Key:
		return ""
	case codeintel.Constant:
		return "const"
	case codeintel.Variable:
		return "var"
	default:
		return string(kind)
	}
}

// bareType cuts a receiver down to its name: "*Map[K, V]" is "Map".
func bareType(receiver string) string {
	receiver = strings.TrimLeft(receiver, "*&( ")
	if end := strings.IndexAny(receiver, "[<) "); end > 0 {
		receiver = receiver[:end]
	}
	return oneLine(receiver)
}

func clip(text string) string {
	if len(text) <= maxSignature {
		return text
	}
	end := maxSignature
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
