// Package index answers questions about whole folders, files and their symbols, and keeps an atlas up to date with the buffers and the disk.
//
//	documents, changed files ─► Surveys ─► Atlas ─► Finder ─► answers in the client's own units
//
// A folder is read when the first question about it comes, never before.
package index
