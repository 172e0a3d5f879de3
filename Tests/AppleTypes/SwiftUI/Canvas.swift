/// Draws a view again and again, and keeps what SwiftUI keeps of it meanwhile: the state of views,
/// and which of them are shown.
@MainActor
public final class Canvas {
    /// A view's place among the others: the same as long as it stays where it is.
    typealias Place = Int

    private var states: [Place: [String: AnyObject]] = [:]
    private var watched: [Place: AnyHashable] = [:]
    private var shown: [Place: @MainActor () -> Void] = [:]

    // Of one drawing.
    private var place: Place = 0
    private var count: [Place: Int] = [:]
    private var presented: [@MainActor (inout Sketch) -> Void] = []
    private var appeared: [@MainActor () -> Void] = []
    private var stillShown: [Place: @MainActor () -> Void] = [:]

    public init() {}

    /// Draws the view, and what is presented above it after that. Then tells the views that came
    /// and went.
    public func draw(_ view: some View) -> Sketch {
        (place, count, presented, appeared, stillShown) = (0, [:], [], [], [:])
        var sketch = Sketch()
        add(view, to: &sketch)
        while !presented.isEmpty { presented.removeFirst()(&sketch) }
        let gone = shown.filter { stillShown[$0.key] == nil }.map(\.value)
        shown = stillShown
        for tell in gone + appeared { tell() }
        return sketch
    }

    func add<V: View>(_ view: V, to sketch: inout Sketch) {
        if let drawable = view as? any Drawable { return drawable.draw(on: self, into: &sketch) }
        // Without words, as a colour.
        if V.Body.self == Never.self { return }
        within(V.self) {
            link(view)
            add(view.body, to: &sketch)
        }
    }

    /// Something above everything else.
    /// - Parameter isWhole: nothing below it can be seen, as with a sheet.
    func present(_ view: some View, isWhole: Bool) {
        presented.append { [place, self] sketch in
            self.place = place
            if isWhole { sketch = Sketch() }
            within("presented") { add(view, to: &sketch) }
        }
    }

    /// A part whose place is named by a type, or by what tells it from its neighbours.
    func within(_ part: Any.Type, _ draw: () -> Void) { within(ObjectIdentifier(part), draw) }

    func within(_ part: AnyHashable, _ draw: () -> Void) {
        let outer = place
        place = next(part)
        draw()
        place = outer
    }

    private func next(_ part: AnyHashable) -> Place {
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(part)
        let same = hasher.finalize()
        count[same, default: 0] += 1
        hasher.combine(count[same])
        return hasher.finalize()
    }

    // MARK: What is kept

    /// Gives the view's states the values that they had when it was drawn before.
    private func link(_ view: some View) {
        for child in Mirror(reflecting: view).children {
            guard let name = child.label, let state = child.value as? any KeptState else {
                continue
            }
            states[place, default: [:]][name] = state.keep(states[place]?[name])
        }
    }

    func appear(_ action: @escaping @MainActor () -> Void) {
        let place = next("appear")
        stillShown[place] = stillShown[place] ?? {}
        if shown[place] == nil { appeared.append(action) }
    }

    func disappear(_ action: @escaping @MainActor () -> Void) { stillShown[next("gone")] = action }

    /// Acts on a value that is another one than when it was drawn before.
    func watch<V: Equatable>(_ value: V, initial: Bool, _ action: @escaping @MainActor (V) -> Void)
    {
        let place = next("watch")
        let before = watched[place] as? Watched<V>
        watched[place] = Watched(value: value)
        if before.map({ $0.value != value }) ?? initial { appeared.append { action(value) } }
    }

    private struct Watched<V: Equatable>: Hashable {
        let value: V
        func hash(into hasher: inout Hasher) {}
    }
}

/// A property of a view that outlives its drawing.
protocol KeptState {
    /// Takes over what was kept, and returns what is to be kept.
    func keep(_ kept: AnyObject?) -> AnyObject
}
