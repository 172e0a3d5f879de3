/// The resources of one session's feature, such as a connection to an API, with the identity of the
/// person who is signed in.
public protocol PageResources: Sendable {
    /// One person in one session of theirs.
    associatedtype Identity: Equatable & Sendable

    /// Nil while nobody is signed in.
    var identity: Identity? { get }

    /// Called when a page says in which time zone its browser is: an IANA name, unchecked.
    func noteTimeZone(_ name: String)

    /// Called when the session sleeps or is over.
    func end()
}

extension PageResources {
    public func noteTimeZone(_ name: String) {}
}

/// The browser that opens a page.
public struct Visitor: Sendable {
    public var address: String
    /// The place by which its anonymous sessions are counted.
    public var origin: VisitorOrigin
    public var userAgent: String?

    /// - Parameter origin: nil when every address counts for itself.
    public init(address: String, origin: VisitorOrigin? = nil, userAgent: String? = nil) {
        self.address = address
        self.origin = origin ?? VisitorOrigin(address: address)
        self.userAgent = userAgent
    }
}
