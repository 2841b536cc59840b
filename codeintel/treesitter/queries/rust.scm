(function_item name: (_) @name) @definition.function @signature
(function_signature_item name: (_) @name) @definition.function @signature
(struct_item name: (_) @name type_parameters: (_)? @detail) @definition.struct
(union_item name: (_) @name type_parameters: (_)? @detail) @definition.struct
(enum_item name: (_) @name type_parameters: (_)? @detail) @definition.enum
(enum_variant name: (_) @name body: (_)? @detail) @definition.member
(field_declaration name: (_) @name type: (_) @detail) @definition.field
(trait_item name: (_) @name type_parameters: (_)? @detail bounds: (_)? @detail) @definition.interface
(type_item name: (_) @name type: (_) @detail) @definition.type
(associated_type name: (_) @name bounds: (_)? @detail) @definition.type
(const_item name: (identifier) @name type: (_) @detail) @definition.constant
(static_item name: (_) @name type: (_) @detail) @definition.variable
(mod_item name: (_) @name) @definition.module
(macro_definition name: (_) @name) @definition.macro

(closure_expression) @scope

(extern_crate_declaration name: (_) @path) @import
(use_declaration argument: (_) @path) @import

(line_comment) @comment
(block_comment) @comment
(attribute_item) @between
