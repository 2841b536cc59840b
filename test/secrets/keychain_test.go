package secrets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// keychain is a Secret Service, as desktops have one, with a bus of its own in front: what the program's own keychain
// library talks to where DBUS_SESSION_BUS_ADDRESS names its socket. It keeps passwords by name, for one session, unlocked.
type keychain struct {
	address string // of the bus

	mu    sync.Mutex // guards what follows
	kept  map[string]string
	given map[string]int // how often each was asked for
}

// The places of a Secret Service.
const (
	secretsPath = "/org/freedesktop/secrets"
	loginPath   = secretsPath + "/collection/login"
	noPrompt    = dbus.ObjectPath("/")
)

// newKeychain starts one that has some secrets, by name.
func newKeychain(t *testing.T, kept map[string]string) *keychain {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus-*") //nolint:usetesting // of a socket, which must have a short name
	require.NoError(t, err)
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	k := &keychain{address: "unix:path=" + filepath.Join(dir, "s"), kept: kept, given: map[string]int{}}
	var serving sync.WaitGroup
	serving.Go(func() { k.serve(listener, &serving) })
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		serving.Wait()
		require.NoError(t, os.RemoveAll(dir))
	})
	return k
}

// serve answers each program that connects, until it hangs up.
func (k *keychain) serve(listener net.Listener, serving *sync.WaitGroup) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return // closed: the test is over
		}
		serving.Go(func() {
			defer conn.Close()
			in := bufio.NewReader(conn)
			if k.welcome(in, conn) == nil {
				k.converse(in, conn)
			}
		})
	}
}

// welcome is the bus's part of the handshake: everybody is who they say, and no files are passed.
func (k *keychain) welcome(in *bufio.Reader, out io.Writer) error {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		answer := "ERROR"
		switch said := strings.TrimSpace(strings.TrimLeft(line, "\x00")); {
		case said == "BEGIN":
			return nil
		case said == "AUTH":
			answer = "REJECTED EXTERNAL"
		case strings.HasPrefix(said, "AUTH EXTERNAL"), said == "DATA":
			answer = "OK 0123456789abcdef0123456789abcdef"
		}
		if _, err := io.WriteString(out, answer+"\r\n"); err != nil {
			return err
		}
	}
}

// converse answers calls until the program hangs up.
func (k *keychain) converse(in io.Reader, out io.Writer) {
	for serial := uint32(1); ; serial++ {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		member, _ := call.Headers[dbus.FieldMember].Value().(string)
		path, _ := call.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
		body, known := k.answer(member, string(path), call.Body)
		reply := dbus.Message{Type: dbus.TypeMethodReply, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(call.Serial()), dbus.FieldSender: dbus.MakeVariant("org.freedesktop.secrets"),
		}}
		if !known {
			reply.Type = dbus.TypeError
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant("org.freedesktop.DBus.Error.UnknownMethod")
		}
		if len(body) > 0 {
			reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
		}
		if send(out, reply, serial) != nil {
			return
		}
	}
}

// send writes a message with its number, which the library gives to those of its own connections only.
func send(out io.Writer, m dbus.Message, serial uint32) error {
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(b.Bytes()[8:], serial)
	_, err := out.Write(b.Bytes())
	return err
}

// secretOf is a secret on its way, as the service has it.
type secretOf struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// answer is what the service says to a call.
func (k *keychain) answer(member, path string, body []any) (_ []any, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch member {
	case "Hello":
		return []any{":1.1"}, true
	case "Get": // of the property that lists the collections
		return []any{dbus.MakeVariant([]dbus.ObjectPath{loginPath})}, true
	case "OpenSession":
		return []any{dbus.MakeVariant(""), dbus.ObjectPath(secretsPath + "/session/1")}, true
	case "Unlock":
		return []any{body[0], noPrompt}, true
	case "SearchItems":
		return []any{k.search(body[0].(map[string]string)["username"])}, true
	case "GetSecret":
		name := nameOf(path)
		k.given[name]++
		return []any{secretOf{body[0].(dbus.ObjectPath), []byte{}, []byte(k.kept[name]), "text/plain"}}, true
	case "CreateItem":
		attributes := body[0].(map[string]dbus.Variant)["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
		k.kept[attributes["username"]] = string(body[1].([]any)[2].([]byte))
		return []any{itemOf(attributes["username"]), noPrompt}, true
	case "Close":
		return nil, true
	}
	return nil, false
}

func (k *keychain) search(name string) []dbus.ObjectPath {
	if _, there := k.kept[name]; !there {
		return []dbus.ObjectPath{}
	}
	return []dbus.ObjectPath{itemOf(name)}
}

// itemOf is where a secret is; a path has no letters but those of ASCII.
func itemOf(name string) dbus.ObjectPath {
	return dbus.ObjectPath(fmt.Sprintf("%s/%x", loginPath, name))
}

func nameOf(path string) (name string) {
	_, _ = fmt.Sscanf(strings.TrimPrefix(path, loginPath+"/"), "%x", &name) // of another path, none
	return name
}

// asked returns how often a secret was given.
func (k *keychain) asked(name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.given[name]
}

// secret is what is kept under a name.
func (k *keychain) secret(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept[name]
}
