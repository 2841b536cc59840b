// Package document keeps the open documents of a client, and knows how a client counts: positions become byte offsets here and
// nowhere else. It also makes edits small. All of it is values but Documents, and none of it is I/O.
//
// Invariant: what a client edits is what Forge has, to the byte; what is not UTF-8 is U+FFFD in both.
package document
