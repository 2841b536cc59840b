package general

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

// target returns the file that an import refers to. If whole is set, the name must be looked up in it; otherwise the name is
// that of a module, or it is unknown and there is no file.
func (c *checker) target(from string, t codeintel.ImportedName) (file string, whole bool) {
	found := c.graph.Find(from, codeintel.Import{Path: t.Path, Names: []string{t.Name}})
	if len(found) == 0 {
		return "", false
	}
	if !isPython(from) {
		return found[0], BindsNames(found[0])
	}
	if _, ok := c.start(from, t.Path); !ok {
		return "", false
	}
	own := c.graph.Find(from, codeintel.Import{Path: t.Path})
	if !slices.Equal(found, own) {
		return found[0], false
	}
	if module := below(folderOf(own[0]), t.Name); path.Base(own[0]) == "__init__.py" && (c.below[module] || len(c.stems[module]) > 0) {
		return own[0], false
	}
	return own[0], true
}

// file returns the message for a missing file.
func (c *checker) file(ctx context.Context, from, written string) (said string, sure bool, err error) {
	if len(c.graph.Find(from, codeintel.Import{Path: written})) > 0 {
		return "", true, nil
	}
	var missing string
	noun := "file"
	if isPython(from) {
		noun = "module"
		missing, err = c.missingModule(ctx, from, written)
	} else {
		missing = c.missingScript(from, written)
	}
	if err != nil || missing == "" || c.made.likely(missing) {
		return "", false, err
	}
	return fmt.Sprintf("%s imports %s, and there is no such %s%s", path.Base(from), written, noun, c.beside(missing)), true, nil
}

// missingScript returns the path, without its ending, of a file that should exist; empty if unknown.
func (c *checker) missingScript(from, written string) string {
	if !strings.HasPrefix(written, "./") && !strings.HasPrefix(written, "../") || strings.ContainsAny(written, "?!*") {
		return ""
	}
	target := path.Join(folderOf(from), written)
	if strings.HasPrefix(target, "..") || target == "." || c.below[target] || !c.below[folderOf(target)] {
		return ""
	}
	for _, name := range c.stems[stem(target)] {
		rest, is := strings.CutPrefix(name, stem(target))
		if is && (strings.Count(rest, ".") == 1 || variants[strings.Split(rest, ".")[1]]) {
			return ""
		}
	}
	return target
}

// variants are parts of a file name before its ending that imports may omit.
var variants = set("d native web ios android server client node browser module")

// missingModule returns the path of a module that should exist; empty if unknown.
func (c *checker) missingModule(ctx context.Context, from, written string) (string, error) {
	at, ok := c.start(from, written)
	if !ok {
		return "", nil
	}
	for _, part := range strings.Split(strings.TrimLeft(written, "."), ".") {
		init := below(at, "__init__.py")
		if bound, err := c.bindings(ctx, init); err != nil || bound.Open {
			return "", err
		}
		next := below(at, part)
		switch {
		case part == "" || !c.below[at]:
			return "", nil
		case c.below[next]:
			at = next
		case len(c.stems[next]) > 0:
			return "", nil
		default:
			return next, nil
		}
	}
	return "", nil
}

// start returns the folder in which a Python import begins. It is not ok if it is ambiguous or may be an installed package.
func (c *checker) start(from, written string) (folder string, ok bool) {
	module := strings.TrimLeft(written, ".")
	folder = folderOf(from)
	if dots := len(written) - len(module); dots > 0 {
		for range dots - 1 {
			if folder == "" {
				return "", false
			}
			folder = folderOf(folder)
		}
		return folder, true
	}
	first, _, _ := strings.Cut(module, ".")
	tops := c.tops()[first]
	if standard[first] || len(tops) != 1 {
		return "", false
	}
	folder = folderOf(tops[0])
	within := folder == "" || strings.HasPrefix(from, folder+"/")
	return folder, within && c.below[tops[0]] || folder == folderOf(from) || sources[path.Base(folder)]
}

// sources are folders that contain packages, but are not packages.
var sources = set("src lib python")

// tops returns the Python packages and modules outside of packages, by name.
func (c *checker) tops() map[string][]string {
	if c.topmost != nil {
		return c.topmost
	}
	c.topmost = map[string][]string{}
	for _, name := range c.Paths {
		if !isPython(name) {
			continue
		}
		top := stem(name)
		for dir := folderOf(name); dir != "" && len(c.stems[dir+"/__init__"]) > 0; dir = folderOf(dir) {
			top = dir
		}
		if base := path.Base(top); !slices.Contains(c.topmost[base], top) {
			c.topmost[base] = append(c.topmost[base], top)
		}
	}
	return c.topmost
}

// below returns the path of a name in a folder.
func below(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// standard are modules of Python's standard library whose names a project's own modules may have, too.
var standard = set(`abc array ast asyncio base64 bisect builtins calendar cmd code codecs collections configparser contextlib copy csv
	ctypes dataclasses datetime decimal difflib dis email enum errno fractions functools gc getpass glob graphlib gzip hashlib heapq hmac html http
	importlib inspect io ipaddress itertools json keyword linecache locale logging math mimetypes multiprocessing numbers operator os parser
	pathlib pdb pickle platform plistlib posix pprint profile pty queue random re readline resource runpy sched secrets select selectors shelve
	shlex shutil signal site socket sqlite3 ssl stat statistics string struct subprocess symbol symtable sys tarfile tempfile test textwrap
	threading time timeit token tokenize tomllib trace traceback turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref
	xml zipfile zlib zoneinfo`)
