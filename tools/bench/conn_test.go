package main

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// peer is the server's side of a connection in a test.
type peer struct {
	t *testing.T
	r *bufio.Reader
	w io.WriteCloser
}

// connect returns a connection and who is at its other end.
func connect(t *testing.T, reply func(string, json.RawMessage) any) (*conn, *peer) {
	t.Helper()
	fromServer, serverWrites := io.Pipe()
	serverReads, toServer := io.Pipe()
	c := newConn(fromServer, toServer, reply)
	t.Cleanup(func() {
		_ = serverWrites.Close()
		_ = serverReads.Close()
		c.wait()
	})
	return c, &peer{t: t, r: bufio.NewReader(serverReads), w: serverWrites}
}

func (p *peer) expect(want string) {
	p.t.Helper()
	body, err := readFrame(p.r)
	require.NoError(p.t, err)
	require.JSONEq(p.t, want, string(body))
}

func (p *peer) say(body string) {
	p.t.Helper()
	require.NoError(p.t, writeFrame(p.w, []byte(body)))
}

// asked is a call under way.
type asked struct {
	result json.RawMessage
	err    error
}

func callLater(t *testing.T, c *conn, method string) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		result, err := c.call(t.Context(), method, nil)
		done <- asked{result, err}
	}()
	return done
}

func TestConn_Call(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		want   string
		err    string
		absent bool
	}{
		"a result":          {answer: `{"id":1,"result":[1]}`, want: `[1]`},
		"an error":          {answer: `{"id":1,"error":{"code":-32602,"message":"which file?"}}`, err: "m: which file? (-32602)"},
		"no such method":    {answer: `{"id":1,"error":{"code":-32601,"message":"unknown"}}`, err: "m: unknown (-32601)", absent: true},
		"not of a language": {answer: `hello`, err: "the server ended the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, server := connect(t, nil)
			call := callLater(t, c, "m")
			server.expect(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			server.say(`{"method":"$/said/between","params":{}}`)
			server.say(`{"id":7,"result":"nobody asked"}`)
			server.say(test.answer)
			got := <-call
			require.Equal(t, test.absent, notThere(got.err))
			if test.err != "" {
				require.ErrorContains(t, got.err, test.err)
				return
			}
			require.NoError(t, got.err)
			require.JSONEq(t, test.want, string(got.result))
		})
	}
}

func TestConn_ServerEnds(t *testing.T) {
	t.Parallel()
	c, server := connect(t, nil)
	call := callLater(t, c, "m")
	server.expect(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
	require.NoError(t, server.w.Close())
	require.ErrorIs(t, (<-call).err, errEnded)
	c.wait()
	_, err := c.call(t.Context(), "m", nil)
	require.ErrorIs(t, err, errEnded)
}

func TestConn_QuestionsOfTheServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		question, want string
		asked          int32
	}{
		"settings":      {`{"id":3,"method":"workspace/configuration","params":{"items":[{},{}]}}`, `[null,null]`, 0},
		"trust":         {`{"id":3,"method":"window/showMessageRequest","params":{"actions":[{"title":"No"},{"title":"Trust and run"}]}}`, `{"title":"Trust and run"}`, 1},
		"anything else": {`{"id":3,"method":"window/showMessageRequest","params":{"actions":[{"title":"Apply all"}]}}`, `null`, 1},
		"registration":  {`{"id":3,"method":"client/registerCapability","params":{}}`, `null`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{}
			_, peer := connect(t, s.replyTo)
			peer.say(test.question)
			peer.expect(`{"jsonrpc":"2.0","id":3,"result":` + test.want + `}`)
			require.Equal(t, test.asked, s.asked.Load())
		})
	}
}
