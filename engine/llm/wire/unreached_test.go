package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// A client whose dialer refuses the address reports the reason, and does not retry.
func TestUnreached_ABarredNetworkIsNoLostConnection(t *testing.T) {
	t.Parallel()
	offline := errors.New("this program is offline")
	dialer := net.Dialer{ControlContext: func(context.Context, string, string, syscall.RawConn) error { return offline }}
	s := New(Options{BaseURL: "http://127.0.0.1:1", Model: "m", HTTP: &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}}, Dialect{})
	x, ctx := s.Exchange(t.Context(), Document)
	defer x.End()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.BaseURL, nil)
	require.NoError(t, err)
	_, err = x.Do(request) //nolint:bodyclose // there is none
	var failed *llm.Error
	require.ErrorAs(t, x.Failure(err), &failed)
	require.Equal(t, llm.KindInvalid, failed.Kind)
	require.ErrorContains(t, failed, "was not sent to 127.0.0.1:1")
	require.ErrorContains(t, failed, offline.Error())
}

// A network failure may not happen again.
func TestUnreached_ReportsReasonAndRetry(t *testing.T) {
	t.Parallel()
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	tests := map[string]struct {
		err  error
		kind llm.Kind
		says string
	}{
		"refused":          {dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), llm.KindTransient, "nothing listens at h"},
		"no way there":     {dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), llm.KindTransient, "no route to host"},
		"too slow":         {dial(os.ErrDeadlineExceeded), llm.KindTransient, "lost before the answer began"},
		"names time out":   {dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), llm.KindTransient, "lost before the answer began"},
		"no such name":     {dial(&net.DNSError{Err: "no such host", IsNotFound: true}), llm.KindInvalid, "no host called h: check the network, and the base URL"},
		"reset":            {&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, llm.KindTransient, "lost before the answer began: connection reset by peer"},
		"barred":           {dial(errors.New("offline")), llm.KindInvalid, "was not sent to h: dial tcp: offline"},
		"no such protocol": {errors.New("unsupported protocol scheme"), llm.KindInvalid, "could not be sent to h"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := New(Options{BaseURL: "http://h/v1"}, Dialect{}).unreached(test.err)
			require.Equal(t, test.kind, failed.Kind, "%v", failed)
			require.ErrorContains(t, failed, test.says)
		})
	}
}
