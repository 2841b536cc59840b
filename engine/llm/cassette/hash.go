package cassette

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
)

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
