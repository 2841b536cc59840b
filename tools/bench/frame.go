package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxFrame is the longest body that is read, in bytes. Answers of a language server are far below it.
const maxFrame = 64 << 20

var errNoLength = errors.New("a message without Content-Length")

// writeFrame writes one message with its header, in one call of Write: what arrives in two pieces costs
// the reader two wake-ups.
func writeFrame(w io.Writer, body []byte) error {
	var frame bytes.Buffer
	fmt.Fprintf(&frame, "Content-Length: %d\r\n\r\n", len(body))
	frame.Write(body)
	_, err := w.Write(frame.Bytes())
	return err
}

// readFrame returns the body of the next message. At the end of the stream, between two messages, the
// error is io.EOF.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("read a message of %d bytes: %w", length, unexpected(err))
	}
	return body, nil
}

// readHeader reads header lines up to the empty one and returns the length they name.
func readHeader(r *bufio.Reader) (int, error) {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			if first && line == "" {
				return 0, err
			}
			return 0, fmt.Errorf("read a header: %w", unexpected(err))
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxFrame {
			return 0, fmt.Errorf("read a header: %q is no length of a message", line)
		}
	}
	if length < 0 {
		return 0, errNoLength
	}
	return length, nil
}

// unexpected makes an end inside a message what it is.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
