/// Text in a state, independent of any user interface. `String(state:)` returns the plain text.
public struct TextState: Equatable, Hashable, Sendable {
    public enum Style: Hashable, Sendable {
        case bold, italic, underline, strikethrough
    }

    public struct Run: Hashable, Sendable {
        public var text: String
        public var styles: Set<Style> = []
    }

    public private(set) var runs: [Run]

    private init(runs: [Run]) {
        self.runs = runs
    }

    public init<S: StringProtocol>(_ content: S) {
        runs = [Run(text: String(content))]
    }

    public init(verbatim content: String) {
        runs = [Run(text: content)]
    }

    public static func + (lhs: Self, rhs: Self) -> Self {
        Self(runs: lhs.runs + rhs.runs)
    }

    public func bold() -> Self { adding(.bold) }
    public func italic() -> Self { adding(.italic) }
    public func underline() -> Self { adding(.underline) }
    public func strikethrough() -> Self { adding(.strikethrough) }

    private func adding(_ style: Style) -> Self {
        Self(
            runs: runs.map {
                var run = $0
                run.styles.insert(style)
                return run
            }
        )
    }
}

extension String {
    public init(state: TextState) {
        self = state.runs.map(\.text).joined()
    }
}

extension TextState: CustomStringConvertible {
    public var description: String { String(state: self) }
}
