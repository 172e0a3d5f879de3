public func br<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.br, attributes, []))
}

public func hr<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.hr, attributes, []))
}

public func img<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.img, attributes, []))
}

public func input<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.input, attributes, []))
}

public func progress<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.progress, attributes, []))
}

public func video<Action>(_ attributes: Attribute...) -> HTML<Action> {
    .element(Element(.video, attributes, []))
}
