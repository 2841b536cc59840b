package wire

import (
	"net/http"
	"strconv"
)

// baseResp is MiniMax's status of a request, which it returns with HTTP status 200
// (https://platform.minimax.io/docs/api-reference/errorcode).
type baseResp struct {
	Code    int    `json:"status_code"`
	Message string `json:"status_msg"`
}

func (r *baseResp) fails() bool { return r != nil && r.Code != 0 }

// complaint converts MiniMax's code to the usual form.
func (r *baseResp) complaint() complaint {
	said := complaint{Message: r.Message, understood: true}
	if said.Message == "" {
		said.Message = "error " + strconv.Itoa(r.Code) + " of MiniMax"
	}
	switch r.Code {
	case 1026, 1027: // the question, or the answer, is sensitive
		said.Code = "content_filter"
	case 1008: // insufficient balance
		said.Code = "insufficient_quota"
	default:
		said.Code = strconv.Itoa(minimaxStatus(r.Code))
	}
	return said
}

// minimaxStatus returns the equivalent HTTP status.
func minimaxStatus(code int) int {
	switch code {
	case 1004, 2049: // not authorized, invalid key
		return http.StatusUnauthorized
	case 1002, 1039, 1041, 2045, 2056: // requests, tokens, connections, growth, usage in five hours
		return http.StatusTooManyRequests
	case 1000, 1001, 1024, 1033: // unknown, time-out, internal, system
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}
