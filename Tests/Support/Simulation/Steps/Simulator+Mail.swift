import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    // MARK: E-mail

    /// Enters another address. A code then confirms it.
    func setMail(_ person: Int) async throws {
        lastMailbox += 1
        let address = try EmailAddress(Phone.mailbox(lastMailbox, of: person))
        let answer = await ask(person, .setEmail) {
            try await $0.emailAddresses.setEmailAddress(address, from: "10.0.0.\(person)", of: $1)
        }
        if answer.value != nil { truth.accounts[person]?.newMail = address.text }
    }

    func confirmMail(_ person: Int, isRight: Bool) async {
        guard let address = truth.accounts[person]?.newMail,
            let sent = world.notes.code(forMailbox: address)
        else { return }
        let code = isRight ? sent : sent == "000000" ? "000001" : "000000"
        let answer = await ask(person, .confirmEmail) {
            try await $0.emailAddresses.confirmEmailAddress(code: code, of: $1)
        }
        guard answer.value != nil else { return }
        if !isRight { note("mail", "\(name(person)) confirmed an address by a wrong code") }
        truth.accounts[person]?.newMail = nil
        truth.accounts[person]?.mail = address
        hearing.added[.mail(person)] = now
    }

    /// Removes the address, in the app or by the link in the last message.
    func endMail(_ person: Int, byLink: Bool) async {
        if truth.isCorrespondent(person) { return await leaveByMail(person) }
        if byLink {
            guard let token = hearing.unsubscribe[person] else { return }
            let answer = await reach("a link in \(name(person))'s e-mail") {
                try await $0.emailAddresses.unsubscribe(token)
            }
            guard answer.value == true else { return }
        } else {
            let answer = await ask(person) {
                try await $0.emailAddresses.deleteEmailAddress(of: $1)
            }
            guard answer.value != nil else { return }
            truth.accounts[person]?.newMail = nil
        }
        await checkMail(of: person)
    }

    /// Asks for the address that the server has. An old message's link must not remove a newer
    /// address.
    private func checkMail(of person: Int) async {
        guard
            let status = await ask(person, { try await $0.emailAddresses.emailStatus(of: $1) })
                .value
        else {
            truth.accounts[person]?.mail = nil
            return
        }
        let isKept = status.address != nil && status.address == truth.accounts[person]?.mail
        guard !isKept else { return }
        truth.accounts[person]?.mail = nil
        hearing.forgive { place, _ in place.endpoint == .mail(person) }
    }

    // MARK: Browsers and apps

    func addApp(_ person: Int, _ kind: DeviceKind) async throws {
        lastEndpoint += 1
        let endpoint = Endpoint(person: person, kind, count: lastEndpoint)
        let token = try endpoint.token()
        let id = PushEndpointID(world.makeID())
        // The registration may bring an alarm before its answer.
        hearing.added[endpoint] = now
        let answer = await ask(person) { network, caller in
            if let token {
                _ = try await network.appEndpoints.saveAppEndpoint(id, token, of: caller)
            } else if let url = endpoint.url {
                let keys = Data(repeating: 4, count: 65)
                _ = try await network.pushSubscriptions.savePushSubscription(
                    id, BrowserSubscription(url: url, p256dh: keys, auth: keys.prefix(16)),
                    of: caller)
            }
        }
        guard answer.value != nil else { return }
        truth.accounts[person]?.endpoints[endpoint.number] = id
        hearing.added[endpoint] = now
    }

    func testEndpoint(_ person: Int) async {
        guard let (_, id) = truth.accounts[person]?.endpoints.max(by: { $0.key < $1.key }) else {
            return
        }
        await ask(person) { try await $0.endpoints.testPushEndpoint(id, of: $1) }
    }
}
