(class_definition
  name: (identifier) @name
  superclasses: (_)? @detail
  body: (block . (comment)* . (expression_statement . (string (string_content) @doc) .))) @definition.class

(class_definition
  name: (identifier) @name
  superclasses: (_)? @detail) @definition.class

(function_definition
  name: (identifier) @name
  parameters: (_) @detail
  return_type: (_)? @detail
  body: (block . (comment)* . (expression_statement . (string (string_content) @doc) .))) @definition.function

(function_definition
  name: (identifier) @name
  parameters: (_) @detail
  return_type: (_)? @detail) @definition.function

(assignment
  left: [(identifier) (pattern_list) (tuple_pattern) (list_pattern)] @names
  type: (_)? @detail) @definition.variable

(lambda) @scope

(import_statement
  name: [(dotted_name) @path (aliased_import name: (_) @path)]) @import

(import_from_statement
  module_name: (_) @path
  name: [(dotted_name) @taken (aliased_import name: (_) @taken)]) @import

(import_from_statement
  module_name: (_) @path
  (wildcard_import)) @import

(future_import_statement
  "__future__" @path
  name: [(dotted_name) @taken (aliased_import name: (_) @taken)]) @import

(comment) @comment
