(class_declaration "struct" name: (type_identifier) @name (inheritance_specifier)* @detail) @definition.struct
(class_declaration "enum" name: (type_identifier) @name (inheritance_specifier)* @detail) @definition.enum
(class_declaration ["class" "actor"] name: (type_identifier) @name (inheritance_specifier)* @detail) @definition.class
(protocol_declaration name: (_) @name (inheritance_specifier)* @detail) @definition.interface
(enum_entry name: (simple_identifier) @name) @definition.member
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(init_declaration "init" @name) @definition.constructor

; The hook names finds the name in these: with the path to it in the query, compiling that takes a second.
(function_declaration) @names @definition.function
(property_declaration) @names @definition.variable

(protocol_property_declaration
  name: (pattern bound_identifier: (_) @name)
  (type_annotation (_) @detail)?) @definition.variable
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (_) @name) @definition.type

(lambda_literal) @scope
(computed_property) @scope
(subscript_declaration) @scope
(deinit_declaration) @scope

(import_declaration (identifier) @path) @import

[(comment) (multiline_comment)] @comment
