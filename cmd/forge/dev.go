package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/llm/cassette"
	"forge/engine/llm/llmtest"
)

func newDev(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{Use: "dev", Short: "Tools for the development of Forge and for tests against it"}
	c.AddCommand(newDevModel(t), newDevPlay(t), newDevSample(t))
	return c
}

func newDevSample(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "sample DIR",
		Short: "Write the sample workspace of the demo into a new folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := writeSample(args[0]); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			fmt.Fprintln(t.Out, args[0])
			return nil
		},
	}
}

// devModelFlags are the flags of `forge dev model`.
type devModelFlags struct {
	script   string
	record   string
	upstream string
	cassette string
	paced    bool
	port     int
}

func newDevModel(t terminal.Terminal) *cobra.Command {
	var flags devModelFlags
	c := &cobra.Command{
		Use:   "model",
		Short: "Serve a scripted or recorded model on loopback, and print its base URL",
		Long: "Serves a scripted model on 127.0.0.1 until it is interrupted: in the formats of OpenAI, Anthropic and Ollama, " +
			"with the batches of the first two. It is strict: it rejects requests that the script does not expect, and unused lines " +
			"are an error at the end. Without --script it serves the demo's script.\n\n" +
			"Point Forge to it with FORGE_BASE_URL (the printed URL), FORGE_MODEL=scripted and FORGE_TAG_REQUESTS=1, which adds the name of the node to each request.\n\n" +
			"With --record and --upstream it forwards requests to a real server and records the answers in a new file. Keys are sent to the " +
			"server only; the file contains hashes of the requests. With --cassette it serves a recorded file, as strictly as a script.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := serveModel(c.Context(), t, flags); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			return nil
		},
	}
	c.Flags().StringVar(&flags.script, "script", "", "the script, YAML")
	c.Flags().StringVar(&flags.record, "record", "", "the file to record into; it must not exist")
	c.Flags().StringVar(&flags.upstream, "upstream", "", "the base URL of the server to record: https://api.openai.com/v1")
	c.Flags().StringVar(&flags.cassette, "cassette", "", "the recording to play")
	c.Flags().BoolVar(&flags.paced, "paced", false, "with --cassette: answer at the recorded speed")
	c.Flags().IntVar(&flags.port, "port", 0, "the port; 0 is any free one")
	c.MarkFlagsRequiredTogether("record", "upstream")
	c.MarkFlagsMutuallyExclusive("script", "record", "cassette")
	terminal.Needs(c, "paced", "cassette")
	return c
}

// part is the server of `forge dev model`.
type part struct {
	serve  func(context.Context, net.Listener) error
	base   string       // path of base URLs
	verify func() error // called at the end
}

func serveModel(ctx context.Context, t terminal.Terminal, flags devModelFlags) error {
	p, err := flags.part(t)
	if err != nil {
		return err
	}
	listener, err := llmtest.Listen(ctx, flags.port)
	if err != nil {
		return errors.Join(err, p.verify())
	}
	fmt.Fprintf(t.Out, "http://%s%s\n", listener.Addr(), p.base)
	err = p.serve(ctx, listener)
	return errors.Join(err, p.verify())
}

func (f devModelFlags) part(t terminal.Terminal) (part, error) {
	switch {
	case f.record != "":
		return recorderPart(f)
	case f.cassette != "":
		return cassettePart(f)
	default:
		return scriptPart(t, f.script)
	}
}

func scriptPart(t terminal.Terminal, file string) (part, error) {
	name, source := "the demo's script", sampleScript
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return part{}, err
		}
		name, source = file, data
	}
	script, err := llmtest.Parse(name, source)
	if err != nil {
		return part{}, err
	}
	serve := func(ctx context.Context, listener net.Listener) error {
		return llmtest.Serve(ctx, listener, script, t.Err)
	}
	return part{serve, "/v1", script.Verify}, nil
}

// recorderPart creates the file with access for its owner only: it contains no prompts, but answers.
func recorderPart(f devModelFlags) (part, error) {
	file, err := os.OpenFile(f.record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return part{}, err
	}
	recorder, err := cassette.NewRecorder(f.upstream, file, time.Now)
	if err != nil {
		return part{}, errors.Join(err, file.Close(), os.Remove(f.record))
	}
	serve := func(ctx context.Context, listener net.Listener) error {
		return llmtest.ServeHandler(ctx, listener, recorder)
	}
	return part{serve, recorder.Base(), func() error {
		recorder.Close()
		return errors.Join(recorder.Err(), file.Close())
	}}, nil
}

func cassettePart(f devModelFlags) (part, error) {
	file, err := os.Open(f.cassette)
	if err != nil {
		return part{}, err
	}
	defer file.Close() //nolint:errcheck // read only
	recording, err := cassette.Read(f.cassette, file)
	if err != nil {
		return part{}, err
	}
	recording.Paced = f.paced
	serve := func(ctx context.Context, listener net.Listener) error {
		return llmtest.ServeHandler(ctx, listener, recording)
	}
	return part{serve, recording.Base(), recording.Verify}, nil
}

func newDevPlay(t terminal.Terminal) *cobra.Command {
	port := 0
	c := &cobra.Command{
		Use:   "play DIR",
		Short: "Serve a model on loopback whose answers you write as files",
		Long: "Serves a model on 127.0.0.1 until it is interrupted, and prints its base URL. It writes request n to DIR/NNN.request.md, and answers with the " +
			"text of DIR/NNN.answer.md as soon as that file exists: write it under another name, and rename it. What you need to answer a prompt well shows " +
			"what the prompt lacks. The folder is a transcript that can be replayed, because an existing answer is sent at once.\n\n" +
			"Point Forge to it with FORGE_BASE_URL (the printed URL) and FORGE_MODEL=played.",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o700); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			listener, err := llmtest.Listen(c.Context(), port)
			if err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			fmt.Fprintf(t.Out, "http://%s/v1\n", listener.Addr())
			played := &cassette.Played{Dir: args[0], Look: 200 * time.Millisecond, Alive: 5 * time.Second}
			if err := llmtest.ServeHandler(c.Context(), listener, played); err != nil {
				return terminal.ExitWith(terminal.ExitFailed, err.Error())
			}
			return nil
		},
	}
	c.Flags().IntVar(&port, "port", 0, "the port; 0 is any free one")
	return c
}
