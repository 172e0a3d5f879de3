import Foundation

/// Behaviours that the script performs without a request.
extension Attribute {
    /// Counts down to `datetime`: "3 h 12 min". For a `time` element.
    public static let countdown = Attribute.data("countdown")
    /// Counts up from `datetime`: "00:42". For a `time` element.
    public static let stopwatch = Attribute.data("stopwatch")
    /// Shows a relative time, such as "5 minutes ago". For a `time` element.
    public static let relative = Attribute.data("relative")
    /// Shows the time in the viewer's time zone and format. For a `time` element.
    public static let absolute = Attribute.data("absolute")
    public static let second = Attribute.data("second")
    /// Shows the relative and the absolute time: "5 minutes ago · 10:02". For a `time` element.
    public static let when = Attribute.data("when")

    /// Adds the time on another person's clock if it differs from the viewer's. For a `time`
    /// element.
    /// - Parameter name: The IANA name of the person's time zone.
    public static func theirZone(_ name: String) -> Attribute { .data("zone", name) }

    /// Shows only the last child whose time `begins` has passed, even while offline. The first
    /// child needs no `begins`.
    public static let turns = Attribute.data("turns")
    public static func begins(_ date: Date) -> Attribute { .data("begins", date.wireText) }
    /// Shows `words` and the time of the last update while offline.
    public static func age(_ words: String) -> Attribute { .data("age", words) }

    /// Sets the CSS variable `--ring` to the fraction of the time that is left, once a second.
    public static func ring(from start: Date, until end: Date) -> Attribute {
        .data("ring", "\(start.wireText) \(end.wireText)")
    }

    /// Copies a text when pressed, and announces "Copied".
    public static func copies(_ text: String) -> Attribute { .data("copy", text) }
    /// Shares a link when pressed. Copies the link if the browser can't share.
    public static func shares(_ link: String) -> Attribute { .data("share", link) }

    /// Marks a dialog that covers the page.
    public static let modal = Attribute.data("modal")
    /// Marks a button that has the same effect as Escape in its dialog. While offline, the script
    /// closes the dialog, and tells the server later.
    public static let closesDialog = Attribute.data("closes")
    /// Focuses the element once, when it appears on the page.
    public static let focusWhenShown = Attribute.data("focus")

    /// The number of steps that Back takes within this page before it leaves the page. Each step
    /// presses the element with `goesBack`.
    public static func depth(_ steps: Int) -> Attribute { .data("depth", "\(steps)") }
    public static let goesBack = Attribute.data("back")

    /// Marks a button that presses itself after it was visible for a time, to dismiss a banner.
    public static func pressesItself(after time: Duration) -> Attribute {
        .data("brief", "\(time.components.seconds)")
    }

    /// Shows "by tomorrow, 10:42 PM". In the last hour, shows "59 min 12 s left"; after the
    /// deadline, "2 min 10 s overdue". For a `time` element.
    public static let deadline = Attribute.data("deadline")

    /// Marks a `video` that shows the camera and reads codes from the picture. The browser asks the
    /// user for permission.
    public static let camera = Attribute.data("camera")
    /// Turns on the camera's light, if there is one, while the element is on the page.
    public static let torch = Attribute.data("torch")

    /// Marks a field in a sheet or in `steps`. The script keeps its text across a restart of the
    /// server. Not for codes and secrets.
    public static let draft = Attribute.data("draft")

    /// Marks a form whose steps follow each other on one page.
    public static let steps = Attribute.data("steps")

    /// Marks a field that submits its form as soon as the field contains this many characters.
    public static func submits(atLength length: Int) -> Attribute {
        .data("submit-at", "\(length)")
    }
}

/// How a screen reader announces changes: when idle, or at once.
public enum Announcement: Sendable { case polite, assertive }

/// Creates a live region. The region must be on the page before its text changes.
public func announcement<Action>(
    _ kind: Announcement, _ attributes: Attribute...,
    @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    element(.div, [kind == .polite ? .role("status") : .role("alert")] + attributes, content)
}

/// Shows a time in the viewer's time zone. `kind` is `.absolute`, `.second`, `.relative`, `.when`,
/// `.countdown` or `.stopwatch`. Without the script, the time is in UTC.
public func moment<Action>(_ date: Date, _ kind: Attribute, _ attributes: Attribute...) -> HTML<
    Action
> {
    let base = [Attribute.datetime(date), kind]
    return element(.time, attributes.isEmpty ? base : base + attributes) { date.minuteText }
}
