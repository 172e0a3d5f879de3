@_exported import Foundation
@_exported import Observation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

extension Optional: View, Drawable where Wrapped: View {
    public var body: Never { fatalError() }
    func draw(on canvas: Canvas, into sketch: inout Sketch) {
        if let self { canvas.within(Wrapped.self) { canvas.add(self, to: &sketch) } }
    }
}

public struct EmptyView: View {
    nonisolated public init() {}
    public var body: Never { fatalError() }
}

public struct AnyView: View, Drawn {
    let drawing: Drawing
    nonisolated public init<V: View>(_ view: V) { drawing = Drawing(of: view) }
    public var body: Never { fatalError() }
}

public struct TupleView<T>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}

public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var all: [Drawing] = []
        repeat all.append(Drawing(of: each content))
        let drawings = all
        return TupleView(
            drawing: Drawing { canvas, sketch in
                for drawing in drawings {
                    var own = Sketch()
                    drawing.draw(canvas, &own)
                    sketch.add(own)
                }
            })
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> {
        _ConditionalContent(
            drawing: Drawing(of: Optional(first), branch: "first \(branch(of: first))"))
    }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> {
        _ConditionalContent(
            drawing: Drawing(of: Optional(second), branch: "second \(branch(of: second))"))
    }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView {
        AnyView(content)
    }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

public struct _ViewModifier_Content<Modifier: ViewModifier>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}

extension View {
    nonisolated public func modifier<T: ViewModifier>(_ modifier: T) -> some View {
        let content = Drawing(of: self, branch: branch(of: self))
        let modifier = Unchecked(modifier)
        return Changed(
            drawing: Drawing(branch: content.branch) { canvas, sketch in
                canvas.within(T.self) {
                    canvas.add(modifier.value.body(content: .init(drawing: content)), to: &sketch)
                }
            })
    }
}

public struct Group<Content> {
    let drawing: Drawing
}
extension Group: View, Drawable, Drawn where Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content) {
        let content = content()
        drawing = Drawing(of: content, branch: branch(of: content))
    }
    public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    let drawing: Drawing
}
extension ForEach: View, Drawable, Drawn where Content: View {
    public var body: Never { fatalError() }
}
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    nonisolated public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.init(data.map { (id: $0.id, element: $0) }, content)
    }
}
extension ForEach where Content: View {
    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.init(data.map { (id: $0[keyPath: id], element: $0) }, content)
    }

    nonisolated private init(
        _ rows: [(id: ID, element: Data.Element)],
        _ content: @escaping (Data.Element) -> Content
    ) {
        let parts = Unchecked((rows: rows, content: content))
        drawing = Drawing { canvas, sketch in
            for (id, element) in parts.value.rows {
                var own = Sketch()
                canvas.within(id) { canvas.add(parts.value.content(element), to: &own) }
                sketch.add(own)
            }
        }
    }
}
