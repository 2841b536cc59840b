(class_declaration name: (_) @name (type_parameter_list)? @detail (base_list)? @detail) @definition.class
(record_declaration name: (_) @name (type_parameter_list)? @detail (parameter_list)? @detail (base_list)? @detail) @definition.class
(struct_declaration name: (_) @name (type_parameter_list)? @detail (base_list)? @detail) @definition.struct
(interface_declaration name: (_) @name (type_parameter_list)? @detail (base_list)? @detail) @definition.interface
(enum_declaration name: (_) @name (base_list)? @detail) @definition.enum
(enum_member_declaration name: (_) @name) @definition.member
(delegate_declaration type: (_) @detail name: (_) @name parameters: (_) @detail) @definition.type
(namespace_declaration name: (_) @name) @definition.module

(method_declaration returns: (_) @detail name: (_) @name parameters: (_) @detail) @definition.method
(constructor_declaration name: (_) @name parameters: (_) @detail) @definition.constructor
(operator_declaration type: (_) @detail operator: _ @name parameters: (_) @detail) @definition.method
(destructor_declaration name: (_) @name parameters: (_) @detail) @definition.method
(local_function_statement name: (_) @name parameters: (_) @detail) @definition.function
(property_declaration type: (_) @detail name: (_) @name) @definition.field
(event_declaration type: (_) @detail name: (_) @name) @definition.field

(field_declaration
  (modifier "const")
  (variable_declaration type: (_) @detail (variable_declarator . (identifier) @name))) @definition.constant
(field_declaration
  (variable_declaration type: (_) @detail (variable_declarator . (identifier) @name))) @definition.field
(event_field_declaration
  (variable_declaration type: (_) @detail (variable_declarator . (identifier) @name))) @definition.field

(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive !name [(identifier) (qualified_name)] @path) @import
(using_directive name: (_) [(identifier) (qualified_name)] @path .) @import

(comment) @comment
