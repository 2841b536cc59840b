package wire

import (
	"net/http"
	"slices"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

// Part is a field of a request that some servers reject with a specific message.
type Part struct {
	Name    string             // for users and the adapter: "response_format"
	Words   *lazyregexp.Regexp // finds it in servers' messages
	Feature llm.Feature        // the feature of llm.Request; empty is none: see RefusedError
	// Unknown means that servers also complain about its value, which is the caller's mistake: it counts as
	// rejected only if the server does not know it.
	Unknown bool
}

// RefusedError is the cause of a failure of Do for a Part without a Feature: the server did nothing, and the
// adapter may retry without it.
type RefusedError struct {
	Part string

	said string
}

// Error returns the server's message.
func (e *RefusedError) Error() string { return e.said }

// refused returns the part that a server's message rejects.
func (s *Server) refused(status int, said complaint) (Part, bool) {
	if said.status() != 0 {
		status = said.status()
	}
	if !slices.Contains(saysNo, status) {
		return Part{}, false
	}
	unknown := saysUnknown.MatchString(said.Message) || said.is("unsupported_parameter", "unsupported_value", "unknown_parameter")
	for _, text := range []string{said.Param, said.Message} {
		for _, part := range s.dialect.Parts {
			clean := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
			if part.Words.MatchString(text) && (unknown || clean && !part.Unknown) {
				return part, clean || part.Feature != ""
			}
		}
	}
	return Part{}, false
}

// saysNo are the statuses with which servers reject a part: the last three are of gateways without a suitable
// model, and of local servers that were started without the feature.
var saysNo = []int{
	http.StatusBadRequest, http.StatusUnprocessableEntity,
	http.StatusNotFound, http.StatusInternalServerError, http.StatusNotImplemented,
}

var saysUnknown = lazyregexp.New(`(?i)not (currently |yet )?support|unsupported|endpoints found that support|unrecogni[sz]ed|` +
	`unknown (parameter|argument|field|name)|(parameter|argument|field) unknown|not (permitted|allowed|available|implemented|enabled)|` +
	`unavailable|unexpected|extra_forbidden|requires? --|does not (accept|take)|deprecated`)
