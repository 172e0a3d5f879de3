import Cryptography
import Domain
import Foundation
import Persistence

/// Identifies the request that a code was sent for.
public struct CodeAsker: Sendable {
    /// The request's id, which the client got in the response.
    public var requestID: CodeRequestID?
    /// The network address of the client that enters the code. Used if `requestID` is nil. Without
    /// either, the number's newest code counts.
    public var address: String?
    public var deviceKey: DeviceKey?
    /// The client's id of this sign-in. A repeat gets the same session, because the first answer
    /// may be lost.
    public var attempt: UUID?
    /// The session that deletes its account. Without `requestID`, only codes that it requested
    /// count: a thief's session must not use up the owner's sign-in code.
    private(set) var session: SessionID?

    public init(
        requestID: CodeRequestID? = nil, address: String? = nil, deviceKey: DeviceKey? = nil,
        attempt: UUID? = nil
    ) {
        self.requestID = requestID
        self.address = address
        self.deviceKey = deviceKey
        self.attempt = attempt
    }

    init(requestID: CodeRequestID?, deletingBy session: SessionID) {
        self.init(requestID: requestID)
        self.session = session
    }
}

/// A code is valid for only one purpose.
enum CodePurpose {
    case signIn
    /// Moves an account. Older apps request a sign-in code for this, so both are the same.
    case newNumber
    case deletion
}

extension ServerKey {
    fileprivate func hash(code: String, for purpose: CodePurpose, id: UUID) -> Data {
        switch purpose {
        case .signIn, .newNumber: hash(code: code, id: id)
        case .deletion: hash(code: "deletion \(code)", id: id)
        }
    }

    fileprivate func isHash(
        _ hash: Data, ofCode code: String, for purpose: CodePurpose, id: UUID
    ) -> Bool {
        switch purpose {
        case .signIn, .newNumber: isHash(hash, ofCode: code, id: id)
        case .deletion: isHash(hash, ofCode: "deletion \(code)", id: id)
        }
    }
}

/// The answer to a request for a code.
public struct CodeReply: Sendable {
    /// Strangers can't guess it, so they can't use up its attempts.
    public var requestID: CodeRequestID
    /// False if the token signs in without a code.
    public var needsCode: Bool
}

/// Sends codes by text message: for a sign-in, a new number, and the deletion of an account.
public struct Codes: Commands {
    public let core: Core
    let signUpTokens: SignUpTokens

    /// Sends a code, also to a number that only the invitation admits. Known and unknown numbers
    /// get the same answer. Throws `rateLimited`, or `invalidArgument` on a server that sends no
    /// codes, and for a token that can't be used, whether or not the number has an account.
    /// - Parameter deviceKey: identifies the device. A device that has signed in to this number has
    ///   its own limits.
    @discardableResult
    public func requestCode(
        for number: PhoneNumber, from address: String, deviceKey: DeviceKey? = nil,
        with invitation: SignUpInvitation = SignUpInvitation()
    ) async throws -> CodeReply {
        try await requestCode(
            for: number, by: AskerHashes(address: address, deviceKey: deviceKey, key: key),
            from: address, .signIn, invitation)
    }

    /// Sends the code that moves the caller's account to another number. Throws `rateLimited`, or
    /// `invalidArgument` on a server that sends no codes.
    public func requestNumberCode(
        for number: PhoneNumber, from address: String, deviceKey: DeviceKey? = nil,
        of caller: Caller
    ) async throws -> CodeRequestID {
        try await requestCode(
            for: number, by: AskerHashes(address: address, deviceKey: deviceKey, key: key),
            from: address, .newNumber
        ).requestID
    }

    /// Sends the code that deletes the account to the caller's number. The session has its own
    /// limits. Throws `rateLimited`, or `invalidArgument` if no code is needed, and for 7 days
    /// after a change of the number.
    public func requestDeletionCode(
        from address: String, of caller: Caller
    ) async throws -> CodeRequestID {
        guard let number = try await codeNumber(of: caller) else {
            throw CommandError.invalidArgument(
                field: "code", "Your account can be deleted without a code.")
        }
        let session = DeviceKey(caller.sessionID.uuid)
        var hashes = AskerHashes(address: address, deviceKey: session, key: key)
        hashes.isSignedIn = true
        return try await requestCode(for: number, by: hashes, from: address, .deletion).requestID
    }

    /// Returns the number that a deletion code can be sent to; nil if there is none. Throws
    /// `invalidArgument` for 7 days after a change of the number.
    func codeNumber(of caller: Caller) async throws -> PhoneNumber? {
        guard options.isSMSAvailable else { return nil }
        let (user, change) = try await database.read {
            (try $0.user(caller.userID), try $0.numberChange(of: caller.userID))
        }
        guard let user else { throw CommandError.noSuchUser }
        guard let number = user.phoneNumber, options.testNumbers[number] == nil,
            !options.canaryNumbers.contains(number)
        else { return nil }
        let now = now()
        if let end = SignInRules.endOfWaitForDeletion(afterNumberChange: change, at: now) {
            let time = Timestamp.clockTime(end, in: nil, at: now)
            throw CommandError.invalidArgument(
                field: "code", RefusalWords.deletionHeld(until: time).detail)
        }
        return number
    }

    private func requestCode(
        for number: PhoneNumber, by hashes: AskerHashes, from address: String,
        _ purpose: CodePurpose, _ invitation: SignUpInvitation = SignUpInvitation()
    ) async throws -> CodeReply {
        let testCode = options.testNumbers[number]
        guard testCode != nil || options.sendsCodes || invitation.token != nil else {
            throw noCodes
        }
        let code = testCode ?? random.code()
        let id: CodeRequestID = newID()
        let names = limitedNames(number: number, address: address, isPaid: testCode == nil)
        let request = WantedCode(
            id: id, number: number, code: code, hashes: hashes, purpose: purpose,
            invitation: invitation, isTest: testCode != nil)
        let answer = try await database.write(about: Subjects(names: names)) { transaction in
            try decide(request, in: transaction)
        }
        if let bound = answer.bound { noteCodeBound(bound) }
        switch answer {
        case .refused(let wait, _): throw CommandError.rateLimited(retryAfter: wait)
        case .withoutCode(let refusal?): throw refusal
        case .withoutCode(nil): return CodeReply(requestID: id, needsCode: false)
        case .taken(nil) where testCode == nil:
            switch purpose {
            case .signIn, .newNumber: sendCode(number, code)
            case .deletion: sendText(number, NotificationText.deletionCode(code))
            }
        case .taken: break
        }
        return CodeReply(requestID: id, needsCode: true)
    }

    /// Stores the code, unless a limit stops it or the token needs none.
    private func decide(
        _ request: WantedCode, in transaction: Transaction
    ) throws -> CodeAnswer {
        let (now, number, hashes) = (transaction.now, request.number, request.hashes)
        let isKnown =
            try hashes.isSignedIn
            || hashes.device.map { try transaction.isKnown(device: $0, to: number) } ?? false
        let id = request.id.uuid
        var row = CodeRow(
            id: id, hash: key.hash(code: request.code, for: request.purpose, id: id),
            expiresAt: now.adding(SignInRules.codeLifetime),
            triesLeft: SignInRules.triesPerCode,
            requesterHash: isKnown ? hashes.device : hashes.address,
            networkHash: hashes.network, isFree: request.isTest)
        let token = try enter(request.invitation, for: number, in: &row, transaction)
        var sent = try sentCodes(like: row, to: number, by: hashes, in: transaction)
        if case .needsCode(let token?) = token {
            (sent.fromAddress, sent.fromNetwork) = ([], [])
            guard try hasCodesLeft(token, in: transaction) else {
                return .refused(SignInRules.codeWindow, nil)
            }
        }
        if let wait = codeLimits.wait(after: sent, isKnown: isKnown, at: now) {
            let isByAll = codeLimits.isUsedUp(by: sent, at: now)
            return .refused(wait, isByAll ? .all : nil)
        }
        if case .signsIn(let refusal) = token {
            // Counts towards the limits of the requester and the address, but not as a code to
            // the number, because nothing is sent: its owner wouldn't notice.
            (row.expiresAt, row.triesLeft, row.isFree) = (now, 0, true)
            try transaction.insertCode(row, phoneNumber: number, addressHash: hashes.address)
            return .withoutCode(refusal)
        }
        guard request.isTest || options.sendsCodes else { return .withoutCode(noCodes) }
        var bound: CodeBound?
        if !request.isTest {
            bound = try limit(on: &row, to: number, request.purpose, in: transaction)
            guard try pays(forCodeStoppedBy: bound, in: transaction) else {
                return .refused(Budget.rest(ofDayAt: now), nil)
            }
        }
        try transaction.insertCode(row, phoneNumber: number, addressHash: hashes.address)
        return .taken(bound)
    }

    /// Returns whether the token may cause another code.
    private func hasCodesLeft(_ token: SignUpToken, in transaction: Transaction) throws -> Bool {
        let day = transaction.now.adding(.zero - SignInRules.codeMemory)
        return try transaction.codes(by: token.id, since: day)
            < SignUpRules.codesPerUse * token.uses
    }

    /// Takes a code from the budget, and returns whether it has room. The budget stops every code.
    /// Even a code that isn't sent is checked against it, so that the answer doesn't reveal
    /// accounts.
    private func pays(
        forCodeStoppedBy bound: CodeBound?, in transaction: Transaction
    ) throws -> Bool {
        guard bound == nil else {
            return try transaction.maySpend(.everyday, on: .sms, options.budgets)
        }
        return try transaction.spend(.everyday, on: .sms, options.budgets)
    }

    private var noCodes: CommandError {
        .invalidArgument(
            field: "phoneNumber", RefusalWords.noCodes.detail, reason: .noCodes)
    }

    /// Notes in the row what admits the number.
    private func enter(
        _ invitation: SignUpInvitation, for number: PhoneNumber, in row: inout CodeRow,
        _ transaction: Transaction
    ) throws -> TokenAnswer {
        row.inviterID = try invitation.inviterCode.flatMap { try transaction.owner(ofCode: $0) }
        guard let secret = invitation.token else { return .needsCode(nil) }
        do {
            let token = try signUpTokens.usable(secret, for: number, in: transaction)
            // Only refused tokens count towards the limits of the address.
            row.tokenID = token.id
            return try signUpTokens.needsNoCode(token, in: transaction)
                ? .signsIn(nil) : .needsCode(token)
        } catch let refusal as CommandError {
            return .signsIn(refusal)
        }
    }

    /// Returns the limit that stops a code to a number without an account, if any. Such a code is
    /// stored but not sent, so that the answer doesn't reveal accounts.
    private func limit(
        on row: inout CodeRow, to number: PhoneNumber, _ purpose: CodePurpose,
        in transaction: Transaction
    ) throws -> CodeBound? {
        let owner = try transaction.user(phoneNumber: number)
        if let owner, owner.guestSince == nil { return nil }
        if case .signIn = purpose,
            try !signUpTokens.mayGetCode(
                number, like: row, isGuest: owner != nil, in: transaction)
        {
            row.isFree = true
            return .uninvited
        }
        guard owner == nil else { return nil }
        let country = CallingCode(of: number)
        guard try row.tokenID != nil || isServed(country, in: transaction) else {
            row.isFree = true
            return .otherCountry
        }
        let bound = codeLimits.bound(
            after: try transaction.codesToNewNumbers(like: country), budget: options.budgets.sms,
            hasToken: row.tokenID != nil)
        if bound == nil { row.callingCode = country } else { row.isFree = true }
        return bound
    }

    /// Returns whether new numbers of a country get codes.
    private func isServed(_ country: CallingCode, in connection: any SQLConnection) throws -> Bool {
        let policy = options.signUpPolicy
        guard let countries = policy.countries, !countries.contains(country) else { return true }
        return try policy.includesCountriesOfPeople && connection.hasNumber(with: country)
    }

    /// Returns names to lock, one per limit. Requests that share one of them run one after the
    /// other.
    private func limitedNames(number: PhoneNumber, address: String, isPaid: Bool) -> [String] {
        let origin = NetworkAddress(address)
        let all = isPaid && codeLimits.countAll ? "paid codes" : nil
        return [number.text, origin.key] + [origin.network, all].compactMap(\.self)
    }

    private var codeLimits: CodeLimits {
        CodeLimits(
            perRequester: options.codesPerNumber, perAddress: options.codesPerAddress,
            inAll: options.codesPerHour, toNewNumbers: options.codesToNewNumbers,
            toNewNumbersPerCountry: options.codesToNewNumbersPerCountry)
    }

    private func sentCodes(
        like row: CodeRow, to number: PhoneNumber, by hashes: AskerHashes,
        isAttempt: Bool = false, in transaction: Transaction
    ) throws -> SentCodes {
        let addressHash = hashes.address
        let window = transaction.now.adding(.zero - SignInRules.codeWindow)
        let toNumber = try transaction.codeTimes(phoneNumber: number, since: window)
        var sent = SentCodes()
        sent.toNumber = toNumber.filter { !$0.isAttempt }.map(\.time)
        let isUnknown = row.requesterHash == addressHash
        // An attempt counts for its device and for its address, whether or not the number knows the
        // device. Otherwise, a device could find out which number its account has now.
        sent.byRequester = toNumber.filter { past in
            let isOfAddress = past.isAttempt && past.address == addressHash
            let isOfDevice = past.requester == hashes.device
            if isAttempt { return past.isAttempt && isOfDevice || isOfAddress }
            return past.requester == row.requesterHash || isOfDevice || isUnknown && isOfAddress
        }.map(\.time)
        if !row.isFree {
            let day = transaction.now.adding(.zero - SignInRules.codeMemory)
            if row.requesterHash == addressHash {
                sent.byStrangers = try transaction.strangersCodeTimes(
                    phoneNumber: number, since: day)
            } else {
                sent.byKnownDevices = try transaction.knownDevicesCodeTimes(
                    phoneNumber: number, since: day)
            }
        }
        sent.fromAddress = try transaction.codeTimes(addressHash: addressHash, since: window)
        if let network = row.networkHash {
            sent.fromNetwork = try transaction.codeTimes(networkHash: network, since: window)
        }
        if !row.isFree, options.codesPerHour > 0 {
            sent.inAll = try transaction.paidCodeTimes(since: window, limit: options.codesPerHour)
        }
        return sent
    }

    /// Checks an entered code and counts the attempt. Returns nil for a right code and uses up the
    /// number's codes. Otherwise returns the error.
    func use(
        code: String, for number: PhoneNumber, by asker: CodeAsker,
        _ purpose: CodePurpose = .signIn, in transaction: Transaction
    ) throws -> CommandError? {
        switch try take(code: code, for: number, by: asker, purpose, in: transaction) {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    /// Like `use`, but returns the row of a right code.
    func take(
        code: String, for number: PhoneNumber, by asker: CodeAsker,
        _ purpose: CodePurpose = .signIn, in transaction: Transaction
    ) throws -> Result<CodeRow, CommandError> {
        guard let row = try requestedCode(for: number, by: asker, in: transaction),
            SignInRules.isUsable(
                expiresAt: row.expiresAt, triesLeft: row.triesLeft - reservedTries(of: row, asker),
                at: transaction.now)
        else { return .failure(.unauthenticated("That code has expired. Ask for a new one.")) }
        let isRight = try isProven(in: transaction) {
            key.isHash(row.hash, ofCode: code, for: purpose, id: row.id)
        }
        guard isRight else {
            try transaction.setTries(row.triesLeft - 1, of: row.id)
            return .failure(
                .unauthenticated("That code is not right. Check the message and try again."))
        }
        try transaction.useUpCodes(of: number)
        return .success(row)
    }

    /// Returns the wait before an address may try another token or number; nil if it may do so now.
    /// The limits are those of codes.
    func waitForGuess(by asker: CodeAsker, in connection: any SQLConnection) throws -> Duration? {
        guard let address = asker.address else { return nil }
        let hashes = AskerHashes(address: address, deviceKey: asker.deviceKey, key: key)
        let now = connection.now
        let window = now.adding(.zero - SignInRules.codeWindow)
        var sent = SentCodes()
        sent.fromAddress = try connection.codeTimes(addressHash: hashes.address, since: window)
        if let network = hashes.network {
            sent.fromNetwork = try connection.codeTimes(networkHash: network, since: window)
        }
        var limits = codeLimits
        // The last request for a code that is allowed may be the one of this sign-in.
        limits.perAddress += 1
        return limits.wait(after: sent, isKnown: true, at: now)
    }

    /// Counts a refused token like a code. Otherwise the finder of a link could try all numbers.
    func countGuess(
        of number: PhoneNumber, by asker: CodeAsker, in transaction: Transaction
    ) throws {
        guard let address = asker.address else { return }
        let hashes = AskerHashes(address: address, deviceKey: asker.deviceKey, key: key)
        let id: CodeRequestID = newID()
        let row = CodeRow(
            id: id.uuid, hash: key.hash(code: random.code(), for: .signIn, id: id.uuid),
            expiresAt: transaction.now, triesLeft: 0, requesterHash: hashes.address,
            networkHash: hashes.network, isFree: true)
        try transaction.insertCode(row, phoneNumber: number, addressHash: hashes.address)
    }

    /// Counts an attempt with a recovery code towards the limits of its device and address. Returns
    /// the refusal. Codes and the limits of the number don't count: recovery codes can't be
    /// guessed, and strangers could keep the owner out. The answer doesn't depend on whether the
    /// number knows the device.
    func countAttempt(
        for number: PhoneNumber, by asker: CodeAsker, in transaction: Transaction
    ) throws -> CommandError? {
        let hashes = AskerHashes(
            address: asker.address ?? "", deviceKey: asker.deviceKey, key: key)
        let id: CodeRequestID = newID()
        // No code has this row's hash, and no try is left.
        var row = CodeRow(
            id: id.uuid, hash: key.hash(code: random.code(), for: .signIn, id: id.uuid),
            expiresAt: transaction.now, triesLeft: 0, requesterHash: hashes.address,
            networkHash: hashes.network, isFree: true)
        var sent = try sentCodes(
            like: row, to: number, by: hashes, isAttempt: true, in: transaction)
        sent.toNumber = []
        if let wait = codeLimits.wait(after: sent, isKnown: false, at: transaction.now) {
            return .rateLimited(retryAfter: wait)
        }
        row.requesterHash = hashes.device ?? hashes.address
        try transaction.insertCode(row, phoneNumber: number, addressHash: hashes.address)
        return nil
    }

    /// Returns the names to lock for `countAttempt`.
    func namesOfAttempt(for number: PhoneNumber, by asker: CodeAsker) -> [String] {
        limitedNames(number: number, address: asker.address ?? "", isPaid: false)
    }

    /// Returns how many tries the attempt must leave. Everyone at a network address can try the
    /// codes that unknown devices requested there. They must not use up all tries.
    private func reservedTries(of row: CodeRow, _ asker: CodeAsker) -> Int {
        guard asker.requestID == nil, let address = asker.address else { return 0 }
        let hash = AskerHashes(address: address, deviceKey: nil, key: key).address
        return row.requesterHash == hash ? SignInRules.triesOfRequest : 0
    }

    private func requestedCode(
        for number: PhoneNumber, by asker: CodeAsker, in transaction: Transaction
    ) throws -> CodeRow? {
        if let request = asker.requestID { return try transaction.code(request, for: number) }
        if let session = asker.session {
            let hash = key.hash(deviceKey: session.uuid)
            return try transaction.newestCode(for: number, device: hash, address: hash)
        }
        guard let address = asker.address else { return try transaction.newestCode(for: number) }
        let hashes = AskerHashes(address: address, deviceKey: asker.deviceKey, key: key)
        return try transaction.newestCode(
            for: number, device: hashes.device, address: hashes.address)
    }
}

/// A code that somebody asks for.
private struct WantedCode: Sendable {
    var id: CodeRequestID
    var number: PhoneNumber
    var code: String
    var hashes: AskerHashes
    var purpose: CodePurpose
    var invitation: SignUpInvitation
    /// True if the number has a fixed code, which is never sent.
    var isTest: Bool
}

private enum CodeAnswer: Sendable {
    /// - Parameter bound: the limit that stops the message; nil if it is sent.
    case taken(_ bound: CodeBound?)
    case refused(Duration, _ bound: CodeBound?)
    /// - Parameter refusal: why the token can't be used; nil if it signs in without a code.
    case withoutCode(_ refusal: CommandError?)

    var bound: CodeBound? {
        switch self {
        case .taken(let bound), .refused(_, let bound): bound
        case .withoutCode: nil
        }
    }
}

private enum TokenAnswer {
    /// - Parameter token: the token that admits the number; nil without one.
    case needsCode(_ token: SignUpToken?)
    /// - Parameter refusal: why the token can't be used; nil if it signs in without a code.
    case signsIn(_ refusal: CommandError?)
}

/// Hashes of the address, network and device that request a code.
private struct AskerHashes: Sendable {
    var address: Data
    var network: Data?
    var device: Data?
    /// True if the device is signed in to the number's account.
    var isSignedIn = false

    init(address text: String, deviceKey: DeviceKey?, key: ServerKey) {
        let origin = NetworkAddress(text)
        address = key.hash(address: origin.key)
        network = origin.network.map { key.hash(address: $0) }
        device = deviceKey.map { key.hash(deviceKey: $0.uuid) }
    }
}
