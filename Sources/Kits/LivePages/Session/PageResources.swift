/// The resources of a session's feature, such as an API connection, and the signed-in person.
public protocol PageResources: Sendable {
    /// Identifies a person and one of the person's sessions.
    associatedtype Identity: Equatable & Sendable

    var identity: Identity? { get }

    /// Called when a page reports the browser's time zone. The IANA name isn't validated.
    func noteTimeZone(_ name: String)

    /// Runs closures after the user has seen the current state. `nil` if the app doesn't use such
    /// closures.
    var sight: PageSight? { get }

    /// Runs the session's tasks. `nil` to run them on the shared threads.
    var executor: SessionExecutor? { get }

    /// Called when the session goes to sleep or ends.
    func end()
}

extension PageResources {
    public func noteTimeZone(_ name: String) {}
    public var sight: PageSight? { nil }
    public var executor: SessionExecutor? { nil }
}

public struct Visitor: Sendable {
    public var address: String
    /// The origin for the quotas of anonymous sessions.
    public var origin: VisitorOrigin
    public var userAgent: String?
    /// The Accept-Language header.
    public var languages: String?

    /// - Parameter origin: Pass nil to count the address on its own.
    public init(
        address: String, origin: VisitorOrigin? = nil, userAgent: String? = nil,
        languages: String? = nil
    ) {
        self.address = address
        self.origin = origin ?? VisitorOrigin(address: address)
        self.userAgent = userAgent
        self.languages = languages
    }
}
