/// The title of a table: its first child.
public func caption<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.caption, attributes, content)
}

public func table<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.table, attributes, content)
}

public func tbody<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.tbody, attributes, content)
}

public func td<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.td, attributes, content)
}

public func th<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.th, attributes, content)
}

public func thead<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.thead, attributes, content)
}

public func tr<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.tr, attributes, content)
}
