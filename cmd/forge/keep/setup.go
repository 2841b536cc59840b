package keep

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/config"
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
		Short: "Keep the key of a provider, in the keychain or in a file that only you can read",
		Long: "Asks for the key of a provider, or of one after the other, tests it by asking for the list of models, and keeps it in the " +
			"keychain of the operating system; where there is none, in a file of Forge's own that only you can read. " +
			"A key is never an argument: others could see it there.",
		Example: `  forge setup
  forge setup anthropic
  forge setup openai --from-env OPENAI_API_KEY
  pass show openai | forge setup openai --stdin`,
		Args: terminal.AtMostOne("one provider at a time to set up"),
		RunE: func(c *cobra.Command, args []string) error { return setUp(c.Context(), t, f, terminal.First(args)) },
	}
	c.Flags().StringVar(&f.fromEnv, "from-env", "", "take the key from this variable")
	c.Flags().BoolVar(&f.fromStdin, "stdin", false, "take the key from stdin")
	c.Flags().BoolVar(&f.untested, "no-test", false, "keep the key without asking the provider")
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

// keeping is a setup under way.
type keeping struct {
	*terminal.Parts
	terminal.Terminal
	flags setupFlags
	lines *bufio.Reader
}

// check rejects requests that cannot succeed, before it asks for a key.
func (k keeping) check(ctx context.Context, provider string) error {
	settings := k.Current(ctx, "")
	named, known := settings.Provider(provider)
	switch {
	case named.Pinned:
		return terminal.ExitWith(terminal.ExitUsage, "the key for "+config.EnvBaseURL+" is "+config.EnvKey+": set that")
	case named.Kind == config.KindOllama:
		return terminal.ExitWith(terminal.ExitUsage, "Ollama needs no key")
	case settings.Err != nil:
		return terminal.ExitWith(terminal.ExitBlocked, settings.Err.Error())
	case k.flags.fromEnv != "" && k.flags.fromStdin:
		return terminal.ExitWith(terminal.ExitUsage, "--from-env and --stdin: give one of them")
	case provider == "" && (k.flags.fromEnv != "" || k.flags.fromStdin):
		return terminal.ExitWith(terminal.ExitUsage, "whose key is it? Name the provider, as in\n  forge setup openai --stdin")
	case provider != "" && !known:
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("there is no provider %q: there are %s; others are added in %s",
			provider, knownNames(), k.UserFile()))
	case k.flags.fromEnv == "" && !k.flags.fromStdin && !k.Person:
		return terminal.ExitWith(terminal.ExitUsage, "there is no terminal to type a key in: run it in a terminal, or give --from-env VARIABLE or --stdin, as in\n"+
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

// all asks for one key after the other. It reports a failure with one and asks for the next.
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
	fmt.Fprintln(k.Err, "\n[forge] forge models shows what is used now")
	return nil
}

// one gets a key, tests it and keeps it.
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
	fmt.Fprintf(k.Err, "[forge] the key of %s is kept in %s\n", provider.Title, strings.TrimPrefix(where, "in "))
	return k.remember(name)
}

// remember writes into the user's settings that there is a key.
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
		fmt.Fprintf(k.Err, "[forge] %s says so now\n", file)
	}
	return nil
}

// key reads a key. Empty is that the user skips it.
func (k keeping) key(ctx context.Context, p config.Provider) (config.Key, error) {
	text, err := k.read(ctx, p)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && k.Person && !k.flags.fromStdin && k.flags.fromEnv == "":
		fmt.Fprintln(k.Err, "[forge] skipped")
		return "", nil
	case text == "":
		return "", terminal.ExitWith(terminal.ExitUsage, "there is no key: "+k.source())
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", terminal.ExitWith(terminal.ExitUsage, "this is no key: it has blanks, or characters that no key has; copy it again")
	}
	return config.Key(text), nil
}

func (k keeping) source() string {
	if k.flags.fromEnv != "" {
		return k.flags.fromEnv + " is not set, or empty"
	}
	return "stdin is empty"
}

// maxKey bounds what is read from stdin, in bytes.
const maxKey = 64 << 10

func (k keeping) read(ctx context.Context, p config.Provider) (string, error) {
	switch {
	case k.flags.fromEnv != "":
		return k.Env(k.flags.fromEnv), nil
	case k.flags.fromStdin:
		data, err := io.ReadAll(io.LimitReader(k.In, maxKey))
		if err != nil {
			return "", terminal.ExitWith(terminal.ExitFailed, "stdin: "+err.Error())
		}
		return string(data), nil
	}
	show, err := terminal.HideInput(k.In)
	if err != nil {
		return "", terminal.ExitWith(terminal.ExitFailed, "the terminal would show the key while it is typed: give --from-env VARIABLE or --stdin")
	}
	defer show()
	fmt.Fprintf(k.Err, "Key of %s, which is not shown (Enter for none): ", p.Title)
	typed, err := (&terminal.Dialogue{Terminal: k.Terminal, Lines: k.lines}).Line(ctx)
	fmt.Fprintln(k.Err)
	if ctx.Err() != nil {
		return "", terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was kept")
	}
	if err != nil {
		return "", nil //nolint:nilerr // the input has ended: nothing was typed
	}
	return typed, nil
}

// test asks the provider for its models. A key that could not be tested is not stored, because it may not work.
func (k keeping) test(ctx context.Context, s config.Settings, p config.Provider) error {
	if k.flags.untested {
		return nil
	}
	if s.Offline && !p.Local() {
		return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("Forge is offline, so the key of %s was not tested, and not kept: give --no-test to keep it", p.Title))
	}
	offers, err := k.Offers(ctx, s, p)
	if ctx.Err() != nil {
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was kept")
	}
	if err == nil {
		fmt.Fprintf(k.Err, "[forge] %s takes the key: %s\n", p.Title, service.Count(offers, "model"))
		return nil
	}
	text := err.Error()
	var failed *llm.Error
	if errors.As(err, &failed) {
		text = failed.Err.Error()
	}
	return terminal.ExitWith(terminal.ExitFailed, inert.Text(fmt.Sprintf("%s. The key was not kept; to keep it all the same, give --no-test", strings.TrimRight(text, "."))))
}
