package imports

import (
	"io/fs"
	"path"
	"strings"

	"forge/codeintel"
)

var cLanguages = []codeintel.Language{codeintel.LanguageC, codeintel.LanguageCPP}

// cResolver resolves includes of C and C++, whose search path only the build knows, by convention:
//
//   - "a/b.h" is looked up in the folder of the file first, as compilers do; <a/b.h> is not.
//   - Then in the include folders of each folder above the file, the nearest first (see includeFolders), and in those
//     folders themselves.
//   - Then it is the one file of the tree whose path ends like it. If there are several, or it is the header of a
//     standard library in angle brackets, it leads nowhere.
type cResolver struct {
	tree     *tree
	byEnding map[string]unit     // files by each ending of their path that begins at a folder; several if that is no file
	search   map[string][]string // of each folder with files of C: where includes are looked up
}

// several is what is in byEnding for an ending that more than one path has.
const several unit = -1

// includeFolders are those that builds put on the search path, below a folder.
var includeFolders = []string{"include", "inc", "includes", "src", "lib", ""}

func newCResolver(t *tree, languages []codeintel.Language) resolver {
	r := &cResolver{tree: t, byEnding: map[string]unit{}, search: map[string][]string{}}
	exists := map[string]bool{}
	for folder := range t.folders {
		for up := range upwards(folder) {
			exists[up] = true
		}
	}
	for _, folder := range t.foldersAbove(languages) {
		for _, include := range includeFolders {
			if in := below(folder, include); exists[in] {
				r.search[folder] = append(r.search[folder], in)
			}
		}
		if folder != "" { // those of the folder above have been found before
			r.search[folder] = append(r.search[folder], r.search[folderOf(folder)]...)
		}
	}
	for i := range t.files {
		r.addEndings(unit(i), t.files[i].Path)
	}
	return r
}

func (r *cResolver) addEndings(u unit, ending string) {
	for more := true; more; _, ending, more = strings.Cut(ending, "/") {
		if _, taken := r.byEnding[ending]; taken {
			u = several // of a shorter ending there are several too
		}
		r.byEnding[ending] = u
	}
}

func (r *cResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	name, angled := strings.CutPrefix(need.Path, "<")
	name = strings.TrimSuffix(name, ">")
	if _, ok := r.byEnding[path.Base(name)]; !ok {
		return to
	}
	folder := folderOf(from.Path)
	if !angled {
		if u, ok := r.file(folder, name); ok {
			return append(to, u)
		}
	}
	if u, ok := r.conventional(folder, name, angled); ok {
		return append(to, u)
	}
	if angled && standardHeaders[name] {
		return to
	}
	if u, ok := r.unique(name); ok {
		return append(to, u)
	}
	return to
}

func (r *cResolver) file(folder, name string) (unit, bool) {
	target, ok := below(folder, name), true
	if !fs.ValidPath(name) {
		target, ok = within(folder, name)
	}
	u, known := r.tree.id[target]
	return u, ok && known
}

// conventional looks in the include folders above a folder, for angle brackets not in the folder itself.
func (r *cResolver) conventional(folder, name string, angled bool) (unit, bool) {
	for _, in := range r.search[folder] {
		if angled && in == folder {
			continue
		}
		if u, ok := r.file(in, name); ok {
			return u, true
		}
	}
	return 0, false
}

// unique finds the only file whose path ends in a name.
func (r *cResolver) unique(name string) (unit, bool) {
	name, ok := within("", name)
	if !ok {
		return 0, false
	}
	u, ok := r.byEnding[name]
	return u, ok && u != several
}

// standardHeaders are those of ISO C and POSIX; those of C++ have no ending that a file of a tree would have.
var standardHeaders = codeintel.WordSet(`assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h
	math.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbit.h stdbool.h stdckdint.h stddef.h stdint.h stdio.h
	stdlib.h stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
	aio.h arpa/inet.h cpio.h dirent.h dlfcn.h fcntl.h fmtmsg.h fnmatch.h ftw.h glob.h grp.h iconv.h langinfo.h
	libgen.h libintl.h monetary.h mqueue.h ndbm.h net/if.h netdb.h netinet/in.h netinet/tcp.h nl_types.h poll.h
	pthread.h pwd.h regex.h sched.h search.h semaphore.h spawn.h strings.h stropts.h sys/ipc.h sys/mman.h sys/msg.h
	sys/resource.h sys/select.h sys/sem.h sys/shm.h sys/socket.h sys/stat.h sys/statvfs.h sys/time.h sys/times.h
	sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h tar.h termios.h ulimit.h unistd.h utime.h
	utmpx.h wordexp.h alloca.h endian.h features.h malloc.h memory.h sys/param.h sys/file.h sys/ioctl.h sys/epoll.h`)
