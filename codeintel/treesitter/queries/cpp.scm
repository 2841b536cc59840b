(class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)]
  (base_class_clause)? @detail
  body: (_)) @definition.class
(struct_specifier
  name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (type_identifier) @name)]
  (base_class_clause)? @detail
  body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (_) @name type: (_) @detail) @definition.type
(concept_definition name: (_) @name) @definition.type
(lambda_expression) @scope
[(namespace_identifier)] @reference
