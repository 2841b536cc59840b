// Package seccomp filters the system calls of jailed commands of Linux. A launcher of engine/sandbox applies the filter before it becomes the command.
package seccomp
