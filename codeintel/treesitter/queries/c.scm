; What C and C++ have in common. The names of declarators are found by the hook names: "*a[2]" declares a.

(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name parameters: (_) @detail) @definition.macro

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.member

; The name of an unnamed type is that of its typedef.
(type_definition
  type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_)) (enum_specifier name: (_) body: (_))]
  declarator: (_) @names @definition.type)
(type_definition type: (_) @detail declarator: (function_declarator) @names @detail) @definition.type
(type_definition type: (_) @detail declarator: (_) @names) @definition.type

(function_definition type: (_)? @detail declarator: (_) @names @detail) @definition.function
(declaration type: (_) @detail declarator: (_) @names @detail) @definition.variable
(field_declaration type: (_) @detail declarator: (_) @names @detail) @definition.field

(preproc_include path: (_) @path) @import

(comment) @comment
