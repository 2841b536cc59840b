(abstract_class_declaration name: (_) @name (class_heritage)? @detail) @definition.class
(function_signature name: (_) @name) @definition.function @signature
(class_body (method_signature name: (_) @name) @definition.method @signature)
(interface_body (method_signature name: (_) @name) @definition.method @signature)
(type_alias_declaration value: (object_type (method_signature name: (_) @name) @definition.method @signature))
(abstract_method_signature name: (_) @name) @definition.method @signature

(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.method
(public_field_definition name: (_) @name) @definition.field @signature
(required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @definition.parameter @signature
(optional_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @definition.parameter @signature

(interface_declaration name: (_) @name (extends_type_clause)? @detail) @definition.interface
(interface_body (property_signature name: (_) @name) @definition.field @signature)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @definition.field @signature))
(type_alias_declaration name: (_) @name value: (_) @detail) @definition.type

(enum_declaration name: (_) @name) @definition.enum
(enum_body name: (_) @name @definition.member)
(enum_assignment name: (_) @name) @definition.member

(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(ambient_declaration "global" @name) @definition.module

(export_statement "default" @name value: [(as_expression) (satisfies_expression)]) @definition.variable

(import_statement
  (import_require_clause source: (string) @path)) @import


; The grammar knows no "export default function ();" of declaration files.
(ERROR "default" @name "function") @definition.function @signature
