package helix

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// The environment of the tap: the file that it writes, and the program that it stands in front of.
const (
	tapLog    = "FORGE_TEST_TAP"
	tapServer = "FORGE_TEST_TAP_SERVER"
)

// line is a message in the file of the tap.
type line struct {
	To      string // client or server
	Message message
}

// message is a message of JSON-RPC.
type message struct {
	ID     json.RawMessage `json:",omitempty"`
	Method string          `json:",omitempty"`
	Params json.RawMessage `json:",omitempty"`
	Result json.RawMessage `json:",omitempty"`
	Error  json.RawMessage `json:",omitempty"`
}

// tap runs the server of the tap, passes on what it and the client send, and writes a line for each message.
func tap() error {
	log, err := os.OpenFile(os.Getenv(tapLog), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	server := exec.Command(os.Getenv(tapServer), "lsp") //nolint:noctx // it ends with its client
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	var mu sync.Mutex // guards log
	write := func(to string, body []byte) {
		var m message
		if json.Unmarshal(body, &m) != nil {
			return
		}
		text, err := json.Marshal(line{to, m})
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = log.Write(append(text, '\n'))
	}
	go func() {
		_ = pass(os.Stdin, in, func(body []byte) { write("server", body) })
		_ = in.Close()
	}()
	err = pass(out, os.Stdout, func(body []byte) { write("client", body) })
	return errors.Join(err, server.Wait())
}

// pass copies messages until the end, and shows each before it is passed on.
func pass(from io.Reader, to io.Writer, show func(body []byte)) error {
	for in := bufio.NewReader(from); ; {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return err
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		show(body)
		if _, err := io.WriteString(to, "Content-Length: "+strconv.Itoa(size)+"\r\n\r\n"+string(body)); err != nil {
			return err
		}
	}
}
