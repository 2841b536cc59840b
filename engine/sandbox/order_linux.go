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
)

// order is what a launcher is to become. It contains the command's environment, because variables such as LD_PRELOAD must not
// affect the launcher, which is not confined yet.
type order struct {
	path      string // of the program, absolute
	args, env []string
	fenced    bool // there is a ruleset at rulesetFD
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
	fields := []string{o.path, strconv.FormatBool(o.fenced), strconv.Itoa(len(o.args))}
	fields = append(append(append(fields, o.args...), o.env...), orderEnd, "")
	_, err := io.WriteString(to, strings.Join(fields, "\x00"))
	return err
}

// readOrder reads the output of write.
func readOrder(from *os.File) (order, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return order{}, err
	}
	fields := strings.Split(string(text), "\x00")
	if len(fields) < 5 || fields[len(fields)-2] != orderEnd {
		return order{}, errors.New("the order is not whole")
	}
	count, err := strconv.Atoi(fields[2])
	if rest := len(fields) - 5; err != nil || count < 0 || count > rest {
		return order{}, errors.New("the order cannot be read")
	}
	return order{path: fields[0], fenced: fields[1] == "true", args: fields[3 : 3+count], env: fields[3+count : len(fields)-2]}, nil
}
