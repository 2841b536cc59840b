package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// order is what a launcher is to become. It contains the command's environment, because variables such as LD_PRELOAD must not
// affect the launcher, which is not confined yet.
type order struct {
	path      string // of the program, absolute
	args, env []string
	fenced    bool // there is a ruleset at rulesetFD
	box       boxOrder
}

// boxOrder is how a launcher confines itself beyond that. The zero boxOrder adds nothing.
type boxOrder struct {
	View            *view `json:",omitempty"` // the process has namespaces of its own, and makes this of its files
	Loopback        bool  `json:",omitempty"` // it has a network of its own, whose loopback is switched on
	Filter          bool  `json:",omitempty"` // it filters system calls
	Internet, Local bool  `json:",omitempty"` // with the filter: it can create sockets of the internet, and of this machine
}

// orderEnd is the last field: an order without it is incomplete, because Forge died.
const orderEnd = "end"

// check rejects NUL, which would end a field.
func (o order) check() error {
	for _, field := range slices.Concat([]string{o.path}, o.args, o.env) {
		if strings.ContainsRune(field, 0) {
			return &fs.PathError{Op: opExec, Path: o.path, Err: syscall.EINVAL}
		}
	}
	return nil
}

// write writes the order: its fields with a NUL after each, which no argument and no variable can contain.
func (o order) write(to io.Writer) error {
	box, err := json.Marshal(o.box) // JSON escapes NUL
	if err != nil {
		return err
	}
	fields := []string{o.path, strconv.FormatBool(o.fenced), string(box), strconv.Itoa(len(o.args))}
	fields = append(append(append(fields, o.args...), o.env...), orderEnd, "")
	_, err = io.WriteString(to, strings.Join(fields, "\x00"))
	return err
}

// readOrder reads the output of write.
func readOrder(from *os.File) (order, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return order{}, err
	}
	fields := strings.Split(string(text), "\x00")
	const fixed = 6 // the path, two kinds of confinement, the number of arguments, the end, and what follows its NUL
	if len(fields) < fixed || fields[len(fields)-2] != orderEnd {
		return order{}, errors.New("the order is not whole")
	}
	o := order{path: fields[0], fenced: fields[1] == "true"}
	count, err := strconv.Atoi(fields[3])
	if rest := len(fields) - fixed; err != nil || count < 0 || count > rest || json.Unmarshal([]byte(fields[2]), &o.box) != nil {
		return order{}, errors.New("the order cannot be read")
	}
	o.args, o.env = fields[4:4+count], fields[4+count:len(fields)-2]
	return o, nil
}
