import Cryptography
import Domain
import Foundation
import Persistence

/// How the request is found that a code answers.
public struct CodeAsker: Sendable {
    /// The request, as its answer named it.
    public var requestID: CodeRequestID?
    /// From where and on which device the code is given, for clients that name no request. Without
    /// an address the number's newest code is meant.
    public var address: String?
    public var deviceKey: DeviceKey?

    public init(
        requestID: CodeRequestID? = nil, address: String? = nil, deviceKey: DeviceKey? = nil
    ) {
        self.requestID = requestID
        self.address = address
        self.deviceKey = deviceKey
    }
}

extension SafetyNetwork {
    /// Sends a code. Known and unknown numbers get the same answer. Throws `rateLimited`.
    /// - Parameter deviceKey: lets a device that signed in to the number before ask under limits of
    ///   its own.
    /// - Returns: the request's id. Nobody else can guess it, so nobody else can use up its tries.
    @discardableResult
    public func requestCode(
        for number: PhoneNumber, from address: String, deviceKey: DeviceKey? = nil
    ) async throws -> CodeRequestID {
        let testCode = options.testNumbers[number]
        let code = testCode ?? random.code()
        let id: CodeRequestID = newID()
        let hashes = AskerHashes(address: address, deviceKey: deviceKey, key: key)
        let names = limitedNames(number: number, address: address, isPaid: testCode == nil)
        try await database.write(about: Subjects(names: names)) { transaction in
            let now = transaction.now
            let isKnown =
                try hashes.device.map { try transaction.isKnown(device: $0, to: number) } ?? false
            let row = CodeRow(
                id: id.uuid, hash: key.hash(code: code, id: id.uuid),
                expiresAt: now.adding(SignInRules.codeLifetime),
                triesLeft: SignInRules.triesPerCode,
                requesterHash: isKnown ? hashes.device : hashes.address,
                networkHash: hashes.network, isTest: testCode != nil)
            let sent = try sentCodes(
                like: row, to: number, addressHash: hashes.address, in: transaction)
            if let wait = codeLimits.wait(after: sent, isKnown: isKnown, at: now) {
                throw CommandError.rateLimited(retryAfter: wait)
            }
            // No code goes out when the budget does not allow it.
            if testCode == nil,
                try !transaction.spend(.everyday, on: .sms, options.budgets)
            {
                throw CommandError.rateLimited(retryAfter: Budget.rest(ofDayAt: now))
            }
            try transaction.insertCode(row, phoneNumber: number, addressHash: hashes.address)
        }
        if testCode == nil { sendCode(number, code) }
        return id
    }

    /// The limits count by these: requests that share one of them run one after the other.
    private func limitedNames(number: PhoneNumber, address: String, isPaid: Bool) -> [String] {
        let origin = NetworkAddress(address)
        let all = isPaid && options.codesPerHour > 0 ? "paid codes" : nil
        return [number.text, origin.key] + [origin.network, all].compactMap(\.self)
    }

    private var codeLimits: CodeLimits {
        CodeLimits(
            perRequester: options.codesPerNumber, perAddress: options.codesPerAddress,
            inAll: options.codesPerHour)
    }

    private func sentCodes(
        like row: CodeRow, to number: PhoneNumber, addressHash: Data,
        in transaction: Transaction
    ) throws -> SentCodes {
        let window = transaction.now.adding(.zero - SignInRules.codeWindow)
        let toNumber = try transaction.codeTimes(phoneNumber: number, since: window)
        var sent = SentCodes()
        sent.toNumber = toNumber.map(\.time)
        sent.byRequester = toNumber.filter { $0.requester == row.requesterHash }.map(\.time)
        if row.requesterHash == addressHash, !row.isTest {
            sent.byStrangers = try transaction.strangersCodeTimes(
                phoneNumber: number, since: transaction.now.adding(.zero - SignInRules.codeMemory))
        }
        sent.fromAddress = try transaction.codeTimes(addressHash: addressHash, since: window)
        if let network = row.networkHash {
            sent.fromNetwork = try transaction.codeTimes(networkHash: network, since: window)
        }
        if !row.isTest, options.codesPerHour > 0 {
            sent.inAll = try transaction.paidCodeTimes(since: window, limit: options.codesPerHour)
        }
        return sent
    }

    /// Counts a try against the code of one request; nil when the code was right, which uses up all
    /// codes of the number.
    func use(
        code: String, for number: PhoneNumber, by asker: CodeAsker,
        in transaction: Transaction
    ) throws -> CommandError? {
        guard let row = try requestedCode(for: number, by: asker, in: transaction),
            SignInRules.isUsable(
                expiresAt: row.expiresAt, triesLeft: row.triesLeft, at: transaction.now)
        else { return .unauthenticated("That code has expired. Ask for a new one.") }
        guard Digest.areEqual(row.hash, key.hash(code: code, id: row.id)) else {
            try transaction.setTries(row.triesLeft - 1, of: row.id)
            return .unauthenticated("That code is not right. Check the message and try again.")
        }
        try transaction.useUpCodes(of: number)
        return nil
    }

    private func requestedCode(
        for number: PhoneNumber, by asker: CodeAsker, in transaction: Transaction
    ) throws -> CodeRow? {
        if let request = asker.requestID { return try transaction.code(request, for: number) }
        guard let address = asker.address else { return try transaction.newestCode(for: number) }
        let hashes = AskerHashes(address: address, deviceKey: asker.deviceKey, key: key)
        return try transaction.newestCode(
            for: number, device: hashes.device, address: hashes.address)
    }
}

/// The hashes of the address and the number that ask for a code.
private struct AskerHashes: Sendable {
    var address: Data
    var network: Data?
    var device: Data?

    init(address text: String, deviceKey: DeviceKey?, key: ServerKey) {
        let origin = NetworkAddress(text)
        address = key.hash(address: origin.key)
        network = origin.network.map { key.hash(address: $0) }
        device = deviceKey.map { key.hash(deviceKey: $0.uuid) }
    }
}
