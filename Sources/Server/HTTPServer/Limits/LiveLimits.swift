import Synchronization

/// The requests a minute that a running server accepts. The operator can change them.
public final class LiveLimits: Sendable {
    private struct Values {
        var perUser: Int
        var perAddress: Int
    }

    private let values: Mutex<Values>

    /// See `set`.
    public init(perUser: Int, perAddress: Int) {
        values = Mutex(Values(perUser: perUser, perAddress: perAddress))
    }

    /// - Parameters:
    ///   - perUser: the limit of a user; 0 for no limit.
    ///   - perAddress: the limit of a network address; 0 for no limit.
    public func set(perUser: Int, perAddress: Int) {
        values.withLock { $0 = Values(perUser: perUser, perAddress: perAddress) }
    }

    var perUser: Int { values.withLock { $0.perUser } }
    var perAddress: Int { values.withLock { $0.perAddress } }
}
