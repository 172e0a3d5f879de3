import UIKit

public struct LocalizedStringKey: Equatable, Sendable, ExpressibleByStringInterpolation {
    let pieces: [String]

    public init(_ value: String) { pieces = [value] }
    public init(stringLiteral value: String) { pieces = [value] }
    public init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var pieces = [""]

        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) { append(literal) }
        public mutating func appendInterpolation(_ string: String) { append(string) }
        public mutating func appendInterpolation(_ number: Int) { append("\(number)") }
        public mutating func appendInterpolation(_ text: Text) { pieces += text.pieces + [""] }
        public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {
            pieces.append("")
        }
        public mutating func appendInterpolation(
            timerInterval: ClosedRange<Date>, pauseTime: Date? = nil, countsDown: Bool = true,
            showsHours: Bool = true
        ) { pieces.append("") }

        private mutating func append(_ text: String) { pieces[pieces.count - 1] += text }
    }
}

public struct Text: Equatable, Sendable {
    /// The pieces of text between the times.
    let pieces: [String]
    var text: String { pieces.joined(separator: " ") }

    private init(pieces: [String]) { self.pieces = pieces }
    nonisolated public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil,
        comment: StaticString? = nil
    ) { pieces = key.pieces }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ content: S) { pieces = [String(content)] }
    nonisolated public init(verbatim content: String) { pieces = [content] }
    nonisolated public init(_ date: Date, style: Text.DateStyle) { pieces = [] }
    nonisolated public init(
        timerInterval: ClosedRange<Date>, pauseTime: Date? = nil, countsDown: Bool = true,
        showsHours: Bool = true
    ) { pieces = [] }
    public struct DateStyle: Equatable, Sendable {
        public static let time = DateStyle()
        public static let date = DateStyle()
        public static let relative = DateStyle()
        public static let offset = DateStyle()
        public static let timer = DateStyle()
    }
    nonisolated public static func + (lhs: Text, rhs: Text) -> Text {
        Text(pieces: lhs.pieces + rhs.pieces)
    }
    nonisolated public func bold() -> Text { self }
    nonisolated public func font(_ font: Font?) -> Text { self }
    nonisolated public func monospacedDigit() -> Text { self }
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text { self }
}

public struct Font: Hashable, Sendable {
    public static let largeTitle = Font()
    public static let title = Font()
    public static let title2 = Font()
    public static let title3 = Font()
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let callout = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public enum TextStyle: CaseIterable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote
        case caption, caption2
    }
    public enum Design: Hashable, Sendable { case `default`, serif, rounded, monospaced }
    public struct Weight: Hashable, Sendable {
        public static let regular = Weight()
        public static let medium = Weight()
        public static let semibold = Weight()
        public static let bold = Weight()
    }
    public static func system(
        _ style: Font.TextStyle, design: Font.Design? = nil, weight: Font.Weight? = nil
    ) -> Font { Font() }
    public func bold() -> Font { self }
    public func monospaced() -> Font { self }
    public func monospacedDigit() -> Font { self }
}

public struct Image: Equatable, Sendable {
    nonisolated public init(systemName: String) {}
    nonisolated public init(decorative name: String, bundle: Bundle? = nil) {}
    nonisolated public init(uiImage: UIImage) {}
    public enum Scale: Hashable, Sendable { case small, medium, large }
    public enum Interpolation: Hashable, Sendable { case none, low, medium, high }
    public enum ResizingMode: Sendable { case tile, stretch }
    nonisolated public func resizable(
        capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch
    ) -> Image { self }
    nonisolated public func interpolation(_ interpolation: Interpolation) -> Image { self }
}

public struct Label<Title: View, Icon: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        @ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon
    ) { drawing = Drawing(of: title()) }
    public var body: Never { fatalError() }
}
extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {
        drawing = Drawing(of: Text(titleKey))
    }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String) {
        drawing = Drawing(of: Text(title))
    }
}
