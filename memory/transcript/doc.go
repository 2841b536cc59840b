// Package transcript is a conversation on disk: a JSONL file that editor and terminal append to at the same
// time, and that anybody may read meanwhile.
//
//	log, err := transcript.Open(folder, "chat-12")
//	log.Append(transcript.Record{Kind: transcript.TurnUser, At: now, Body: body})
//	records, notes, err := transcript.Read(folder, "chat-12")
//
// A record is one line where it fits into 4 KiB, and several lines, which name the record and their place in it,
// where it does not. Every line goes out in one write at the end of the file (O_APPEND), so that lines of several
// writers stand between each other but never inside each other. A writer that is killed leaves at worst a torn
// last line or a record that lacks lines: both are left out by the reader, with a note, and the next writer ends
// a torn line before it begins its own.
//
// Invariant: nothing that was appended is ever changed. What a record says is data.
package transcript
