import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    func seeCode(_ person: Int, of other: Int) async {
        guard person != other, truth.accounts[person] != nil,
            let shown = await ask(other, { try await $0.qrCode(of: $1) }).value,
            let code = QRCodeID(shown.id)
        else { return }
        truth.codes[other] = code
        phones[person].codes[other] = code
    }

    func scan(_ person: Int, codeOf other: Int, both: Bool) async throws {
        guard person != other, let code = phones[person].codes[other],
            let id = truth.accounts[other]?.caller.userID
        else { return }
        let roles = try ContactRoles(isResponder: both, isDependent: true)
        guard
            let contact = await ask(
                person, { try await $0.addContact(code: code, roles: roles, to: $1) }
            ).value,
            contact.id == id
        else { return }
        if truth.codes[other] != code {
            note(
                "oldCode",
                "\(name(person)) added \(name(other)) by a code that is worthless by now")
        }
        truth.consents.insert(Edge(responder: person, owner: other))
        enter(contact, of: other, as: person)
    }

    func setRoles(_ person: Int, of other: Int, _ roles: ContactRoles) async {
        guard let id = truth.accounts[other]?.caller.userID, person != other,
            let contact = await ask(person, { try await $0.changeRoles(of: id, to: roles, by: $1) })
                .value
        else { return }
        enter(contact, of: other, as: person)
    }

    func remove(_ person: Int, _ other: Int) async {
        guard let id = truth.accounts[other]?.caller.userID, person != other,
            await ask(person, { try await $0.removeContact(id, by: $1) }).value != nil
        else { return }
        part(Edge(responder: person, owner: other))
        part(Edge(responder: other, owner: person))
        // Removing a contact renews the remover's code.
        truth.codes[person] = nil
    }

    func renewCode(_ person: Int) async {
        guard let info = await ask(person, { try await $0.renewQRCode(of: $1) }).value else {
            return
        }
        truth.codes[person] = QRCodeID(info.id)
    }

    /// The answer says which roles hold now; nobody has one without having agreed to it.
    private func enter(_ contact: ContactData, of other: Int, as person: Int) {
        for (edge, holds) in [
            (Edge(responder: other, owner: person), contact.isResponder),
            (Edge(responder: person, owner: other), contact.isDependent),
        ] {
            if !holds { part(edge) }
            guard holds, truth.roles[edge] == nil else { continue }
            truth.roles[edge] = now
            hearing.left[edge] = nil
            if !truth.consents.contains(edge) {
                note(
                    "consent",
                    "\(name(edge.responder)) became \(name(edge.owner))'s responder, "
                        + "by the request of \(name(person)) alone"
                )
            }
        }
    }
}
