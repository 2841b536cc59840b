; What a file of JavaScript or TypeScript takes out of other files by imports, and gives by exports. Only statements of the file itself
; count, and not those of namespaces in it: each is an @at.
(import_statement source: (string) @need) @at
(import_statement (import_clause (identifier) @default) source: (string) @path) @at
(import_statement (import_clause (namespace_import (identifier) @space)) source: (string) @path) @at
(import_statement (import_clause (named_imports (import_specifier name: (_) @take))) source: (string) @path) @at

(export_statement) @at
(export_statement source: (string) @need) @at
(export_statement "*" source: (string) @pass) @at
(export_statement (export_clause (export_specifier name: (_) @take)) source: (string) @path) @at
(export_statement (export_clause (export_specifier name: (_) @give !alias))) @at
(export_statement (export_clause (export_specifier alias: (_) @give))) @at
(export_statement (namespace_export (_) @give)) @at
(export_statement "default" @give) @at
(export_statement declaration: (_ name: (_) @give)) @at
(export_statement declaration: (_ (variable_declarator name: (_) @names))) @at
