/// The messages to a person shortly before their deadline (product.md, "The last call").
public struct LastCall: Codable, Hashable, Sendable {
    /// Ten minutes before the deadline, a message on every channel.
    public var sendsMessage: Bool
    /// Five minutes before the deadline, a call; nil for the default: only people without a push
    /// endpoint are called.
    public var calls: Bool?
    /// True if the answer "1" to the SMS checks in. Some carriers let senders forge their number.
    public var takesAnswers: Bool

    public static let standard = LastCall(sendsMessage: true, calls: nil, takesAnswers: false)

    public static let off = LastCall(sendsMessage: false, calls: false, takesAnswers: false)

    public init(sendsMessage: Bool, calls: Bool?, takesAnswers: Bool) {
        self.sendsMessage = sendsMessage
        self.calls = calls
        self.takesAnswers = takesAnswers
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sendsMessage: try container.decode(Bool.self, forKey: .sendsMessage),
            calls: try container.decodeIfGiven(Bool.self, forKey: .calls),
            takesAnswers: try container.decode(Bool.self, forKey: .takesAnswers))
    }

    private enum CodingKeys: String, CodingKey { case sendsMessage, calls, takesAnswers }

    /// Shorter intervals have no last call.
    static let shortestInterval: Duration = .minutes(30)

    /// Returns true if the person is called.
    public func calls(hasPush: Bool) -> Bool { calls ?? !hasPush }

    /// Returns true if the message or the call was turned off, or the call was limited to users
    /// without a push endpoint.
    public func isQuieter(than old: LastCall) -> Bool {
        old.sendsMessage && !sendsMessage || Self.rank(calls) < Self.rank(old.calls)
    }

    private static func rank(_ calls: Bool?) -> Int { calls.map { $0 ? 2 : 0 } ?? 1 }

    // MARK: The database column

    private static let (noMessage, alwaysCalls, neverCalls, answers) = (1, 2, 4, 8)

    /// The value for a database column; 0 for the standard.
    public var flags: Int {
        (sendsMessage ? 0 : Self.noMessage) | (takesAnswers ? Self.answers : 0)
            | (calls.map { $0 ? Self.alwaysCalls : Self.neverCalls } ?? 0)
    }

    public init(flags: Int) {
        sendsMessage = flags & Self.noMessage == 0
        takesAnswers = flags & Self.answers != 0
        calls =
            flags & Self.alwaysCalls != 0 ? true : flags & Self.neverCalls != 0 ? false : nil
    }
}

/// A part of the last call. The raw value is a bit of `SentReminders`.
public enum LastCallStep: Int, CaseIterable, Sendable {
    case message = 16
    case call = 32

    public var lead: Duration {
        switch self {
        case .message: .minutes(10)
        case .call: .minutes(5)
        }
    }
}
