package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file is a program that a gate starts, and that tries to get out of its sandbox. jail_linux_test.go starts it.

// prey is what attempts are made at: everything is outside of the sandbox.
type prey struct {
	Home, Root, State string // the user's HOME, the folder that is checked, and FORGE_HOME
	Temp, Shared      string // files of the user in /tmp and /dev/shm
	Daemon            string // the argument of a process that is left behind
	TCP, TCP6, UDP    string // addresses
	Socket, Abstract  string // of unix
	Process           int    // of the user
}

const canaryText = "canary-of-the-user"

var errHeld = errors.New("it was held")

// attempt is one way out. Try returns nil if it got out. Attempts at writing are judged from outside, by their victim.
type attempt struct {
	name   string
	victim string // the path whose change shows that it got out; empty if try knows
	try    func() error
}

// attempts returns all attempts.
func (p prey) attempts() []attempt {
	return slices.Concat(p.reads(), p.writes(), p.processes(), p.network(), kernel())
}

func (p prey) secrets() map[string]string {
	files := map[string]string{"the folder's .env": filepath.Join(p.Root, ".env"), "git's settings of the folder": filepath.Join(p.Root, ".git/canary"), "Forge's settings": filepath.Join(p.State, "config.yaml"), "Forge's keys": filepath.Join(p.State, "keys.yaml"), "a file in /tmp": p.Temp, "a file in /dev/shm": p.Shared}
	for _, name := range []string{
		".ssh/id_rsa", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml", ".config/gcloud/credentials.db", ".local/share/keyrings/login.keyring",
		".mozilla/firefox/cookies.sqlite", "src/other/main.go", ".cargo/credentials.toml", ".docker/config.json", ".kube/config", ".gnupg/secring.gpg", ".bash_history",
		".pypirc", ".git-credentials", ".gitconfig",
	} {
		files["~/"+name] = filepath.Join(p.Home, name)
	}
	return files
}

func (p prey) reads() (all []attempt) {
	for name, path := range p.secrets() {
		all = append(all, attempt{name: "read " + name, try: func() error { return hasCanary(path) }})
	}
	secret := filepath.Join(p.Home, ".ssh/id_rsa")
	proc := fmt.Sprintf("/proc/%d", p.Process)
	return append(all,
		attempt{name: "read through a link of its own", try: func() error {
			_ = os.Symlink(secret, "link-to-secret")
			return hasCanary("link-to-secret")
		}},
		attempt{name: "read through a hard link of its own", try: func() error {
			if err := os.Link(secret, filepath.Join(filepath.Dir(secret), "hard")); err != nil {
				return err
			}
			return hasCanary(filepath.Join(filepath.Dir(secret), "hard"))
		}},
		attempt{name: "read through another process's root", try: func() error { return hasCanary(proc + "/root" + secret) }},
		attempt{name: "read through another process's folder", try: func() error { return hasCanary(proc + "/cwd/.env") }},
		attempt{name: "read the password file of the system", try: func() error {
			text, err := os.ReadFile("/etc/shadow")
			if err == nil && len(text) == 0 {
				return errHeld
			}
			return err
		}},
	)
}

func hasCanary(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), canaryText) {
		return errHeld
	}
	return err
}

// added are files that attempts append to, or create.
func (p prey) added() map[string]string {
	files := map[string]string{
		"a new file of the folder": filepath.Join(p.Root, "new"), "a file of the folder": filepath.Join(p.Root, "file"), "a hook of the folder": filepath.Join(p.Root, ".git/hooks/post-commit"),
		"git's settings of the folder": filepath.Join(p.Root, ".git/config"), "Forge's settings": filepath.Join(p.State, "config.yaml"), "trust": filepath.Join(p.State, "trust.new"),
		"a file in /tmp": p.Temp, "a file in /dev/shm": p.Shared,
	}
	for _, name := range []string{
		".bashrc", ".profile", ".zshrc", ".gitconfig", ".ssh/authorized_keys", ".ssh/config", "bin/tool", ".local/bin/tool", ".config/autostart/x.desktop", "new", "src/other/main.go",
		"src/other/.git/hooks/pre-commit", "go/pkg/mod/x", ".cache/go-build/x", ".cargo/bin/x", ".config/systemd/user/x.service",
	} {
		files["~/"+name] = filepath.Join(p.Home, name)
	}
	return files
}

func (p prey) writes() (all []attempt) {
	for name, path := range p.added() {
		all = append(all, attempt{name: "write " + name, victim: path, try: func() error { return appendTo(path) }})
	}
	for name, change := range map[string]func(path string) error{
		"truncate":           func(path string) error { return os.Truncate(path, 0) },
		"remove":             os.Remove,
		"rename":             func(path string) error { return os.Rename(path, path+".gone") },
		"replace":            func(path string) error { return errors.Join(os.WriteFile("mine", nil, 0o600), os.Rename("mine", path)) },
		"change the mode of": func(path string) error { return os.Chmod(path, 0o777) },
		"change the mode by fd of": func(path string) error {
			return atDescriptor(path, func(fd int) error { return unix.Fchmod(fd, 0o777) })
		},
		"change the mode by link of": func(path string) error { _ = os.Symlink(path, "link-to-mode"); return os.Chmod("link-to-mode", 0o777) },
		"change the mode by /proc of": func(path string) error {
			fd, err := unix.Open(path, unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return os.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o777)
		},
		"change the mode by a folder of": func(path string) error {
			return atDescriptor(filepath.Dir(path), func(fd int) error { return unix.Fchmodat(fd, filepath.Base(path), 0o777, 0) })
		},
		"change the mode anew of": func(path string) error {
			return unix.Fchmodat(unix.AT_FDCWD, path, 0o777, unix.AT_SYMLINK_NOFOLLOW)
		},
		"change the time of":                     func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"change an attribute of":                 func(path string) error { return unix.Setxattr(path, "user.escape", []byte("x"), 0) },
		"change an attribute by another call of": func(path string) error { return unix.Lsetxattr(path, "user.escape", []byte("x"), 0) },
		"write by a link to":                     func(path string) error { _ = os.Symlink(path, "link-to-victim"); return appendTo("link-to-victim") },
		"write by a hard link to": func(path string) error {
			hard := filepath.Join(filepath.Dir(path), "hard-link")
			return errors.Join(os.Link(path, hard), appendTo(hard))
		},
		"write by another process's root to": func(path string) error { return appendTo(fmt.Sprintf("/proc/%d/root%s", p.Process, path)) },
	} {
		victim := filepath.Join(p.Home, "victims", strings.ReplaceAll(name, " ", "-"))
		all = append(all, attempt{name: name + " a file", victim: victim, try: func() error { return change(victim) }})
	}
	return append(all, attempt{name: "move a folder", victim: filepath.Join(p.Home, "movable"), try: func() error { return os.Rename(filepath.Join(p.Home, "movable"), filepath.Join(p.Home, "moved")) }})
}

// atDescriptor calls a function with a descriptor of a file or folder.
func atDescriptor(path string, do func(fd int) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(do(int(f.Fd())), f.Close()) //nolint:gosec // a descriptor is small
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("escaped\n")
	return errors.Join(err, f.Close())
}

func (p prey) processes() (all []attempt) {
	proc := fmt.Sprintf("/proc/%d/", p.Process)
	for _, name := range []string{"environ", "maps", "mem", "cmdline", "task/" + strconv.Itoa(p.Process) + "/mem"} {
		all = append(all, attempt{name: "open " + name + " of another process", try: func() error {
			f, err := os.Open(proc + name)
			if err == nil {
				_ = f.Close()
				if text, _ := os.ReadFile(proc + "cmdline"); !strings.Contains(string(text), "1000000") {
					return errHeld // another process, with the same number
				}
			}
			return err
		}})
	}
	return append(all,
		attempt{name: "see descriptors of another process", try: func() error { _, err := os.Readlink(proc + "fd/0"); return p.itself(err) }},
		attempt{name: "signal another process", try: func() error { return p.itself(syscall.Kill(p.Process, 0)) }},
		attempt{name: "trace another process", try: func() error { return p.itself(unix.PtraceSeize(p.Process)) }},
		attempt{name: "open a descriptor of another process", try: func() error {
			fd, err := unix.PidfdOpen(p.Process, 0)
			if err != nil {
				return err
			}
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		}},
		attempt{name: "leave a process behind", victim: "process", try: func() error {
			cmd := exec.Command("setsid", "sleep", p.Daemon) //nolint:noctx // it is left behind
			cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
			return cmd.Start()
		}},
	)
}

// itself returns errHeld if the process is not the one outside, but one with its number.
func (p prey) itself(err error) error {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Process))
	if err == nil && len(text) > 0 && !strings.Contains(string(text), "1000000") {
		return errHeld
	}
	return err
}

// soon is how long a server on this machine may take for an answer: who cannot reach it learns that at once.
const soon = 30 * time.Second

func (p prey) network() []attempt {
	answers := func(network, address string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, address, soon) //nolint:noctx // it has a limit
			if err != nil {
				return err
			}
			defer c.Close() //nolint:errcheck // of a test
			_ = c.SetDeadline(time.Now().Add(soon))
			if _, err := c.Write([]byte("x")); err != nil {
				return err
			}
			_, err = c.Read(make([]byte, 1))
			return err
		}
	}
	return []attempt{
		{name: "reach TCP", try: answers("tcp", p.TCP)}, {name: "reach TCP over IPv6", try: answers("tcp", p.TCP6)}, {name: "reach UDP, as DNS is", try: answers("udp", p.UDP)},
		{name: "reach a unix socket, as of docker, D-Bus and ssh-agent", try: answers("unix", p.Socket)}, {name: "reach an abstract unix socket", try: answers("unix", "@"+p.Abstract)},
		{name: "see the machine's network", try: func() error {
			all, err := net.Interfaces()
			for _, i := range all {
				if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
					return nil
				}
			}
			return errors.Join(err, errHeld)
		}},
		{name: "open a socket to the host of a virtual machine", try: func() error { _, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); return err }},
		{name: "open a raw socket", try: func() error {
			_, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
			return err
		}},
	}
}

// refused is an error of a system call that was not carried out for lack of a right; other errors are of its arguments.
func refused(errno syscall.Errno) error {
	if errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS {
		return errno
	}
	return nil
}

func call(number uintptr, arguments ...uintptr) func() error {
	return func() error {
		a := append(arguments, 0, 0, 0, 0, 0, 0)
		_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		return refused(errno)
	}
}

func opens(path string) func() error {
	return func() error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_ = f.Close()
		}
		return err
	}
}

func unlimited(resource int, most uint64) func() error {
	return func() error {
		var l unix.Rlimit
		if err := unix.Getrlimit(resource, &l); err != nil || l.Max <= most {
			return errors.Join(err, errHeld)
		}
		return nil
	}
}

func kernel() []attempt {
	empty := make([]byte, 256)
	at := uintptr(unsafe.Pointer(&empty[0]))
	spawns := func(flags uintptr) func() error {
		return func() error {
			cmd := exec.Command("true") //nolint:noctx // it ends at once
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
			return cmd.Run()
		}
	}
	return []attempt{
		{name: "make a user namespace", try: spawns(unix.CLONE_NEWUSER)},
		{name: "make a mount namespace", try: spawns(unix.CLONE_NEWNS)},
		{name: "make a network namespace", try: spawns(unix.CLONE_NEWNET)},
		{name: "mount", try: call(unix.SYS_MOUNT, 0, at, 0, 0, 0)},
		{name: "unmount", try: call(unix.SYS_UMOUNT2, at, 0)},
		{name: "change the root", try: call(unix.SYS_CHROOT, at)},
		{name: "enter a namespace", try: call(unix.SYS_SETNS, ^uintptr(0), 0)},
		{name: "open a file by its handle", try: call(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), at, 0)},
		{name: "load a program into the kernel", try: call(unix.SYS_BPF, 0, at, 72)},
		{name: "read performance counters", try: call(unix.SYS_PERF_EVENT_OPEN, at, 0, 0, 0, 0)},
		{name: "use keys of the kernel", try: call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0)},
		{name: "add a key to the kernel", try: call(unix.SYS_ADD_KEY, at, at, 0, 0, 0)},
		{name: "use io_uring", try: call(unix.SYS_IO_URING_SETUP, 0, at)},
		{name: "read memory by process_vm_readv", try: call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getpid()), 0, 0, 0, 0, 0)},
		{name: "handle page faults", try: call(unix.SYS_USERFAULTFD, 0)},
		{name: "type into a terminal (TIOCSTI)", try: call(unix.SYS_IOCTL, 0, unix.TIOCSTI, at)},
		{name: "write a setting of the kernel", try: opens("/proc/sys/kernel/core_pattern")},
		{name: "write /etc", try: opens("/etc/passwd")},
		{name: "write /usr", try: func() error { return unix.Access("/usr/bin", unix.W_OK) }},
		{name: "write a device", try: opens("/dev/kmsg")},
		{name: "make a device", try: func() error { defer os.Remove("device"); return unix.Mknod("device", unix.S_IFCHR|0o600, 1<<8|3) }}, //nolint:errcheck // of a test
		{name: "gain privileges by programs with set-user-id", try: func() error {
			if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set == 1 {
				return errHeld
			}
			return nil
		}},
		{name: "write files of any size", try: unlimited(unix.RLIMIT_FSIZE, 64<<30)},
		{name: "use processor time without end", try: unlimited(unix.RLIMIT_CPU, 1<<20)},
	}
}

// makeAttempts is the program: it makes all attempts, and prints a line for each one that is open, as far as it knows.
func makeAttempts(file string) int {
	var p prey
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		fmt.Println(err)
		return 2
	}
	code := 0
	for _, a := range p.attempts() {
		switch err := a.try(); {
		case err == nil && a.victim == "":
			fmt.Println("attempts.json:1: OPEN: " + a.name) // as a gate's finding
			code = 1
		case err != nil:
			fmt.Printf("held: %s: %v\n", a.name, err)
		}
	}
	return code
}
