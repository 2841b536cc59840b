package editor

import (
	"context"
	"errors"
	"fmt"

	"forge/api/service"
)

// Commands are the handlers of some commands, by their names in api.Table.
type Commands map[string]commandHandler

// commandHandler runs one command with the arguments api.Decode made for it.
type commandHandler func(ctx context.Context, args any) (any, error)

// Handler adapts a function to the argument struct it takes.
func Handler[A, R any](f func(ctx context.Context, a *A) (R, error)) commandHandler {
	return func(ctx context.Context, args any) (any, error) {
		a, ok := args.(*A)
		if !ok {
			return nil, fmt.Errorf("the arguments are of another command")
		}
		return f(ctx, a)
	}
}

// folderArgs are the arguments of a command about one folder.
type folderArgs[A any] interface {
	*A
	NamedFolder() string
}

// About adapts a service about one folder. E is the part of the engine that it needs.
func About[E any, A any, P folderArgs[A], R any](f *Folders, e E, do func(ctx context.Context, e E, in service.Folder, a P) (R, error)) commandHandler {
	return Anywhere(e, func(ctx context.Context, e E, a *A) (R, error) {
		folder, err := f.Choose(P(a).NamedFolder())
		if err != nil {
			return *new(R), err
		}
		return do(ctx, e, f.Served(folder), P(a))
	})
}

// Anywhere adapts a service that is about no folder.
func Anywhere[E, A, R any](e E, do func(ctx context.Context, e E, a *A) (R, error)) commandHandler {
	return Handler(func(ctx context.Context, a *A) (R, error) {
		if any(e) == nil {
			return *new(R), ErrNoEngine
		}
		return do(ctx, e, a)
	})
}

// ErrNoEngine answers commands for which a server was started without an engine.
var ErrNoEngine = errors.New("this server was started without an engine, so it has no runs")
