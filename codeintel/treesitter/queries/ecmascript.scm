; What JavaScript and TypeScript have in common. "literal" and "parameter" are kinds of our own: see placeEcmaScript.

(function_declaration name: (_) @name) @definition.function @signature
(generator_function_declaration name: (_) @name) @definition.function @signature

(class_declaration name: (_) @name (class_heritage)? @detail) @definition.class
(class name: (_) @name (class_heritage)? @detail) @definition.class
(class_body (method_definition name: (_) @name) @definition.method @signature)

; Functions and classes that are bound to a name.
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.function
(variable_declarator
  name: (identifier) @name
  value: (class !name)) @definition.class
(assignment_expression
  left: (member_expression property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.function
(assignment_expression
  left: (member_expression property: (_) @name)
  right: (class !name)) @definition.class

; Functions in object literals.
(object (method_definition name: (_) @name) @definition.literal @signature)
(object
  (pair
    key: (_) @name
    value: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.literal)

; What a file exports.
(assignment_expression
  left: (member_expression object: (identifier) @_exports property: (_) @name)
  (#eq? @_exports "exports")) @definition.variable
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (_) @_exports)
    property: (_) @name)
  (#eq? @_module "module")
  (#eq? @_exports "exports")) @definition.variable
(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.function
(export_statement "default" @name value: (class !name)) @definition.class
(export_statement "default" @name value: [(object) (call_expression)]) @definition.variable

(lexical_declaration
  kind: "const"
  (variable_declarator name: (_) @names) @definition.constant @signature)
(lexical_declaration
  kind: "let"
  (variable_declarator name: (_) @names) @definition.variable @signature)
(variable_declaration
  (variable_declarator name: (_) @names) @definition.variable @signature)

(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(class_static_block) @scope
(if_statement) @scope
(for_statement) @scope
(for_in_statement) @scope
(while_statement) @scope
(do_statement) @scope
(try_statement) @scope
(switch_statement) @scope
(labeled_statement) @scope
(with_statement) @scope
(program (statement_block) @scope)
(statement_block (statement_block) @scope)

(import_statement
  (import_clause (named_imports (import_specifier name: (_) @taken)))
  source: (string) @path) @import
(import_statement source: (string) @path) @import
(export_statement
  (export_clause (export_specifier name: (_) @taken))
  source: (string) @path) @import
(export_statement source: (string) @path) @import
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @path)
  (#eq? @_require "require")) @import
(call_expression
  function: (import)
  arguments: (arguments . (string) @path)) @import

(comment) @comment
(decorator) @between
