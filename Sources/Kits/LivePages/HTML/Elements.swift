// One function for each element, so that a view reads like its page.

public func a<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.a, attributes, content)
}

public func article<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.article, attributes, content)
}

public func aside<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.aside, attributes, content)
}

public func button<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.button, attributes, content)
}

public func dd<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.dd, attributes, content)
}

public func details<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.details, attributes, content)
}

public func dialog<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.dialog, attributes, content)
}

public func div<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.div, attributes, content)
}

public func dl<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.dl, attributes, content)
}

public func dt<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.dt, attributes, content)
}

public func em<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.em, attributes, content)
}

public func fieldset<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.fieldset, attributes, content)
}

public func figcaption<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.figcaption, attributes, content)
}

public func figure<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.figure, attributes, content)
}

public func footer<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.footer, attributes, content)
}

public func form<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.form, attributes, content)
}

public func h1<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.h1, attributes, content)
}

public func h2<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.h2, attributes, content)
}

public func h3<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.h3, attributes, content)
}

public func header<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.header, attributes, content)
}

public func label<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.label, attributes, content)
}

public func legend<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.legend, attributes, content)
}

public func li<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.li, attributes, content)
}

public func main<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.main, attributes, content)
}

public func nav<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.nav, attributes, content)
}

public func ol<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.ol, attributes, content)
}

public func option<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.option, attributes, content)
}

public func output<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.output, attributes, content)
}

public func p<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.p, attributes, content)
}

public func section<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.section, attributes, content)
}

public func select<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.select, attributes, content)
}

public func small<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.small, attributes, content)
}

public func span<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.span, attributes, content)
}

public func strong<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.strong, attributes, content)
}

public func summary<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.summary, attributes, content)
}

public func textarea<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.textarea, attributes, content)
}

public func time<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.time, attributes, content)
}

public func ul<Action>(
    _ attributes: Attribute..., @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.ul, attributes, content)
}
