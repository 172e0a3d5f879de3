// A drawing by the declarations of this folder, in place of a screen. SwiftUI has nothing of it.

/// A view as somebody meets it who reads, listens or taps: its words and its controls.
public struct Sketch {
    /// Every text in the order of the views, the names for VoiceOver included. Moments are left
    /// out.
    public internal(set) var words: [String] = []
    public internal(set) var controls: [Control] = []
    /// Switched off as a whole.
    var isDisabled = false
    /// The choices of a picker.
    var choices: [Choice] = []

    struct Choice {
        var words: String
        var value: AnyHashable
    }

    public var text: String { words.joined(separator: " ") }

    /// Without what holds of the other as a whole.
    mutating func add(_ other: Sketch) {
        words += other.words
        controls += other.controls
        choices += other.choices
    }
}

/// Something to tap, or to write into.
public struct Control {
    public enum Kind: Sendable { case button, tab, link, field, toggle, choice }

    public internal(set) var name: String
    public let kind: Kind
    /// VoiceOver's words after the name.
    public internal(set) var value = ""
    public internal(set) var isEnabled = true
    /// The effect of a tap.
    public internal(set) var press: @MainActor () -> Void = {}
    /// Takes the text that a person types, or a choice by its words.
    public internal(set) var write: @MainActor (String) -> Void = { _ in }
}

/// A view that draws itself.
@MainActor
protocol Drawable {
    func draw(on canvas: Canvas, into sketch: inout Sketch)
}

/// How a view of these declarations is drawn: kept by views that are made outside of the main
/// actor.
struct Drawing: @unchecked Sendable {
    let draw: @MainActor (Canvas, inout Sketch) -> Void

    init(_ draw: @escaping @MainActor (Canvas, inout Sketch) -> Void = { _, _ in }) {
        self.draw = draw
    }

    init(of view: some View) {
        let view = Unchecked(view)
        self.init { canvas, sketch in canvas.add(view.value, to: &sketch) }
    }
}

/// Declarations hand views from where they are made to the main actor, as SwiftUI does.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A view whose look is given by its drawing.
@MainActor
protocol Drawn: View, Drawable where Body == Never {
    nonisolated var drawing: Drawing { get }
}
extension Drawn {
    func draw(on canvas: Canvas, into sketch: inout Sketch) { drawing.draw(canvas, &sketch) }
}

/// A view with something changed in its sketch.
struct Changed: Drawn {
    let drawing: Drawing
    var body: Never { fatalError() }
}

extension View {
    /// - Parameter change: gets the sketch of this view alone.
    nonisolated func changed(_ change: @escaping @MainActor (Canvas, inout Sketch) -> Void)
        -> Changed
    {
        let drawing = Drawing(of: self)
        return Changed(
            drawing: Drawing { canvas, sketch in
                var own = Sketch()
                drawing.draw(canvas, &own)
                change(canvas, &own)
                sketch.add(own)
                sketch.isDisabled = sketch.isDisabled || own.isDisabled
            })
    }
}
