/// Puts the pieces of a page together.
@resultBuilder
public enum HTMLBuilder<Action> {
    public static func buildExpression(_ html: HTML<Action>) -> [HTML<Action>] { [html] }

    /// A value that is text is escaped like a literal.
    public static func buildExpression(_ text: some StringProtocol) -> [HTML<Action>] {
        [.text(String(text))]
    }

    public static func buildExpression(_ html: HTML<Action>?) -> [HTML<Action>] {
        html.map { [$0] } ?? []
    }

    public static func buildBlock(_ parts: [HTML<Action>]...) -> [HTML<Action>] {
        parts.flatMap(\.self)
    }

    public static func buildOptional(_ part: [HTML<Action>]?) -> [HTML<Action>] { part ?? [] }

    public static func buildEither(first: [HTML<Action>]) -> [HTML<Action>] { first }

    public static func buildEither(second: [HTML<Action>]) -> [HTML<Action>] { second }

    public static func buildArray(_ parts: [[HTML<Action>]]) -> [HTML<Action>] {
        parts.flatMap(\.self)
    }
}

/// Several pieces beside each other.
public func group<Action>(@HTMLBuilder<Action> _ content: () -> [HTML<Action>]) -> HTML<Action> {
    .fragment(content())
}
