// Package general is the gates that any folder may have, whatever its projects: whether each file is a sentence of its language, whether
// what files import from each other is there, shell scripts, and the user's own commands.
//
// # Files
//
// FileGates read the files of a tree and start nothing. They know any language that codeintel knows, and no project.
//
// # Contracts
//
// CheckContracts checks what files of a folder import from each other: that each file is there, and gives each name.
//
//	files ──▶ codeintel.Binder ──▶ what is imported ──▶ imports.Graph ──▶ the file ──▶ what it gives, and gives on
//
// Invariant: what is in doubt is not reported. A name is missing only where its file was parsed without a fault and gives nothing that a
// reader cannot see; a file is missing only where it would stand beside others, and nothing says that it is made by a tool.
//
// # Shell scripts
//
// ShellLanguage has the syntax check of the shell that a script names, and shellcheck. A script is a file whose name ends in .sh or .bash,
// or whose first line names sh, bash or dash. No script is executed.
//
// # Commands
//
// NewCommand makes a gate of a command that the user has defined: an argument list in the user's own settings, and how to read its output.
// It is never taken from the folder that is checked, and there is no shell in between.
//
// Invariants: those of package tool; and an exit code alone is no pass. The program says how many checks it made, or the user has
// declared it.
package general
