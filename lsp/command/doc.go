// Package command adapts functions with typed arguments to the commands of package api.
package command
