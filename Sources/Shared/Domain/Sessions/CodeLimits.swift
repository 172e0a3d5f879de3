import Foundation

/// A request for a sign-in code.
public enum CodeRequest {}
public typealias CodeRequestID = ID<CodeRequest>

/// Made by a device at random, once, so that a server knows it again after it has signed in.
public enum DeviceIdentity {}
public typealias DeviceKey = ID<DeviceIdentity>

/// How many sign-in codes may be asked for in an hour, and for one number in a day (product.md,
/// "Sign-in").
public struct CodeLimits: Equatable, Sendable {
    /// Codes for one number by one device or address.
    public var perRequester: Int
    public var perAddress: Int
    /// Codes from everybody; 0 for no limit. Bounds what the codes cost the operator.
    public var inAll: Int

    /// Codes reserved for devices that have signed in to the number before, beyond what everybody
    /// may ask for.
    public static let reserved = 3

    public init(
        perRequester: Int = SignInRules.codesPerNumber,
        perAddress: Int = SignInRules.codesPerAddress,
        inAll: Int = SignInRules.codesPerHour
    ) {
        self.perRequester = perRequester
        self.perAddress = perAddress
        self.inAll = inAll
    }

    /// Codes for one number by everybody.
    public var perNumber: Int { 3 * perRequester }

    /// Codes in a day for one number by devices that have not signed in to it before. Each is a
    /// message to its owner, and has five tries.
    public var perNumberADay: Int { 4 * perRequester }

    /// Codes from one IPv6 /48.
    public var perNetwork: Int { 5 * perAddress }

    /// How long to wait before the next code; nil when it may be sent now.
    /// - Parameter isKnown: the device has signed in to this number before.
    public func wait(after sent: SentCodes, isKnown: Bool, at now: Date) -> Duration? {
        let most = perNumber + (isKnown ? Self.reserved : 0)
        let waits = [
            SignInRules.wait(sent: sent.byRequester, limit: perRequester, at: now),
            SignInRules.wait(sent: sent.toNumber, limit: most, at: now),
            isKnown
                ? nil
                : SlidingWindow.wait(
                    after: sent.byStrangers, limit: perNumberADay, in: SignInRules.codeMemory,
                    at: now),
            SignInRules.wait(sent: sent.fromAddress, limit: perAddress, at: now),
            SignInRules.wait(sent: sent.fromNetwork, limit: perNetwork, at: now),
            inAll > 0 ? SignInRules.wait(sent: sent.inAll, limit: inAll, at: now) : nil,
        ]
        return waits.compactMap(\.self).max()
    }
}

/// The times when codes were sent, within the last hour if not said otherwise, in any order.
public struct SentCodes: Equatable, Sendable {
    /// Codes to this number, asked for by this requester.
    public var byRequester: [Date] = []
    public var toNumber: [Date] = []
    /// Codes to this number within the last day, asked for by devices that it does not know; empty
    /// for a number that costs nothing.
    public var byStrangers: [Date] = []
    public var fromAddress: [Date] = []
    public var fromNetwork: [Date] = []
    /// The newest, as many as the limit; empty for a number that costs nothing.
    public var inAll: [Date] = []

    public init() {}
}
