package service

import (
	"context"

	"forge/codeintel"
)

// Outlined is a symbol of a file. Its names are those of forge symbols --json.
type Outlined struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Receiver string     `json:"receiver,omitempty"` // of a method: its type
	Detail   string     `json:"detail,omitempty"`
	Doc      string     `json:"doc,omitempty"`
	Line     int        `json:"line"` // from 1, of its name
	Children []Outlined `json:"children"`
}

// Outline returns the symbols of a file; broken says that it has syntax errors.
func Outline(ctx context.Context, o codeintel.Outliner, path, text string) (symbols []Outlined, broken bool, err error) {
	outline, err := o.Outline(ctx, codeintel.LanguageOf(path), text)
	return outlinedOf(text, outline.Symbols), outline.Broken, err
}

func outlinedOf(text string, symbols []codeintel.Symbol) []Outlined {
	all := []Outlined{}
	for _, s := range symbols {
		all = append(all, Outlined{
			Name: s.Name, Kind: string(s.Kind), Receiver: s.Receiver, Detail: s.Detail, Doc: s.Doc,
			Line: lineOf(text, s.NameSpan.Start), Children: outlinedOf(text, s.Children),
		})
	}
	return all
}
