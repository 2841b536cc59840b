package anthropic

import (
	"context"
	"iter"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/pagination"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Models lists the server's names of its models, the newest first, except unprintable names. A server without models is no error.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	names := []string{}
	for model, err := range pages(ctx, c, func(ctx context.Context, after param.Opt[string], o []option.RequestOption) (*pagination.Page[api.ModelInfo], error) {
		models := api.NewModelService(o...)
		return models.List(ctx, api.ModelListParams{Limit: api.Int(1000), AfterID: after})
	}) {
		if err != nil {
			return nil, err
		}
		if model.ID != "" && !strings.ContainsFunc(model.ID, wire.Unprintable) {
			names = append(names, model.ID)
		}
	}
	return names, nil
}

// maxPages limits how many pages of a list are read.
const maxPages = 100

// pages yields the rows of a list, which list returns page by page. An error ends it.
func pages[T any](ctx context.Context, c *Client, list func(context.Context, param.Opt[string], []option.RequestOption) (*pagination.Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var after param.Opt[string]
		for range maxPages {
			page, err := exchange(ctx, c, "", func(ctx context.Context, o []option.RequestOption) (*pagination.Page[T], error) {
				return list(ctx, after, o)
			})
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, row := range page.Data {
				if !yield(row, nil) {
					return
				}
			}
			if !page.HasMore || page.LastID == "" || page.LastID == after.Value {
				return
			}
			after = api.String(page.LastID)
		}
	}
}

// exchange makes one call through the library, in its own exchange; key is the tag of the request, or empty.
func exchange[T any](ctx context.Context, c *Client, key string, call func(context.Context, []option.RequestOption) (T, error)) (result T, err error) {
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	if key != "" {
		x.Tag(llm.Request{Key: key})
	}
	options, err := c.options(x)
	if err == nil {
		result, err = call(ctx, options)
	}
	return result, x.Failure(err)
}
