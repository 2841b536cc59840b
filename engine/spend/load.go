package spend

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed prices.yaml
var builtIn []byte

// priceEntry is an entry of a file of prices. Amounts are US dollars for a million tokens.
type priceEntry struct {
	Provider   string   `yaml:"provider"`   // a pattern: openai, *
	Models     []string `yaml:"models"`     // patterns of names as the provider has them
	Input      *float64 `yaml:"input"`      //
	Output     *float64 `yaml:"output"`     //
	CacheRead  *float64 `yaml:"cacheRead"`  // left out: as input
	CacheWrite *float64 `yaml:"cacheWrite"` // left out: as input
	Batch      *float64 `yaml:"batch"`      // part of the price that is paid in batches; left out: 1
	Date       string   `yaml:"date"`
	Source     string   `yaml:"source"`
}

// LoadPrices reads the prices that Forge knows, and in front of them those of a file of the user's, which need not be there.
// An error names the file and what is wrong with it.
func LoadPrices(file string) (Prices, error) {
	known, err := parsePrices(builtIn)
	if err != nil {
		return Prices{}, fmt.Errorf("the prices that Forge knows: %w", err)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Prices{known}, nil
	}
	if err != nil {
		return Prices{}, fmt.Errorf("read prices: %w", err)
	}
	own, err := parsePrices(text)
	if err != nil {
		return Prices{}, fmt.Errorf("prices in %s: %w", file, err)
	}
	return Prices{append(own, known...)}, nil
}

func parsePrices(text []byte) ([]entry, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var read []priceEntry
	if err := decoder.Decode(&read); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("this is not a list of prices: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	entries := make([]entry, 0, len(read))
	for i, e := range read {
		one, err := e.entry()
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		entries = append(entries, one)
	}
	return entries, nil
}

// maxPerMillion is more than any provider charges for a million tokens, in dollars.
const maxPerMillion = 100_000

func (e priceEntry) entry() (entry, error) {
	if e.Provider == "" || len(e.Models) == 0 {
		return entry{}, errors.New("name a provider and its models")
	}
	if e.Input == nil || e.Output == nil {
		return entry{}, errors.New("give input and output, in US dollars for a million tokens")
	}
	made := entry{provider: strings.ToLower(e.Provider), price: Price{Date: e.Date, Source: e.Source}}
	for _, m := range append(e.Models, e.Provider) {
		if _, err := path.Match(m, ""); err != nil {
			return entry{}, fmt.Errorf("%q is not a pattern: a bracket is not closed, or the end is escaped", m)
		}
	}
	for _, m := range e.Models {
		made.models = append(made.models, strings.ToLower(m))
	}
	one := 1.0
	for _, f := range []struct {
		name string
		is   *float64
		or   *float64
		most float64
		unit float64
		into *int64
	}{
		{"input", e.Input, nil, maxPerMillion, micro, &made.price.Input},
		{"output", e.Output, nil, maxPerMillion, micro, &made.price.Output},
		{"cacheRead", e.CacheRead, e.Input, maxPerMillion, micro, &made.price.CacheRead},
		{"cacheWrite", e.CacheWrite, e.Input, maxPerMillion, micro, &made.price.CacheWrite},
		{"batch", e.Batch, &one, 1, 1000, &made.price.Batch},
	} {
		if f.is == nil {
			f.is = f.or
		}
		if !(*f.is >= 0 && *f.is <= f.most) {
			return entry{}, fmt.Errorf("%s is %v: give a number from 0 to %v", f.name, *f.is, f.most)
		}
		*f.into = int64(*f.is*f.unit + 0.999999)
	}
	return made, nil
}
