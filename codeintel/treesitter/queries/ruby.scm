(class name: (_) @name superclass: (_)? @detail) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name parameters: (_)? @detail) @definition.function
(singleton_method name: (_) @name parameters: (_)? @detail) @definition.function
(alias name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant

(call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor")) @definition.field
(call
  !receiver
  method: (identifier) @_alias
  arguments: (argument_list . (simple_symbol) @name)
  (#eq? @_alias "alias_method")) @definition.method

(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @path))
  (#any-of? @_require "require" "load")) @import
(call
  !receiver
  method: (identifier) @_relative
  arguments: (argument_list . (string (string_content) @path))
  (#eq? @_relative "require_relative")) @import

(comment) @comment
