[(identifier) (shorthand_property_identifier_pattern)] @name
