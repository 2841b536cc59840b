package wire

import (
	"net/http"
	"slices"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

// Part is a field of a request that some servers of a kind do not take, and say so.
type Part struct {
	Name    string             // for people, and for the adapter: "response_format"
	Words   *lazyregexp.Regexp // finds it in what servers say
	Feature llm.Feature        // of llm.Request that it stands for; empty is none: see RefusedError
	// Unknown says that servers complain of its value as well, which is a mistake of the caller: it is refused only
	// where they say that they do not know it.
	Unknown bool
}

// RefusedError is the cause of a failure of Do that names a Part without a Feature: the server did nothing, and the
// adapter may ask it again without.
type RefusedError struct {
	Part string

	said string
}

// Error is what the server says.
func (e *RefusedError) Error() string { return e.said }

// refused returns the part that a server says it does not take.
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

// saysNo are the statuses with which servers refuse a part: the last three are of gateways that find nobody who
// takes it, and of local servers that were started without it.
var saysNo = []int{
	http.StatusBadRequest, http.StatusUnprocessableEntity,
	http.StatusNotFound, http.StatusInternalServerError, http.StatusNotImplemented,
}

var saysUnknown = lazyregexp.New(`(?i)not (currently |yet )?support|unsupported|endpoints found that support|unrecogni[sz]ed|` +
	`unknown (parameter|argument|field|name)|(parameter|argument|field) unknown|not (permitted|allowed|available|implemented|enabled)|` +
	`unavailable|unexpected|extra_forbidden|requires? --|does not (accept|take)|deprecated`)
