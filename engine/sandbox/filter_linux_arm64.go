package sandbox

import "golang.org/x/sys/unix"

// machine is the kind of machine whose system calls a filter permits.
const machine = unix.AUDIT_ARCH_AARCH64
