// Package cassette serves a model's answers from files: those of a real server, recorded once with a key and played back without one, or
// those that are written while a request waits (Played).
//
// A cassette is a file of JSON lines: a title, then one line for each exchange. A request is stored as a hash, without
// its text; a response as its status, the headers that adapters use, and the body with the times of its pieces.
//
// Invariant: a cassette contains no header of a request, and no key from one, even if the server repeats it.
package cassette

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// version of the format.
const version = 1

// title is the first line of a cassette.
type title struct {
	Cassette int    `json:"cassette"` // the version
	Base     string `json:"base"`     // the path of base URLs on it: "/v1"
}

// exchange is one request and its response.
type exchange struct {
	Number int               `json:"number"` // in the order of their start, from 1
	Hash   string            `json:"hash"`   // of the request
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	WaitMs int64             `json:"waitMs"` // until the header arrived
	Body   []piece           `json:"body"`
	Broken bool              `json:"broken,omitempty"` // the connection was lost after the last piece
}

// piece is a part of a body that arrived at once.
type piece struct {
	Ms    int64  `json:"ms"` // since the header
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"` // instead of Text, if it is not UTF-8: a part of a character, for example
}

func newPiece(ms int64, data []byte) piece {
	if utf8.Valid(data) {
		return piece{Ms: ms, Text: string(data)}
	}
	return piece{Ms: ms, Bytes: bytes.Clone(data)}
}

func (p piece) data() []byte { return append([]byte(p.Text), p.Bytes...) }

// maxLine limits one exchange, in bytes.
const maxLine = 64 << 20

// Read reads a cassette. name is its name in errors, usually the path.
func Read(name string, from io.Reader) (*Cassette, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	c := &Cassette{name: name}
	for number := 1; lines.Scan(); number++ {
		if err := c.add(number, lines.Bytes()); err != nil {
			return nil, fmt.Errorf("read cassette %s, line %d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read cassette %s: %w", name, err)
	}
	if len(c.left) == 0 {
		return nil, fmt.Errorf("read cassette %s: nothing is recorded on it", name)
	}
	slices.SortFunc(c.left, func(a, b exchange) int { return a.Number - b.Number })
	return c, nil
}

func (c *Cassette) add(number int, line []byte) error {
	if number == 1 {
		var t title
		if err := json.Unmarshal(line, &t); err != nil || t.Cassette != version {
			return errors.New("it is no cassette, or one of another version")
		}
		c.base = t.Base
		return nil
	}
	var x exchange
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&x); err != nil {
		return fmt.Errorf("it is no exchange: %w", err)
	}
	if x.Hash == "" || x.Status < 100 || x.Status > 599 {
		return errors.New("it is no exchange: the hash of the request or the status of the response is missing")
	}
	c.left = append(c.left, x)
	return nil
}

// hash is the same for equal requests: the order of a document's members, the boundary of a form, and headers do not count.
func hash(method, path, contentType string, body []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(method), []byte(path), plain(contentType, body)} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// plain returns a body in a canonical form.
func plain(contentType string, body []byte) []byte {
	if kind, params, err := mime.ParseMediaType(contentType); err == nil && kind == "multipart/form-data" {
		return plainForm(params["boundary"], body)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil || decoder.More() {
		return body
	}
	sorted, err := json.Marshal(document)
	if err != nil {
		return body
	}
	return sorted
}

func plainForm(boundary string, body []byte) []byte {
	var fields []string
	for form := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := form.NextPart()
		if err != nil {
			break
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return body
		}
		fields = append(fields, part.FormName()+"\x00"+part.FileName()+"\x00"+string(content))
	}
	slices.Sort(fields)
	return []byte(strings.Join(fields, "\x01"))
}

// keyed are the parameters of URLs that contain keys of some providers.
var keyed = []string{"key", "api_key", "api-key", "apikey", "access_token", "token", "subscription-key"}

// pathOf returns the path and query of a URL, without keys.
func pathOf(u *url.URL) string {
	query := u.Query()
	for name := range query {
		if slices.Contains(keyed, strings.ToLower(name)) {
			query.Del(name)
		}
	}
	if len(query) == 0 {
		return u.EscapedPath()
	}
	return u.EscapedPath() + "?" + query.Encode()
}
