package treesitter

// Settle is settle, which every outline goes through.
var Settle = settle
