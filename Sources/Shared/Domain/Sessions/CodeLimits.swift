import Foundation

public enum CodeRequest {}
public typealias CodeRequestID = ID<CodeRequest>

/// A random identity that a device creates once. A server recognizes the device by it after a
/// sign-in.
public enum DeviceIdentity {}
public typealias DeviceKey = ID<DeviceIdentity>

/// The limits on sign-in codes per hour, and per number and day (product.md, "Sign-in").
public struct CodeLimits: Equatable, Sendable {
    /// Codes to one number that one device or network address requests.
    public var perRequester: Int
    public var perAddress: Int
    /// Codes to all numbers; 0 for no limit. This limits the operator's cost.
    public var inAll: Int
    /// Codes to numbers without an account; 0 for no limit. Strangers can request codes to any
    /// number, and some network operators pay for such traffic.
    public var toNewNumbers: Int
    /// Codes to numbers without an account, per country; 0 for no limit.
    public var toNewNumbersPerCountry: Int

    /// Additional codes for devices that have signed in to the number before.
    public static let reserved = 3

    public init(
        perRequester: Int = SignInRules.codesPerNumber,
        perAddress: Int = SignInRules.codesPerAddress,
        inAll: Int = SignInRules.codesPerHour,
        toNewNumbers: Int = SignInRules.codesToNewNumbers,
        toNewNumbersPerCountry: Int = SignInRules.codesToNewNumbersPerCountry
    ) {
        self.perRequester = perRequester
        self.perAddress = perAddress
        self.inAll = inAll
        self.toNewNumbers = toNewNumbers
        self.toNewNumbersPerCountry = toNewNumbersPerCountry
    }

    /// Codes to one number, for all requesters.
    public var perNumber: Int { 3 * perRequester }

    /// Codes per day to one number, for devices that haven't signed in to it before. Each code
    /// disturbs the number's owner and allows five guesses.
    public var perNumberADay: Int { 4 * perRequester }

    /// Codes per day to one number, for devices that have signed in to it before. Each code costs
    /// the operator a text message.
    public var toKnownDevicesADay: Int { 6 * perRequester }

    /// Codes for one IPv6 /48.
    public var perNetwork: Int { 5 * perAddress }

    /// The daily limits on new numbers are this multiple of the hourly ones.
    public static let hoursOfNewNumbersADay = 3

    /// Returns the limit that stops a code to a number without an account; nil if it may be sent.
    /// The requester gets the same answer either way, because the answer must not reveal accounts.
    /// - Parameters:
    ///   - budget: the budget for text messages.
    ///   - hasToken: whether the operator's token admits the number. It has a limit of its own.
    public func bound(
        after sent: CodesToNewNumbers, budget: Budget, hasToken: Bool = false
    ) -> CodeBound? {
        if !hasToken, let bound = boundWithoutToken(after: sent) { return bound }
        // The last quarter of `inAll` stays reserved for numbers with an account.
        if inAll > 0, sent.inHour + sent.byTokensInHour >= max(1, inAll * 3 / 4) {
            return .newNumbers
        }
        if let most = budget.codesToNewNumbers, sent.today >= most { return .budget }
        return nil
    }

    private func boundWithoutToken(after sent: CodesToNewNumbers) -> CodeBound? {
        let perDay = Self.hoursOfNewNumbersADay
        func isReached(_ count: Int, _ limit: Int) -> Bool { limit > 0 && count >= limit }
        if isReached(sent.countryInHour, toNewNumbersPerCountry)
            || isReached(sent.countryInDay, toNewNumbersPerCountry * perDay)
        {
            return .country
        }
        let isBound =
            isReached(sent.inHour, toNewNumbers) || isReached(sent.inDay, toNewNumbers * perDay)
            || inAll > 0 && sent.inHour >= max(1, inAll / 2)
        return isBound ? .newNumbers : nil
    }

    /// True if a limit needs the count of codes to all numbers.
    public var countAll: Bool { inAll > 0 || toNewNumbers > 0 || toNewNumbersPerCountry > 0 }

    public func isUsedUp(by sent: SentCodes, at now: Date) -> Bool {
        inAll > 0 && SignInRules.wait(sent: sent.inAll, limit: inAll, at: now) != nil
    }

    /// Returns the wait before the next code; nil if it may be sent now.
    /// - Parameter isKnown: true if the device has signed in to this number before.
    public func wait(after sent: SentCodes, isKnown: Bool, at now: Date) -> Duration? {
        let most = perNumber + (isKnown ? Self.reserved : 0)
        let waits = [
            SignInRules.wait(sent: sent.byRequester, limit: perRequester, at: now),
            SignInRules.wait(sent: sent.toNumber, limit: most, at: now),
            SlidingWindow.wait(
                after: isKnown ? sent.byKnownDevices : sent.byStrangers,
                limit: isKnown ? toKnownDevicesADay : perNumberADay, in: SignInRules.codeMemory,
                at: now),
            SignInRules.wait(sent: sent.fromAddress, limit: perAddress, at: now),
            SignInRules.wait(sent: sent.fromNetwork, limit: perNetwork, at: now),
            inAll > 0 ? SignInRules.wait(sent: sent.inAll, limit: inAll, at: now) : nil,
        ]
        return waits.compactMap(\.self).max()
    }
}

/// When codes were sent, in any order. Covers the last hour unless stated otherwise.
public struct SentCodes: Equatable, Sendable {
    /// Codes to this number for this requester.
    public var byRequester: [Date] = []
    public var toNumber: [Date] = []
    /// Codes to this number within the last day, for devices that haven't signed in to it before.
    /// Empty for a test number.
    public var byStrangers: [Date] = []
    /// Codes to this number within the last day, for devices that have signed in to it before.
    /// Empty for a test number.
    public var byKnownDevices: [Date] = []
    public var fromAddress: [Date] = []
    public var fromNetwork: [Date] = []
    /// The newest codes to any number, as many as the limit. Empty for a test number.
    public var inAll: [Date] = []

    public init() {}
}

/// A limit that stops codes.
public enum CodeBound: String, Sendable, CaseIterable {
    /// Codes to new numbers of one country.
    case country
    /// Codes to new numbers of all countries.
    case newNumbers = "new-numbers"
    /// The share of the text-message budget for codes to new numbers.
    case budget
    /// Codes to all numbers, including those with an account.
    case all
    /// Codes to new numbers outside of the operator's countries.
    case otherCountry = "other-country"
    /// Codes to new numbers without a token or an invitation, where both are needed.
    case uninvited
}

/// How many codes were sent to numbers without an account. Those by tokens count only where it says
/// so.
public struct CodesToNewNumbers: Equatable, Sendable {
    public var inHour: Int
    public var inDay: Int
    /// Codes to the country of the next code.
    public var countryInHour: Int
    public var countryInDay: Int
    /// Codes since midnight UTC, also by tokens.
    public var today: Int
    public var byTokensInHour: Int

    public init(
        inHour: Int = 0, inDay: Int = 0, countryInHour: Int = 0, countryInDay: Int = 0,
        today: Int = 0, byTokensInHour: Int = 0
    ) {
        self.inHour = inHour
        self.inDay = inDay
        self.countryInHour = countryInHour
        self.countryInDay = countryInDay
        self.today = today
        self.byTokensInHour = byTokensInHour
    }
}
