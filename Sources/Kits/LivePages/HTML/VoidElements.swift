public func br<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.br, attributes, .empty)))
}

public func hr<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.hr, attributes, .empty)))
}

public func img<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.img, attributes, .empty)))
}

public func input<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.input, attributes, .empty)))
}

public func progress<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.progress, attributes, .empty)))
}

public func video<Action>(_ attributes: Attribute...) -> HTML<Action> {
    HTML(.element(Element(.video, attributes, .empty)))
}
