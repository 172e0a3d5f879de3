import Domain
import Foundation
import SafetyNetwork
import SoftPasskey

/// Passkeys, on a device in software (product.md, "Sign-in").
extension Simulator {
    func addPasskey(_ person: Int) async {
        guard let account = truth.accounts[person], account.passkeys.count < PasskeyRules.limit
        else { return }
        let asked = await ask(person) { try await $0.passkeys.requestForNewPasskey(of: $1) }
        guard let challenge = asked.value?.challenge else { return }
        var device = SoftPasskey(random: world.random)
        device.counter = 1
        let registration = device.registration(challenge)
        let answer = await ask(person) {
            try await $0.passkeys.add(registration, name: "Phone", of: $1)
        }
        if case .refused(let error) = answer {
            note("passkey", "\(name(person)) could not add a passkey: \(error)")
        }
        guard let id = answer.value?.id else { return }
        truth.accounts[person]?.passkeys.append(Truth.KnownPasskey(id: id, device: device))
        owe("A passkey was added", to: person)
        let renamed = await ask(person) {
            try await $0.passkeys.rename(id, to: "Key ring", of: $1)
        }
        if let name = renamed.value?.name, name != "Key ring" {
            note("passkey", "\(self.name(person))'s passkey is named \(name)")
        }
        if renamed.value != nil { owe("A passkey was renamed", to: person) }
        await checkPasskeys(of: person)
    }

    func removePasskey(_ person: Int) async {
        guard let passkey = truth.accounts[person]?.passkeys.first else { return }
        let answer = await ask(person) { try await $0.passkeys.remove(passkey.id, of: $1) }
        if case .refused(let error) = answer {
            note("passkey", "\(name(person)) could not remove a passkey: \(error)")
        }
        guard answer.value != nil else { return }
        truth.accounts[person]?.passkeys.removeFirst()
        truth.accounts[person]?.removedPasskeys.append(passkey)
        owe("A passkey was removed", to: person)
        await checkPasskeys(of: person)
    }

    /// Compares what the settings list.
    private func checkPasskeys(of person: Int) async {
        guard let listed = await ask(person, { try await $0.passkeys.passkeys(of: $1) }).value,
            let known = truth.accounts[person]?.passkeys
        else { return }
        guard listed.map(\.id).sorted() != known.map(\.id).sorted() else { return }
        note(
            "passkey",
            "\(name(person)) has \(known.count) passkeys, and the settings list \(listed.count)")
    }

    /// Signs in by a passkey, as its device or in a way that must fail.
    func usePasskey(_ person: Int, _ use: Step.PasskeyUse) async {
        guard let account = truth.accounts[person], isOnline(person),
            server?.disk.condition == .fine,
            let passkey = (use == .removed ? account.removedPasskeys : account.passkeys).last
        else { return }
        var device = passkey.device
        // The copy has not seen the last use.
        if use != .copied { device.counter += 1 }
        if use == .otherSite { device.origin = "https://lifesignal.example.org" }
        // Present, but not verified.
        if use == .unverified { device.flags = 0x01 }
        let asked = await reach("a sign-in by a passkey") { $0.passkeys.requestForSignIn() }
        guard let challenge = asked.value?.challenge,
            let assertion = try? device.assertion(challenge, of: account.caller.userID)
        else { return }
        let hadSession = await hasSession(person)
        let answer = await reach("a passkey of \(name(person))") {
            try await $0.signIn.signIn(assertion, deviceName: "Tablet")
        }
        switch answer {
        case .answered(let tokens):
            guard use.isRight else {
                return note("passkey", "\(name(person))'s passkey signed in: \(use)")
            }
            keep(device, of: passkey.id, person)
            enterAccount(tokens, person, hadSession: hadSession)
            sights.insert("passkey: used")
            if use == .twice { await useAgain(challenge, device, passkey.id, person) }
        case .refused(let error):
            if use.isRight {
                note("passkey", "\(name(person))'s passkey was refused: \(error)")
            }
            if use == .copied { owe("A passkey may have been copied", to: person) }
        case .unreachable: break
        }
    }

    /// Uses the same challenge again.
    private func useAgain(
        _ challenge: String, _ device: SoftPasskey, _ id: PasskeyID, _ person: Int
    ) async {
        var device = device
        device.counter += 1
        guard let user = truth.accounts[person]?.caller.userID,
            let assertion = try? device.assertion(challenge, of: user)
        else { return }
        let answer = await reach("a passkey of \(name(person))") {
            try await $0.signIn.signIn(assertion, deviceName: "Tablet")
        }
        guard answer.value != nil else { return }
        note("passkey", "\(name(person))'s passkey signed in twice by one challenge")
    }

    /// Records the counter of the last signature.
    private func keep(_ device: SoftPasskey, of id: PasskeyID, _ person: Int) {
        let index = truth.accounts[person]?.passkeys.firstIndex { $0.id == id }
        guard let index else { return }
        truth.accounts[person]?.passkeys[index].device.counter = device.counter
    }
}

extension Step.PasskeyUse {
    fileprivate var isRight: Bool { self == .right || self == .twice }
}
