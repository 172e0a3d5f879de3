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

public struct VStack<Content: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) { drawing = Drawing(of: content()) }
    public var body: Never { fatalError() }
}
public struct HStack<Content: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) { drawing = Drawing(of: content()) }
    public var body: Never { fatalError() }
}
@available(iOS 16.0, *)
public protocol Layout: Sendable {}
@available(iOS 16.0, *)
public struct HStackLayout: Layout {
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {}
}
@available(iOS 16.0, *)
public struct VStackLayout: Layout {
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {}
}
/// The views in the layout keep their identity when the layout changes.
@available(iOS 16.0, *)
public struct AnyLayout: Layout {
    public init<L: Layout>(_ layout: L) {}
    public func callAsFunction<V: View>(@ViewBuilder _ content: () -> V) -> some View {
        VStack(content: content)
    }
}
public struct ZStack<Content: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        drawing = Drawing(of: content())
    }
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
public struct ScrollView<Content: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        _ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content
    ) { drawing = Drawing(of: content()) }
    public var body: Never { fatalError() }
}
public struct DisclosureGroup<Label: View, Content: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        @ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label
    ) { drawing = labelled(label(), content()) }
    public var body: Never { fatalError() }
}
extension DisclosureGroup where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content
    ) { drawing = labelled(Text(titleKey), content()) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ label: S, @ViewBuilder content: @escaping () -> Content
    ) { drawing = labelled(Text(label), content()) }
}
public struct LabeledContent<Label: View, Content: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension LabeledContent where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content
    ) { drawing = labelled(Text(titleKey), content()) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, @ViewBuilder content: () -> Content
    ) { drawing = labelled(Text(title), content()) }
}
private func labelled(_ label: some View, _ content: some View) -> Drawing {
    let (label, content) = (Drawing(of: label), Drawing(of: content))
    return Drawing { canvas, sketch in
        label.draw(canvas, &sketch)
        content.draw(canvas, &sketch)
    }
}
public struct NavigationStack<Data, Root: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
public struct NavigationPath {}
extension NavigationStack where Data == NavigationPath {
    nonisolated public init(@ViewBuilder root: () -> Root) { drawing = Drawing(of: root()) }
}

@available(iOS 18.0, *)
public protocol TabContent<TabValue> {
    associatedtype TabValue: Hashable
}
protocol DrawnTab<TabValue>: TabContent {
    var tabs: [TabDrawing<TabValue>] { get }
}
struct TabDrawing<Value: Hashable> {
    var title: String
    var value: Value
    /// The text that VoiceOver reads in addition.
    var note = ""
    var content: Drawing
}
extension TabContent {
    nonisolated var drawings: [TabDrawing<TabValue>] {
        (self as? any DrawnTab<TabValue>)?.tabs ?? []
    }
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
    {
        TupleTabContent(
            tabs: first.drawings + second.drawings + third.drawings + fourth.drawings)
    }
}
public struct TupleTabContent<TabValue: Hashable>: TabContent, DrawnTab {
    let tabs: [TabDrawing<TabValue>]
}
public struct TabView<SelectionValue: Hashable, Content: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
    nonisolated public init<C: TabContent<SelectionValue>>(
        selection: Binding<SelectionValue>,
        @TabContentBuilder<SelectionValue> content: () -> C
    ) where Content == TabContentView<C> {
        let parts = Unchecked((selection: selection, tabs: content().drawings))
        drawing = Drawing { canvas, sketch in
            let selection = parts.value.selection
            for tab in parts.value.tabs {
                var control = Control(name: tab.title, kind: .tab)
                control.value = tab.note
                control.press = { selection.wrappedValue = tab.value }
                sketch.controls.append(control)
                sketch.words.append(tab.title)
            }
            for tab in parts.value.tabs where tab.value == selection.wrappedValue {
                canvas.within(tab.value) { tab.content.draw(canvas, &sketch) }
            }
        }
    }
}
public struct TabContentView<C: TabContent>: View {
    public var body: Never { fatalError() }
}
@available(iOS 18.0, *)
public struct Tab<Value: Hashable, Content: View, Label: View>: TabContent, DrawnTab {
    public typealias TabValue = Value
    let tabs: [TabDrawing<Value>]
}
extension Tab where Label == DefaultTabLabel {
    nonisolated public init<S: StringProtocol>(
        _ title: S, systemImage: String, value: Value, @ViewBuilder content: () -> Content
    ) {
        tabs = [TabDrawing(title: String(title), value: value, content: Drawing(of: content()))]
    }
}
@MainActor @preconcurrency
public protocol TabViewStyle {}
@available(iOS 18.0, *)
public struct SidebarAdaptableTabViewStyle: TabViewStyle {}
@available(iOS 18.0, *)
extension TabViewStyle where Self == SidebarAdaptableTabViewStyle {
    public static var sidebarAdaptable: SidebarAdaptableTabViewStyle { .init() }
}
public struct DefaultTabLabel: View {
    public var body: Never { fatalError() }
}
extension TabContent {
    nonisolated public func badge(_ count: Int) -> some TabContent<TabValue> {
        TupleTabContent(tabs: drawings)
    }
    nonisolated public func accessibilityValue(_ value: Text) -> some TabContent<TabValue> {
        var tabs = drawings
        for index in tabs.indices { tabs[index].note = value.text }
        return TupleTabContent(tabs: tabs)
    }
}
