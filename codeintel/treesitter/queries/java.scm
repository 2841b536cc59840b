(class_declaration
  name: (_) @name
  type_parameters: (_)? @detail superclass: (_)? @detail interfaces: (_)? @detail) @definition.class
(interface_declaration name: (_) @name type_parameters: (_)? @detail (extends_interfaces)? @detail) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name interfaces: (_)? @detail) @definition.enum
(enum_constant name: (_) @name arguments: (_)? @detail) @definition.member
(record_declaration name: (_) @name parameters: (_) @detail interfaces: (_)? @detail) @definition.class
(method_declaration name: (_) @name) @definition.method @signature
(annotation_type_element_declaration name: (_) @name) @definition.method @signature
(constructor_declaration name: (_) @name) @definition.constructor @signature
(compact_constructor_declaration name: (_) @name) @definition.constructor

(field_declaration
  (modifiers "static" "final")
  type: (_) @detail
  declarator: (variable_declarator name: (_) @name)) @definition.constant
(field_declaration
  (modifiers "final" "static")
  type: (_) @detail
  declarator: (variable_declarator name: (_) @name)) @definition.constant
(field_declaration type: (_) @detail declarator: (variable_declarator name: (_) @name)) @definition.field
(constant_declaration type: (_) @detail declarator: (variable_declarator name: (_) @name)) @definition.constant

(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration [(scoped_identifier) (identifier)] @path) @import

[(line_comment) (block_comment)] @comment
