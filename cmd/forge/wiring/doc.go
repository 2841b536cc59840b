// Package wiring assembles what commands work with: an engine, the providers of models, and the settings of both, from an environment.
// It asks no model, prints nothing, and is the only package that knows all adapters.
//
//	files, environment, flags ─► settings ─► route.Router ─► connector ─► an adapter
//	                                 └─► engine.Settings ─► engine.Engine
package wiring
