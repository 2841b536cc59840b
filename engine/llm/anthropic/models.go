package anthropic

import (
	"context"
	"strings"
	"unicode"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm/wire"
)

// pages limits how many pages of a list are read.
const pages = 100

// Models lists the server's names of its models, the newest first, except unprintable names. A server without models is no error.
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
