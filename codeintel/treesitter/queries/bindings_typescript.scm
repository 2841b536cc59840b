(import_statement (import_require_clause source: (string) @need)) @at
(import_statement) @at
(import_alias) @at
(export_statement "=" @open) @at
(export_statement (import_alias . (identifier) @give)) @at
(export_statement declaration: (ambient_declaration (_ name: (_) @give))) @at
(export_statement declaration: (ambient_declaration (_ (variable_declarator name: (_) @names)))) @at
(ambient_declaration (module name: (string) @add)) @at
