// Types that replace a screen. SwiftUI lacks them.

/// A view as a user perceives it by reading, listening or tapping: its texts and its controls.
public struct Sketch {
    /// All texts in the order of the views, including VoiceOver's labels, but without times.
    public internal(set) var words: [String] = []
    public internal(set) var controls: [Control] = []
    var isDisabled = false
    /// The choices, if this is a picker.
    var choices: [Choice] = []

    struct Choice {
        var words: String
        var value: AnyHashable
    }

    public var text: String { words.joined(separator: " ") }

    /// Adds the texts, controls and choices of another sketch, but not its own properties such as
    /// `isDisabled`.
    mutating func add(_ other: Sketch) {
        words += other.words
        controls += other.controls
        choices += other.choices
    }
}

public struct Control {
    public enum Kind: Sendable { case button, tab, link, field, toggle, choice }

    public internal(set) var name: String
    public let kind: Kind
    /// The text that VoiceOver reads after the control's name.
    public internal(set) var value = ""
    public internal(set) var isEnabled = true
    public internal(set) var press: @MainActor () -> Void = {}
    /// Receives the typed text, or the label of a choice.
    public internal(set) var write: @MainActor (String) -> Void = { _ in }
}

@MainActor
protocol Drawable {
    func draw(on canvas: Canvas, into sketch: inout Sketch)
}

/// The function that draws a view. Unchecked, because views that are created outside the main actor
/// store it too.
struct Drawing: @unchecked Sendable {
    let draw: @MainActor (Canvas, inout Sketch) -> Void
    /// Identifies the branch of a conditional view. Modifiers of a conditional view apply to the
    /// content of its branch. If the branch changes, SwiftUI reports the new and the old branch in
    /// an unspecified order.
    let branch: String

    init(
        branch: String = "",
        _ draw: @escaping @MainActor (Canvas, inout Sketch) -> Void = { _, _ in }
    ) {
        self.branch = branch
        self.draw = draw
    }

    init(of view: some View, branch: String = "") {
        let view = Unchecked(view)
        self.init(branch: branch) { canvas, sketch in canvas.add(view.value, to: &sketch) }
    }
}

func branch(of view: some View) -> String {
    if let drawn = view as? any Drawn { return drawn.drawing.branch }
    let mirror = Mirror(reflecting: view)
    return mirror.displayStyle == .optional ? "\(mirror.children.count)" : ""
}

/// Transfers a view from where it is created to the main actor, as SwiftUI does.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A view that is drawn by its `drawing` instead of its body.
@MainActor
protocol Drawn: View, Drawable where Body == Never {
    nonisolated var drawing: Drawing { get }
}
extension Drawn {
    func draw(on canvas: Canvas, into sketch: inout Sketch) { drawing.draw(canvas, &sketch) }
}

struct Changed: Drawn {
    let drawing: Drawing
    var body: Never { fatalError() }
}

extension View {
    /// - Parameter change: called with the sketch of this view only.
    nonisolated func changed(_ change: @escaping @MainActor (Canvas, inout Sketch) -> Void)
        -> Changed
    {
        let drawing = Drawing(of: self)
        let branch = branch(of: self)
        return Changed(
            drawing: Drawing(branch: branch) { canvas, sketch in
                var own = Sketch()
                drawing.draw(canvas, &own)
                canvas.within(branch) { change(canvas, &own) }
                sketch.add(own)
                sketch.isDisabled = sketch.isDisabled || own.isDisabled
            })
    }
}
