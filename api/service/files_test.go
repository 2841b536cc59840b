package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/api/service"
)

// An argument out of its range is named, before any file is looked at.
func TestSearchFiles_RejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	for field, args := range map[string]api.FileSearchArgs{"limit": {Query: "a", Limit: -1}, "query": {Query: " "}} {
		_, err := service.SearchFiles(t.Context(), nil, service.Folder{}, &args)
		invalid := (*api.ArgumentError)(nil)
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
}
