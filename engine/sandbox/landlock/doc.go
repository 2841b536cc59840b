// Package landlock restricts which files a process of Linux reads and changes, by rules of the kernel that need no privileges.
package landlock
