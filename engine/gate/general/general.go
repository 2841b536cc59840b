// Package general is the gates for any folder, regardless of its projects: the syntax of each file, imports between files, shell
// scripts, and the user's own commands.
//
// # Files
//
// FileGates read the files of a tree and start nothing. They support any language of codeintel, and need no project.
//
// # Contracts
//
// CheckContracts checks the imports between files of a folder: each file exists, and exports each name.
//
//	files ──▶ codeintel.Binder ──▶ what is imported ──▶ imports.Graph ──▶ the file ──▶ what it gives, and gives on
//
// Invariant: doubtful cases are not reported. A name is missing only if its file parsed without faults and has no exports that are
// invisible to a reader; a file is missing only if it would be next to others, and no configuration indicates that a tool creates
// it.
//
// # Shell scripts
//
// ShellLanguage has the syntax check of the shell that a script names, and shellcheck. A script is a file whose name ends in .sh or
// .bash, or whose first line names sh, bash or dash. No script is executed.
//
// # Commands
//
// NewCommand creates a gate from a command that the user has defined: an argument list in the user's own settings, and how to read
// its output. It is never taken from the folder that is checked, and runs without a shell.
//
// Invariants: those of package tool; and an exit code alone is no pass. The program reports how many checks it made, or the user
// has declared it.
package general
