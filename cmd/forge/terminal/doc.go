// Package terminal is what the commands of the command line share: where they read and write, dialogues with the user, exit codes, flags,
// JSON, and the way to an engine in a folder. It has no command of its own.
//
// # Wiring
//
// Open assembles what commands work with: an engine, the providers of models, and the settings of both, from an environment. It asks no
// model, prints nothing, and this is the only package that knows all adapters.
//
//	files, environment, flags ─► settings ─► route.Router ─► connector ─► an adapter
//	                                 └─► engine.Settings ─► engine.Engine
package terminal
