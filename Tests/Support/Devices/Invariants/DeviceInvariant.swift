/// An invariant of every screen.
public struct DeviceInvariant: Sendable {
    public var name: String
    public var rule: String

    public static let all = [
        DeviceInvariant(
            name: "screen",
            rule:
                """
                The screen says of an alert, a check-in, a ping or a response what the server \
                knows, or that it is not known yet.
                """
        ),
        DeviceInvariant(
            name: "once",
            rule: "A press takes effect exactly once, as soon as the server can be reached."),
        DeviceInvariant(
            name: "calm",
            rule:
                "After 20 minutes on a good network every screen shows exactly what the server has."
        ),
    ]
}
