(class_declaration "interface" (type_identifier) @name (type_parameters)? @detail (delegation_specifier)* @detail) @definition.interface
(class_declaration
  (type_identifier) @name
  (delegation_specifier)* @detail
  (enum_class_body)) @definition.enum
(class_declaration
  (type_identifier) @name
  (type_parameters)? @detail (primary_constructor)? @detail (delegation_specifier)* @detail) @definition.class
(object_declaration (type_identifier) @name (delegation_specifier)* @detail) @definition.class
(enum_entry (simple_identifier) @name) @definition.member
(class_parameter (binding_pattern_kind) (simple_identifier) @name [(user_type) (nullable_type) (function_type)]? @detail) @definition.field
(function_declaration
  (simple_identifier) @name
  (function_value_parameters) @detail
  [(user_type) (nullable_type) (function_type)]? @detail) @definition.function
(secondary_constructor "constructor" @name (function_value_parameters) @detail) @definition.constructor
(property_declaration
  (variable_declaration (simple_identifier) @name [(user_type) (nullable_type) (function_type)]? @detail)) @definition.variable
(type_alias (type_identifier) @name (_) @detail) @definition.type

(lambda_literal) @scope
(anonymous_initializer) @scope
(getter) @scope
(setter) @scope

(package_header (identifier) @package)
(import_header (identifier) @path) @import

[(line_comment) (multiline_comment)] @comment
