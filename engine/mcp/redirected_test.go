package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The listener is closed when the login has ended, which may be at once: the browser has its answer by then. A server may ask for another authorization.
func TestRedirected_AnswersTheBrowserFirst(t *testing.T) {
	t.Parallel()
	answers := make(chan url.Values, 1)
	handler := redirected(answers)
	visit := func(code string) *httptest.ResponseRecorder {
		page := httptest.NewRecorder()
		handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, callback+"?code="+code, nil))
		return page
	}
	for _, code := range []string{"first", "second"} {
		page := visit(code)
		require.True(t, page.Flushed)
		require.Equal(t, strconv.Itoa(page.Body.Len()), page.Header().Get("Content-Length"))
		require.Equal(t, http.StatusGone, visit("more").Code)
		require.Equal(t, code, (<-answers).Get("code"))
	}
}
