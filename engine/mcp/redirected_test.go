package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The listener is closed when the login has ended, which may be at once: the browser has its answer by then.
func TestRedirected_AnswersTheBrowserFirst(t *testing.T) {
	t.Parallel()
	answers := make(chan url.Values)
	page := httptest.NewRecorder()
	handler := redirected(answers)
	go handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, callback+"?code=granted", nil))
	require.Equal(t, "granted", (<-answers).Get("code"))
	require.True(t, page.Flushed)
	require.Equal(t, strconv.Itoa(page.Body.Len()), page.Header().Get("Content-Length"))

	again := httptest.NewRecorder()
	handler.ServeHTTP(again, httptest.NewRequest(http.MethodGet, callback+"?code=other", nil))
	require.Equal(t, http.StatusGone, again.Code)
}
