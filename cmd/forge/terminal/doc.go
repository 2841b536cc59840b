// Package terminal is the base of the commands on the command line: input and output, dialogues with the user, exit codes, flags,
// JSON, and access to the engine of a folder. It has no command of its own.
//
// # Wiring
//
// Open assembles the parts of a command from an environment: an engine, the providers of models, and the settings of both. It sends
// no request to a model and prints nothing. This is the only package that knows all adapters.
//
//	files, environment, flags ─► settings ─► route.Router ─► connector ─► an adapter
//	                                 └─► engine.Settings ─► engine.Engine
package terminal
