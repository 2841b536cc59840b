// Package kernel takes rights from a process on Linux for good, and reads what Linux reports about processes. A launcher of
// engine/sandbox uses it before it becomes the command:
//
//	Limit, Fence, DropPrivileges   resources; files, by Landlock, which needs no privileges; privileges
//	Apply ─► Supervisor            system calls, by seccomp: a filter forbids some, and hands those that change attributes of files to a
//	                               Supervisor in Forge, which carries them out on files of the command only
package kernel
