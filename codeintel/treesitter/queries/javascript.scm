(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @signature) @definition.method
(field_definition property: (_) @name) @definition.field
