import Foundation

/// Behaviours that the script runs without a request.
extension Attribute {
    /// Counts down to `datetime` in the browser: "3 h 12 min". For a `time` element.
    public static let countdown = Attribute.data("countdown")
    /// Counts up from `datetime`: "00:42". For a `time` element.
    public static let stopwatch = Attribute.data("stopwatch")
    /// "5 minutes ago", kept up to date. For a `time` element.
    public static let relative = Attribute.data("relative")
    /// The moment in the viewer's own time zone and words. For a `time` element.
    public static let absolute = Attribute.data("absolute")
    public static let second = Attribute.data("second")
    /// "5 minutes ago · 10:02": both of these. For a `time` element.
    public static let when = Attribute.data("when")

    /// Sets the CSS variable `--ring` to the share of the time that is left, every second.
    public static func ring(from start: Date, until end: Date) -> Attribute {
        .data("ring", "\(start.wireText) \(end.wireText)")
    }

    /// Copies a text when pressed, and says so.
    public static func copies(_ text: String) -> Attribute { .data("copy", text) }
    /// Shares a link where the browser can; copies it where it can't.
    public static func shares(_ link: String) -> Attribute { .data("share", link) }

    /// A dialog that is shown above everything while it is on the page.
    public static let modal = Attribute.data("modal")
    /// Takes the focus once, when it comes onto the page.
    public static let focusWhenShown = Attribute.data("focus")

    /// How many steps the browser's Back has to take here before it leaves the page. It presses
    /// what `goesBack` is on.
    public static func depth(_ steps: Int) -> Attribute { .data("depth", "\(steps)") }
    public static let goesBack = Attribute.data("back")

    /// A button that presses itself once it was in sight for so long: it takes a banner away.
    public static func pressesItself(after time: Duration) -> Attribute {
        .data("brief", "\(time.components.seconds)")
    }

    /// "by tomorrow, 10:42 PM"; in the last hour "59 min 12 s left", then "2 min 10 s overdue". For
    /// a `time` element.
    public static let deadline = Attribute.data("deadline")

    /// A `video` that shows the camera while it is on the page, and reads codes from it. The
    /// browser asks for the permission then.
    public static let camera = Attribute.data("camera")
    /// Shows a light while it is on the page, where the camera has one.
    public static let torch = Attribute.data("torch")

    /// A field of a sheet whose text the script keeps when the server is started anew. Not for
    /// codes and secrets.
    public static let draft = Attribute.data("draft")

    /// A field that is sent as soon as it has so many characters, without a button.
    public static func submits(atLength length: Int) -> Attribute {
        .data("submit-at", "\(length)")
    }
}

/// A place whose changes a screen reader tells: politely, or at once.
public enum Announcement: Sendable { case polite, assertive }

/// A live region. It has to be on the page before its text changes.
public func announcement<Action>(
    _ kind: Announcement, _ attributes: Attribute...,
    @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.div, [kind == .polite ? .role("status") : .role("alert")] + attributes, content)
}

/// A moment, shown in the viewer's zone; `kind` is `.absolute`, `.second`, `.relative`, `.when`,
/// `.countdown` or `.stopwatch`. Without the script it is in UTC.
public func moment<Action>(_ date: Date, _ kind: Attribute, _ attributes: Attribute...) -> HTML<
    Action
> {
    let base = [Attribute.datetime(date), kind]
    return element(.time, attributes.isEmpty ? base : base + attributes) { date.minuteText }
}
