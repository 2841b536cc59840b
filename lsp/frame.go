package lsp

import "bufio"

const maxHeaderLine = 16 << 10

type frameReader struct{ in *bufio.Reader }
