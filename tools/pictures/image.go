package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// The cells: their height and, with DejaVu Sans Mono, their width, in pixels; and the margin around all of them.
const (
	fontSize   = 14
	cellWidth  = fontSize * 0.60205
	cellHeight = 18
	margin     = 10
)

// page is the screen as a document of HTML.
func (s scene) page(screen string) string {
	return fmt.Sprintf(`<!doctype html><meta charset="utf-8"><style>
html,body{margin:0;background:%s}pre{margin:%dpx;font:%dpx/%dpx "DejaVu Sans Mono";font-variant-ligatures:none}span{display:inline-block;height:%dpx;vertical-align:top}
</style><pre>%s</pre>`, s.background, margin, fontSize, cellHeight, cellHeight, spans(screen, "#d8d8d8", s.background))
}

// picture has a page drawn, and writes it with few colours.
func picture(ctx context.Context, page string, s scene, folder, path string) error {
	document, shot := filepath.Join(folder, "page.html"), filepath.Join(folder, "shot.png")
	if err := os.WriteFile(document, []byte(page), 0o600); err != nil {
		return err
	}
	width, height := int(math.Ceil(float64(s.columns)*cellWidth))+2*margin, s.rows*cellHeight+2*margin
	browser := cmp.Or(os.Getenv("CHROMIUM"), "chromium")
	if err := run(ctx, folder, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(folder, "browser"), "--screenshot="+shot,
		"--window-size="+strconv.Itoa(width)+","+strconv.Itoa(height), "file://"+document); err != nil {
		return err
	}
	drawn, err := os.ReadFile(shot)
	if err != nil {
		return err
	}
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		return err
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduced(img)); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%s: %d × %d, %d kB\n", s.name, width, height, small.Len()/1000)
	return os.WriteFile(path, small.Bytes(), 0o644)
}

// reduced is an image with its 255 most frequent colours.
func reduced(img image.Image) image.Image {
	const colours = 255
	count := map[color.Color]int{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			count[color.RGBAModel.Convert(img.At(x, y))]++
		}
	}
	order := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	to := image.NewPaletted(img.Bounds(), order[:min(colours, len(order))])
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			to.Set(x, y, img.At(x, y))
		}
	}
	return to
}
