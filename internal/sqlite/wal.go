package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Of a -wal file, https://sqlite.org/fileformat2.html#walformat.
const (
	walHeader   = 32
	frameHeader = 24
	walMagic    = 0x377f0682 // one more: its checksums read the other order of bytes
)

// walChecksum is the running checksum of a -wal file.
type walChecksum struct {
	a, b  uint32
	order binary.ByteOrder
}

func (c *walChecksum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		c.a += c.order.Uint32(data) + c.b
		c.b += c.order.Uint32(data[4:]) + c.a
	}
}

// is reports whether the checksum stands in some bytes.
func (c *walChecksum) is(data []byte) bool {
	return c.a == binary.BigEndian.Uint32(data) && c.b == binary.BigEndian.Uint32(data[4:])
}

// hasLostCommits reports whether the -wal file of a dead process holds commits behind a wrong checksum, at which SQLite
// stops reading: they are lost. It cannot judge the last commit, which may just not have been written whole. No process
// may write the file meanwhile.
func hasLostCommits(file string) (lost bool, err error) {
	f, err := os.Open(file + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReader(f)
	head := make([]byte, walHeader)
	if _, err := io.ReadFull(in, head); err != nil {
		return false, ignoreEnd(err)
	}
	size := binary.BigEndian.Uint32(head[8:])
	if size < 512 || size > 65536 {
		return true, nil
	}
	sum := walChecksum{order: binary.LittleEndian}
	if binary.BigEndian.Uint32(head) == walMagic+1 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	good := sum.is(head[24:])
	frame := make([]byte, frameHeader+int(size))
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return false, ignoreEnd(err)
		}
		isCommit := binary.BigEndian.Uint32(frame[4:]) != 0
		ofThisTime := string(frame[8:16]) == string(head[16:24]) // older frames, behind these, have another salt
		if !good && isCommit && ofThisTime {
			return true, nil
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		good = good && ofThisTime && sum.is(frame[16:])
	}
}

// ignoreEnd is nil at the end of a file, also in the middle of what was read.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
