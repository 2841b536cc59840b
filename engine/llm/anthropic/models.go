package anthropic

import (
	"context"
	"strings"
	"unicode"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm/wire"
)

// pages bounds how many pages of a list are read.
const pages = 100

// Models lists what the server calls its models, the newest first, except names that would not print.
// A server without a model is no error.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	names, after := []string{}, ""
	for range pages {
		page, err := c.modelPage(ctx, after)
		if err != nil {
			return nil, err
		}
		for _, model := range page.Data {
			if model.ID != "" && !strings.ContainsFunc(model.ID, unprintable) {
				names = append(names, model.ID)
			}
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return names, nil
}

type modelPage struct {
	Data    []api.ModelInfo
	HasMore bool
	LastID  string
}

func (c *Client) modelPage(ctx context.Context, after string) (modelPage, error) {
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	options, err := c.options(x)
	if err != nil {
		return modelPage{}, x.Failure(err)
	}
	models := api.NewModelService(options...)
	params := api.ModelListParams{Limit: api.Int(1000)}
	if after != "" {
		params.AfterID = api.String(after)
	}
	page, err := models.List(ctx, params)
	if err != nil {
		return modelPage{}, x.Failure(err)
	}
	return modelPage{page.Data, page.HasMore, page.LastID}, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
