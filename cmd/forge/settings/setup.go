package settings

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/secret"
	"forge/internal/inert"
)

// setupFlags are the flags of forge setup.
type setupFlags struct {
	fromEnv   string
	fromStdin bool
	untested  bool
}

// NewSetup returns the command forge setup.
func NewSetup(t terminal.Terminal) *cobra.Command {
	var f setupFlags
	c := &cobra.Command{
		Use:   "setup [PROVIDER]",
		Short: "Store the key of a provider in the keychain, or in a file that only you can read",
		Long: "Asks for the key of a provider, or of each provider in turn, tests it with a request for the list of models, and stores it in the " +
			"keychain of the operating system, or without a keychain in a file that only you can read. " +
			"A key is never an argument, because other users could see it.",
		Example: `  forge setup
  forge setup anthropic
  forge setup openai --from-env OPENAI_API_KEY
  pass show openai | forge setup openai --stdin`,
		Args: terminal.AtMostOne("one provider"),
		RunE: func(c *cobra.Command, args []string) error { return setUp(c.Context(), t, f, terminal.First(args)) },
	}
	c.Flags().StringVar(&f.fromEnv, "from-env", "", "read the key from this variable")
	c.Flags().BoolVar(&f.fromStdin, "stdin", false, "read the key from stdin")
	c.Flags().BoolVar(&f.untested, "no-test", false, "store the key without testing it")
	return c
}

func setUp(ctx context.Context, t terminal.Terminal, f setupFlags, provider string) error {
	p, err := terminal.OpenParts(t, config.Models{})
	if err != nil {
		return err
	}
	defer p.Close()
	s := keeping{Parts: p, Terminal: t, flags: f, lines: bufio.NewReader(t.In)}
	if err := s.check(ctx, provider); err != nil {
		return err
	}
	if provider != "" {
		return s.one(ctx, provider)
	}
	return s.all(ctx)
}

// keeping is a setup in progress.
type keeping struct {
	*terminal.Parts
	terminal.Terminal
	flags setupFlags
	lines *bufio.Reader
}

// check rejects calls that cannot work, before a key is requested.
func (k keeping) check(ctx context.Context, provider string) error {
	settings := k.Current(ctx, "")
	named, known := settings.Provider(provider)
	switch {
	case named.Pinned:
		return terminal.ExitWith(terminal.ExitUsage, "the key for "+config.EnvBaseURL+" is "+config.EnvKey+": set this variable")
	case named.Kind == config.KindOllama:
		return terminal.ExitWith(terminal.ExitUsage, "Ollama needs no key")
	case settings.Err != nil:
		return terminal.ExitWith(terminal.ExitBlocked, settings.Err.Error())
	case k.flags.fromEnv != "" && k.flags.fromStdin:
		return terminal.ExitWith(terminal.ExitUsage, "--from-env and --stdin exclude each other")
	case provider == "" && (k.flags.fromEnv != "" || k.flags.fromStdin):
		return terminal.ExitWith(terminal.ExitUsage, "the provider is missing: name it, as in\n  forge setup openai --stdin")
	case provider != "" && !known:
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("unknown provider %q; the providers are %s; add others in %s",
			provider, knownNames(), k.UserFile()))
	case k.flags.fromEnv == "" && !k.flags.fromStdin && !k.Interactive:
		return terminal.ExitWith(terminal.ExitUsage, "no terminal to enter a key: run forge setup in a terminal, or use --from-env VARIABLE or --stdin, as in\n"+
			"  forge setup openai --from-env OPENAI_API_KEY")
	}
	return nil
}

func knownNames() string {
	var names []string
	for _, known := range config.KnownProviders() {
		names = append(names, known.Name)
	}
	return strings.Join(names, ", ")
}

// all asks for the key of each provider in turn. It reports a failure and continues with the next provider.
func (k keeping) all(ctx context.Context) error {
	for _, known := range config.KnownProviders() {
		fmt.Fprintf(k.Err, "\n%s (keys are at %s)\n", known.Title, known.KeysAt)
		err := k.one(ctx, known.Name)
		var exit *terminal.ExitError
		switch {
		case errors.As(err, &exit) && exit.Code != terminal.ExitCancelled:
			fmt.Fprintln(k.Err, "[forge] "+exit.Text)
		case err != nil:
			return err
		}
	}
	fmt.Fprintln(k.Err, "\n[forge] forge models shows which models are used now")
	return nil
}

// one reads a key, tests it and stores it.
func (k keeping) one(ctx context.Context, name string) error {
	settings := k.Current(ctx, "")
	provider, _ := settings.Provider(name)
	key, err := k.key(ctx, provider)
	if err != nil || key == "" {
		return err
	}
	k.Secrets.Learn(secret.Value{Name: provider.Name + " key", Text: string(key)})
	provider.Key, provider.Missing = key, ""
	if err := k.test(ctx, settings, provider); err != nil {
		return err
	}
	where, err := config.Vault{Dir: k.State, Keychain: config.SystemKeychain(k.Env)}.Save(name, key)
	if err != nil {
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	fmt.Fprintf(k.Err, "[forge] the key of %s is stored in %s\n", provider.Title, strings.TrimPrefix(where, "in "))
	return k.remember(name)
}

// remember records in the user's settings that a key is stored.
func (k keeping) remember(name string) error {
	file := k.UserFile()
	written, err := config.RememberSaved(file, name)
	byHand := &config.ByHandError{}
	switch {
	case errors.As(err, &byHand):
		fmt.Fprintf(k.Err, "[forge] %s\n", byHand.Error())
	case err != nil:
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	case written:
		fmt.Fprintf(k.Err, "[forge] updated %s\n", file)
	}
	return nil
}

// key reads a key. An empty key means that the user skips this provider.
func (k keeping) key(ctx context.Context, p config.Provider) (config.Key, error) {
	text, err := k.read(ctx, p)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && k.Interactive && !k.flags.fromStdin && k.flags.fromEnv == "":
		fmt.Fprintln(k.Err, "[forge] skipped")
		return "", nil
	case text == "":
		return "", terminal.ExitWith(terminal.ExitUsage, "no key: "+k.source())
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", terminal.ExitWith(terminal.ExitUsage, "this is not a key: it contains blanks, or characters that keys do not have; copy it again")
	}
	return config.Key(text), nil
}

func (k keeping) source() string {
	if k.flags.fromEnv != "" {
		return k.flags.fromEnv + " is not set, or empty"
	}
	return "stdin is empty"
}

// maxKey bounds the input from stdin, in bytes.
const maxKey = 64 << 10

// readKey reads a key, or the value of a header, from stdin to its end.
func readKey(ctx context.Context, t terminal.Terminal) (string, error) {
	text, err := t.ReadNamed(ctx, "-", maxKey)
	switch {
	case ctx.Err() != nil: // what was typed so far is not the whole key
		return "", terminal.ExitWith(terminal.ExitCancelled, "cancelled; no key was stored")
	case err != nil:
		return "", terminal.ExitWith(terminal.ExitFailed, "read the key: "+err.Error())
	}
	return text, nil
}

func (k keeping) read(ctx context.Context, p config.Provider) (string, error) {
	switch {
	case k.flags.fromEnv != "":
		return k.Env(k.flags.fromEnv), nil
	case k.flags.fromStdin:
		return readKey(ctx, k.Terminal)
	}
	show, err := terminal.HideInput(k.In)
	if err != nil {
		return "", terminal.ExitWith(terminal.ExitFailed, "the terminal would show the key while you type: use --from-env VARIABLE or --stdin")
	}
	defer show()
	fmt.Fprintf(k.Err, "Key of %s (hidden; Enter for none): ", p.Title)
	typed, err := (&terminal.Dialogue{Terminal: k.Terminal, Lines: k.lines}).Line(ctx)
	fmt.Fprintln(k.Err)
	if ctx.Err() != nil {
		return "", terminal.ExitWith(terminal.ExitCancelled, "cancelled; no key was stored")
	}
	if err != nil {
		return "", nil //nolint:nilerr // end of input
	}
	return typed, nil
}

// test requests the list of models from the provider. A key that could not be tested is not stored, because it may be wrong.
func (k keeping) test(ctx context.Context, s config.Settings, p config.Provider) error {
	if k.flags.untested {
		return nil
	}
	if s.Offline && !p.Local() {
		return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("Forge is offline, so the key of %s was not tested and not stored: use --no-test to store it", p.Title))
	}
	offers, err := k.Offers(ctx, s, p)
	if ctx.Err() != nil {
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled; no key was stored")
	}
	if err == nil {
		fmt.Fprintf(k.Err, "[forge] %s accepts the key: %s\n", p.Title, event.Count(offers, "model"))
		return nil
	}
	text := err.Error()
	var failed *llm.Error
	if errors.As(err, &failed) {
		text = failed.Err.Error()
	}
	return terminal.ExitWith(terminal.ExitFailed, inert.Text(fmt.Sprintf("%s. The key was not stored; use --no-test to store it anyway", strings.TrimRight(text, "."))))
}
