public struct HorizontalAlignment: Hashable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
    public static let trailing = HorizontalAlignment()
}
public struct VerticalAlignment: Hashable, Sendable {
    public static let top = VerticalAlignment()
    public static let center = VerticalAlignment()
    public static let bottom = VerticalAlignment()
    public static let firstTextBaseline = VerticalAlignment()
}
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let leading = Alignment()
    public static let trailing = Alignment()
    public static let top = Alignment()
    public static let bottom = Alignment()
    public static let topLeading = Alignment()
}
public enum TextAlignment: Hashable, CaseIterable, Sendable { case leading, center, trailing }
public enum Axis: Int8, CaseIterable, Sendable {
    case horizontal, vertical
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
    }
}
public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let all = Set(rawValue: 15)
        public static let horizontal = Set(rawValue: 10)
        public static let vertical = Set(rawValue: 5)
    }
}
public enum VerticalEdge: Int8, CaseIterable, Sendable { case top, bottom }
public struct EdgeInsets: Equatable, Sendable {
    public init() {}
}

public struct VStack<Content: View>: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError() }
}
public struct HStack<Content: View>: View {
    nonisolated public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError() }
}
public struct ZStack<Content: View>: View {
    nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}
public struct ViewThatFits<Content: View>: View {
    nonisolated public init(
        in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError() }
}
public struct Spacer: View {
    nonisolated public init(minLength: CGFloat? = nil) {}
    public var body: Never { fatalError() }
}
public struct Divider: View {
    nonisolated public init() {}
    public var body: Never { fatalError() }
}
public struct ScrollView<Content: View>: View {
    nonisolated public init(
        _ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError() }
}
public struct DisclosureGroup<Label: View, Content: View>: View {
    nonisolated public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label
    ) {}
    public var body: Never { fatalError() }
}
extension DisclosureGroup where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content
    ) {}
}
public struct LabeledContent<Label: View, Content: View>: View {
    public var body: Never { fatalError() }
}
extension LabeledContent where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content
    ) { fatalError() }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, @ViewBuilder content: () -> Content
    ) { fatalError() }
}
public struct NavigationStack<Data, Root: View>: View {
    public var body: Never { fatalError() }
}
public struct NavigationPath {}
extension NavigationStack where Data == NavigationPath {
    nonisolated public init(@ViewBuilder root: () -> Root) { fatalError() }
}

public protocol TabContent<TabValue> {
    associatedtype TabValue: Hashable
}
@resultBuilder
public struct TabContentBuilder<TabValue: Hashable> {
    public static func buildExpression<Content: TabContent<TabValue>>(
        _ content: Content
    ) -> Content { content }
    public static func buildBlock<A, B, C, D>(
        _ first: A, _ second: B, _ third: C, _ fourth: D
    ) -> TupleTabContent<TabValue>
    where
        A: TabContent<TabValue>, B: TabContent<TabValue>, C: TabContent<TabValue>,
        D: TabContent<TabValue>
    { fatalError() }
}
public struct TupleTabContent<TabValue: Hashable>: TabContent {}
public struct TabView<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError() }
    nonisolated public init<C: TabContent<SelectionValue>>(
        selection: Binding<SelectionValue>,
        @TabContentBuilder<SelectionValue> content: () -> C
    ) where Content == TabContentView<C> { fatalError() }
}
public struct TabContentView<C: TabContent>: View {
    public var body: Never { fatalError() }
}
public struct Tab<Value: Hashable, Content: View, Label: View>: TabContent {
    public typealias TabValue = Value
}
extension Tab where Label == DefaultTabLabel {
    nonisolated public init<S: StringProtocol>(
        _ title: S, systemImage: String, value: Value, @ViewBuilder content: () -> Content
    ) { fatalError() }
}
public struct DefaultTabLabel: View {
    public var body: Never { fatalError() }
}
extension TabContent {
    nonisolated public func badge(_ count: Int) -> some TabContent<TabValue> {
        TupleTabContent<TabValue>()
    }
    nonisolated public func accessibilityValue(_ value: Text) -> some TabContent<TabValue> {
        TupleTabContent<TabValue>()
    }
}
