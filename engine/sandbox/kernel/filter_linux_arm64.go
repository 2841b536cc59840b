package kernel

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// deniedHere are denied system calls that only this architecture has.
var deniedHere []uint32

// missingHere are old calls that only some architectures have.
var missingHere []uint32

// formsHere are the calls of forms that only this architecture has.
var formsHere map[uint32]form
