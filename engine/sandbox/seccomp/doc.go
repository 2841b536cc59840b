// Package seccomp takes privileges and system calls from jailed commands of Linux. A launcher of engine/sandbox applies a filter before it becomes
// the command. The filter forbids calls, and hands those that change attributes of files to a Supervisor in Forge, which carries them out on
// files of the command only.
package seccomp
