public protocol ShapeStyle: Sendable {}

public struct Color: Hashable, ShapeStyle {
    nonisolated public init(_ name: String, bundle: Bundle? = nil) {}
    public static let clear = Color("")
    public static let primary = Color("")
    public static let secondary = Color("")
    public static let white = Color("")
    public static let black = Color("")
    nonisolated public func opacity(_ opacity: Double) -> Color { self }
}
extension ShapeStyle where Self == Color {
    public static var white: Color { Color("") }
    public static var black: Color { Color("") }
    public static var clear: Color { Color("") }
}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

@preconcurrency
public protocol Shape: Sendable, View {}
extension Shape {
    public var body: Never { fatalError() }
    nonisolated public func stroke<S: ShapeStyle>(
        _ content: S, lineWidth: CGFloat = 1, antialiased: Bool = true
    ) -> some View { EmptyView() }
    nonisolated public func stroke<S: ShapeStyle>(
        _ content: S, style: StrokeStyle, antialiased: Bool = true
    ) -> some View { EmptyView() }
    nonisolated public func fill<S: ShapeStyle>(_ content: S) -> some View { EmptyView() }
    nonisolated public func trim(
        from startFraction: CGFloat = 0, to endFraction: CGFloat = 1
    ) -> some Shape { Circle() }
}
public struct StrokeStyle: Equatable, Sendable {
    public init(lineWidth: CGFloat = 1, lineCap: CGLineCap = .butt) {}
}
public enum CGLineCap: Int32, Sendable { case butt, round, square }
public struct Circle: Shape {
    nonisolated public init() {}
}
public struct Capsule: Shape {
    nonisolated public init() {}
}
public struct Rectangle: Shape {
    nonisolated public init() {}
}
public struct RoundedRectangle: Shape {
    nonisolated public init(cornerRadius: CGFloat) {}
}
extension Shape where Self == Circle {
    public static var circle: Circle { Circle() }
}
extension Shape where Self == Capsule {
    public static var capsule: Capsule { Capsule() }
}
extension Shape where Self == Rectangle {
    public static var rect: Rectangle { Rectangle() }
    public static func rect(cornerRadius: CGFloat) -> RoundedRectangle {
        RoundedRectangle(cornerRadius: cornerRadius)
    }
}

public struct Angle: Hashable, Sendable {
    public static func degrees(_ degrees: Double) -> Angle { Angle() }
}

public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
    public static func linear(duration: TimeInterval) -> Animation { Animation() }
}

public protocol TimelineSchedule {}
public struct PeriodicTimelineSchedule: TimelineSchedule, Sendable {}
extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    public static func periodic(
        from startDate: Date, by interval: TimeInterval
    ) -> PeriodicTimelineSchedule { PeriodicTimelineSchedule() }
}
public struct TimelineView<Schedule: TimelineSchedule, Content> {
    let drawing: Drawing
    public struct Context {
        public let date: Date
    }
}
extension TimelineView: View, Drawable, Drawn where Content: View {
    nonisolated public init(
        _ schedule: Schedule,
        @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> Content
    ) { drawing = Drawing(of: content(TimelineViewDefaultContext(date: Date()))) }
    public var body: Never { fatalError() }
}
public struct TimelineViewDefaultContext {
    public let date: Date
}

public protocol Gesture<Value> {
    associatedtype Value
}
public struct DragGesture: Gesture {
    public struct Value: Equatable, Sendable {
        public var location: CGPoint
    }
    public init(minimumDistance: CGFloat = 10) {}
}
@propertyWrapper
public struct GestureState<Value>: DynamicProperty {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public let wrappedValue: Value
    public var projectedValue: GestureState<Value> { self }
}
public struct Transaction {}
public struct GestureStateGesture<Base: Gesture, State>: Gesture {
    public typealias Value = Base.Value
}
extension Gesture {
    public func updating<State>(
        _ state: GestureState<State>,
        body: @escaping (Value, inout State, inout Transaction) -> Void
    ) -> GestureStateGesture<Self, State> { GestureStateGesture() }
}
