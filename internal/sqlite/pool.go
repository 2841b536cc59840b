package sqlite

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// pool is a handle of SQLite: lock is how its transactions begin, mode what the file's URI says of it.
func pool(file, lock, mode string, pragmas ...string) (*sql.DB, error) {
	options := url.Values{"_txlock": {lock}, "_pragma": pragmas}
	for setting := range strings.SplitSeq(mode, "&") {
		if key, value, ok := strings.Cut(setting, "="); ok {
			options.Set(key, value)
		}
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	source := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}
	return sql.Open("sqlite", source.String())
}
