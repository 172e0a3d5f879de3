/// Draws a view repeatedly. Between two drawings, keeps what SwiftUI keeps: the views' state, and
/// which views are shown.
@MainActor
public final class Canvas {
    /// A view's position in the hierarchy. Stays the same while the view stays in its place.
    typealias Place = Int

    private var states: [Place: [String: AnyObject]] = [:]
    private var watched: [Place: AnyHashable] = [:]
    private var shown: [Place: @MainActor () -> Void] = [:]

    // The state of the current drawing.
    private var place: Place = 0
    private var count: [Place: Int] = [:]
    private var presented: [Presentation] = []
    /// The open sheets, starting with the lowest.
    private var sheets: [Place] = []
    private var appeared: [@MainActor () -> Void] = []
    private var stillShown: [Place: @MainActor () -> Void] = [:]

    public init() {}

    /// Draws the view, and then everything presented above the view. After that, calls the actions
    /// of views that appeared or disappeared.
    public func draw(_ view: some View) -> Sketch {
        (place, count, presented, appeared, stillShown) = (0, [:], [], [], [:])
        EnvironmentValues.current = EnvironmentValues()
        var sketch = Sketch()
        add(view, to: &sketch)
        var level = 0
        while let next = next(at: level) {
            if next.isWhole { level += 1 }
            next.draw(&sketch)
        }
        sheets.removeSubrange(level...)
        let gone = shown.filter { stillShown[$0.key] == nil }.map(\.value)
        shown = stillShown
        // Calls the actions of appearing views first. SwiftUI may use this order, too.
        for tell in appeared + gone { tell() }
        return sketch
    }

    /// Returns the next presentation to draw. UIKit presents only one sheet on each screen, so an
    /// open sheet prevents any other.
    private func next(at level: Int) -> Presentation? {
        if let question = presented.firstIndex(where: { !$0.isWhole }) {
            return presented.remove(at: question)
        }
        guard var sheet = presented.first else { return nil }
        if level < sheets.count {
            sheet = presented.first { $0.place == sheets[level] } ?? sheet
            if sheets[level] != sheet.place { sheets.removeSubrange(level...) }
        }
        if level == sheets.count { sheets.append(sheet.place) }
        presented = []
        return sheet
    }

    private struct Presentation {
        let place: Place
        let isWhole: Bool
        let draw: @MainActor (inout Sketch) -> Void
    }

    func add<V: View>(_ view: V, to sketch: inout Sketch) {
        if let drawable = view as? any Drawable { return drawable.draw(on: self, into: &sketch) }
        // This is a view without text, such as a colour.
        if V.Body.self == Never.self { return }
        within(V.self) {
            link(view)
            add(view.body, to: &sketch)
        }
    }

    /// Presents a view above everything else.
    /// - Parameter isWhole: whether the view covers everything below it, as a sheet does.
    func present(_ view: some View, isWhole: Bool) {
        let own = next("presented")
        let environment = EnvironmentValues.current
        presented.append(
            Presentation(place: own, isWhole: isWhole) { [self] sketch in
                place = own
                EnvironmentValues.current = environment
                if isWhole { sketch = Sketch() }
                add(view, to: &sketch)
            })
    }

    /// Draws a part of a view. A part's position is identified by its type, or by a value that no
    /// neighbour has.
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

    // MARK: State between drawings

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

    /// Calls the action if the value has changed since the previous drawing.
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

/// A property of a view whose value is kept between drawings.
protocol KeptState {
    /// Sets the property to the stored value. Returns the value to store.
    func keep(_ kept: AnyObject?) -> AnyObject
}
