/// The resources of a session's feature, such as an API connection, and the identity of the
/// signed-in person.
public protocol PageResources: Sendable {
    /// Identifies a person and one of their sessions.
    associatedtype Identity: Equatable & Sendable

    /// The signed-in person; nil while signed out.
    var identity: Identity? { get }

    /// Called when a page reports its browser's time zone: an IANA name, not validated.
    func noteTimeZone(_ name: String)

    /// The closures that wait until a page of the session has shown something; nil if the app has
    /// no such closures.
    var sight: PageSight? { get }

    /// Called when the session goes to sleep or ends.
    func end()
}

extension PageResources {
    public func noteTimeZone(_ name: String) {}
    public var sight: PageSight? { nil }
}

/// The browser that opens a page.
public struct Visitor: Sendable {
    public var address: String
    /// The origin that the browser's anonymous sessions are counted for.
    public var origin: VisitorOrigin
    public var userAgent: String?
    /// The Accept-Language header.
    public var languages: String?

    /// - Parameter origin: nil to count each address separately.
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
