(function_definition name: (_) @name) @definition.function
(declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant
(declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable
(program (variable_assignment name: (variable_name) @name) @definition.variable)
((command
  name: (command_name) @_alias
  argument: (concatenation . (word) @names)) @definition.function
  (#eq? @_alias "alias"))

((command name: (command_name) @_source . argument: (_) @path) @import
  (#any-of? @_source "source" "."))

(comment) @comment
