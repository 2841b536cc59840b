package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// order is what a launcher is to become. It contains the command's environment, because variables such as LD_PRELOAD must not
// affect the launcher, which is not confined yet.
type order struct {
	path, dir string // of the program, and its working directory; absolute
	args, env []string
	setup     setup
	entries   []entry // of a jail
}

// setup is how a launcher confines the command. The zero value confines nothing.
type setup struct {
	fenced  bool          // Landlock is available
	jailed  bool          // the entries are all that the command can reach
	mounted bool          // it is in a mount namespace of its own
	offline bool          // it has no network: it is in a network namespace of its own, or gets no sockets
	own     string        // the folder for its root, if mounted
	limit   time.Duration // its time limit
}

// orderEnd is the last field: an order without it is incomplete, because Forge died.
const orderEnd = "end"

// check rejects NUL, which would end a field.
func (o order) check() error {
	for _, field := range slices.Concat([]string{o.path, o.dir}, o.args, o.env) {
		if strings.ContainsRune(field, 0) {
			return &fs.PathError{Op: opExec, Path: o.path, Err: syscall.EINVAL}
		}
	}
	return nil
}

// write writes the order: its fields with a NUL after each, which no argument and no variable can contain.
func (o order) write(to io.Writer) error {
	s := o.setup
	fields := []string{o.path, o.dir, s.own, s.limit.String()}
	for _, is := range []bool{s.fenced, s.jailed, s.mounted, s.offline} {
		fields = append(fields, strconv.FormatBool(is))
	}
	fields = append(fields, strconv.Itoa(3*len(o.entries)), strconv.Itoa(len(o.args)))
	for _, e := range o.entries {
		fields = append(fields, e.kind, e.path, e.target)
	}
	fields = append(append(append(fields, o.args...), o.env...), orderEnd, "")
	_, err := io.WriteString(to, strings.Join(fields, "\x00"))
	return err
}

// orderHead is the number of fields before the entries.
const orderHead = 10

// readOrder reads the output of write.
func readOrder(from *os.File) (order, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return order{}, err
	}
	fields := strings.Split(string(text), "\x00")
	if len(fields) < orderHead+2 || fields[len(fields)-2] != orderEnd {
		return order{}, errors.New("the order is not whole")
	}
	head, rest := fields[:orderHead], fields[orderHead:len(fields)-2]
	paths, err := strconv.Atoi(head[8])
	args, err2 := strconv.Atoi(head[9])
	limit, err3 := time.ParseDuration(head[3])
	if errors.Join(err, err2, err3) != nil || paths < 0 || args < 0 || paths%3 != 0 || paths+args > len(rest) {
		return order{}, errors.New("the order cannot be read")
	}
	o := order{
		path: head[0], dir: head[1], args: rest[paths : paths+args], env: rest[paths+args:],
		setup: setup{own: head[2], limit: limit, fenced: head[4] == "true", jailed: head[5] == "true", mounted: head[6] == "true", offline: head[7] == "true"},
	}
	for e := range slices.Chunk(rest[:paths], 3) {
		o.entries = append(o.entries, entry{e[0], e[1], e[2]})
	}
	return o, nil
}
