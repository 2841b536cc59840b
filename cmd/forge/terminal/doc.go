// Package terminal is what the commands of the command line share: where they read and write, dialogues with the user, exit codes, flags,
// JSON, and the way to an engine in a folder. It has no command of its own.
package terminal
