// Package llmtest is the scripted model: replies and faults written in YAML, served in process or over
// HTTP on loopback. It is strict: a request the script does not expect is an error, and so is a line
// of the script that nobody asked for.
package llmtest
