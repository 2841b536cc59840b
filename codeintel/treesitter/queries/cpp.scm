(class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)]
  (virtual_specifier)? @detail
  (base_class_clause)? @detail
  body: (_)) @definition.class
(struct_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)]
  (virtual_specifier)? @detail
  (base_class_clause)? @detail
  body: (_)) @definition.struct
; What has no type in front of it: constructors, if they are called as their class, destructors and conversions.
(declaration !type declarator: (function_declarator declarator: (identifier)) @names @detail) @definition.maker
(declaration !type declarator: (_) @names @detail) @definition.function
; The grammar takes "int a = 0" in a class for a function.
(function_definition type: (_) @detail declarator: (field_identifier) @names (pure_virtual_clause)) @definition.field
(enum_specifier name: (type_identifier) @name base: (_) @detail body: (_)) @definition.enum
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (_) @name type: (_) @detail) @definition.type
(concept_definition name: (_) @name) @definition.type
(lambda_expression) @scope
