package kernel

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// deniedHere are denied system calls that only this architecture has.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS}

// missingHere are old calls that only this architecture has, and that programs do without.
var missingHere = []uint32{unix.SYS_FUTIMESAT}

// formsHere are the calls of forms that only this architecture has.
var formsHere = map[uint32]form{
	unix.SYS_CHMOD:  {folder: none, path: 0, flags: none, change: changeMode(1)},
	unix.SYS_CHOWN:  {folder: none, path: 0, flags: none, change: changeOwner(1)},
	unix.SYS_LCHOWN: {folder: none, path: 0, flags: none, link: true, change: changeOwner(1)},
	unix.SYS_UTIME:  {folder: none, path: 0, flags: none, change: changeSeconds},
	unix.SYS_UTIMES: {folder: none, path: 0, flags: none, change: changeMicroseconds},
}
