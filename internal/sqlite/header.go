package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// magic begins every file of SQLite. The format of the header is at https://sqlite.org/fileformat2.html.
const magic = "SQLite format 3\x00"

// checkHeader finds what SQLite would read past, or refuse under another name: a file marked as written by a later
// SQLite, in another encoding, or with the wrong constants. No process may have the file open.
func checkHeader(file string, size int64) (err error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0) // so that a file that may not be written is found out here
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return fmt.Errorf("%w: it ends within its header", errDamage)
	}
	page := int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 65536
	}
	format, encoding := binary.BigEndian.Uint32(header[44:]), binary.BigEndian.Uint32(header[56:])
	switch {
	case string(header[:16]) != magic:
		return fmt.Errorf("%w: it does not begin as a database does", errDamage)
	case page < 512 || page&(page-1) != 0 || size%page != 0:
		return fmt.Errorf("%w: it has %d bytes in pages of %d", errDamage, size, page)
	case header[18] < 1 || header[18] > 2 || header[19] < 1 || header[19] > 2:
		return fmt.Errorf("%w: its format has versions %d and %d", errDamage, header[18], header[19])
	case string(header[20:24]) != "\x00\x40\x20\x20":
		return fmt.Errorf("%w: its header has wrong constants", errDamage)
	case format > 4 || encoding > 1:
		return fmt.Errorf("%w: its tables have format %d, encoding %d", errDamage, format, encoding)
	}
	return nil
}
