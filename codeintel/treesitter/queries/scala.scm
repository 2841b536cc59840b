(class_definition
  name: (_) @name
  type_parameters: (_)? @detail class_parameters: (_)? @detail extend: (_)? @detail) @definition.class
(object_definition name: (_) @name extend: (_)? @detail) @definition.class
(trait_definition name: (_) @name type_parameters: (_)? @detail extend: (_)? @detail) @definition.interface
(enum_definition name: (_) @name extend: (_)? @detail) @definition.enum
(simple_enum_case name: (_) @name) @definition.member
(full_enum_case name: (_) @name class_parameters: (_)? @detail) @definition.member
(function_definition name: (_) @name parameters: (_)* @detail return_type: (_)? @detail) @definition.function
(function_declaration name: (_) @name parameters: (_)* @detail return_type: (_)? @detail) @definition.function
(val_definition pattern: (identifier) @name type: (_)? @detail) @definition.variable
(var_definition pattern: (identifier) @name type: (_)? @detail) @definition.variable
(val_declaration name: (identifier) @name type: (_)? @detail) @definition.variable
(var_declaration name: (identifier) @name type: (_)? @detail) @definition.variable
(type_definition name: (_) @name type: (_)? @detail) @definition.type
(given_definition name: (_) @name return_type: (_)? @detail) @definition.variable

(lambda_expression) @scope
(block) @scope

(package_clause name: (_) @package)
(import_declaration) @import @path

[(comment) (block_comment)] @comment
