(call_expression arguments: (arguments . (string))) @call
((identifier) @name (#any-of? @name "module" "exports" "define"))
(program (expression_statement (_ (_ (this)))) @this)
