package wire

import (
	"net/http"
	"slices"
	"strconv"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

// Part is a field of a request that some servers reject with a specific message.
type Part struct {
	Name    string             // for users and the adapter: "response_format"
	Words   *lazyregexp.Regexp // finds it in servers' messages
	Feature llm.Feature        // the feature of llm.Request; empty is none: see RefusedError
	// Unknown means that servers also complain about its value, which is the caller's mistake: it counts as
	// rejected only if the server does not know it or, without a Feature, if its message names numbers.
	Unknown bool
}

// RefusedError is the cause of a failure of Do for a Part without a Feature: the server did nothing, and the
// adapter may retry without it, or with another value.
type RefusedError struct {
	Part  string
	Value bool // the server knows the part, and rejects its value

	said string
}

// Error returns the server's message.
func (e *RefusedError) Error() string { return e.said }

// Below returns the largest limit in the server's message that is smaller than a rejected value; 0 if there is none.
func (e *RefusedError) Below(value int) (largest int) {
	for _, n := range limits(e.said) {
		if n < value {
			largest = max(largest, n)
		}
	}
	return largest
}

// limits returns the numbers in a message that may be limits of a value, as in "[1, 8192]", "16384 > 8192", or "to 8193
// (exclusive)": those from 1000, and not parts of names and of ids.
func limits(said string) (all []int) {
	for _, found := range limit.FindAllStringSubmatch(thousands.ReplaceAllString(said, "$1$2"), -1) {
		n, _ := strconv.Atoi(found[1]) // at most nine digits
		if found[2] != "" {
			n--
		}
		all = append(all, n)
	}
	return all
}

var (
	limit     = lazyregexp.New(`(?:^|[^\w.-])(\d{4,9})\b( \(exclusive\))?`)
	thousands = lazyregexp.New(`\b(\d{1,3}),(\d{3})\b`)
)

// refused returns the part that a server's message rejects, and whether the server knows it and rejects its value.
func (s *Server) refused(status int, said complaint) (_ Part, value, refused bool) {
	if said.status() != 0 {
		status = said.status()
	}
	if !slices.Contains(saysNo, status) {
		return Part{}, false, false
	}
	unknown := saysUnknown.MatchString(said.Message) || said.is("unsupported_parameter", "unsupported_value", "unknown_parameter")
	for _, text := range []string{said.Param, said.Message} {
		for _, part := range s.dialect.Parts {
			clean := status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
			switch {
			case !part.Words.MatchString(text):
			case unknown || clean && !part.Unknown:
				return part, false, clean || part.Feature != ""
			case clean && part.Feature == "" && len(limits(said.Message)) > 0:
				return part, true, true
			}
		}
	}
	return Part{}, false, false
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
