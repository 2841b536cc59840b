(class_declaration name: (_) @name (base_clause)? @detail (class_interface_clause)? @detail) @definition.class
(interface_declaration name: (_) @name (base_clause)? @detail) @definition.interface
(trait_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name (class_interface_clause)? @detail) @definition.enum
(enum_case name: (_) @name) @definition.member
(method_declaration name: (_) @name) @definition.method @signature
(function_definition name: (_) @name) @definition.function @signature
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration type: (_)? @detail (property_element (variable_name (name) @name))) @definition.field
(property_promotion_parameter type: (_)? @detail name: (variable_name (name) @name)) @definition.field
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant
  (#eq? @_define "define"))

(namespace_definition name: (_) @package)
(namespace_use_declaration . (_) @path) @import
(require_expression (string (string_content) @path)) @import
(require_once_expression (string (string_content) @path)) @import
(include_expression (string (string_content) @path)) @import
(include_once_expression (string (string_content) @path)) @import
(require_expression (binary_expression right: (string (string_content) @path))) @import
(require_once_expression (binary_expression right: (string (string_content) @path))) @import

(comment) @comment
