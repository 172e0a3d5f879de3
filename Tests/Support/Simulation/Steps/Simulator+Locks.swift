import API
import Domain
import SafetyNetwork

/// Requests of people whose account an administrator may have locked.
extension Simulator {
    /// What the administrators' lock stops, and what it must not stop (product.md,
    /// "Administrators").
    enum Request: String {
        case invite, addContact, changeRoles, ping, startDrill, addSource, setEmail, updateProfile
        case changePhoneNumber, confirmEmail
        case checkIn, raiseAlert, endAlert, endRole

        var mayBeStopped: Bool {
            switch self {
            case .invite, .addContact, .changeRoles, .ping, .startDrill, .addSource, .setEmail,
                .updateProfile, .changePhoneNumber, .confirmEmail:
                true
            case .checkIn, .raiseAlert, .endAlert, .endRole: false
            }
        }

        /// Whether the server's router checks the lock before the command. The commands for the
        /// profile, for roles and for the code of an e-mail check it themselves.
        var isCheckedByRouter: Bool {
            switch self {
            case .invite: Routes.invite.endpoint.isStoppedByLock
            case .addContact: Routes.addContact.endpoint.isStoppedByLock
            case .ping: Routes.ping.endpoint.isStoppedByLock
            case .startDrill: Routes.startDrill.endpoint.isStoppedByLock
            case .addSource: Routes.addSource.endpoint.isStoppedByLock
            case .setEmail: Routes.setEmail.endpoint.isStoppedByLock
            case .updateProfile, .changeRoles, .endRole, .confirmEmail: false
            case .changePhoneNumber: Routes.changePhoneNumber.endpoint.isStoppedByLock
            case .checkIn: Routes.checkIn.endpoint.isStoppedByLock
            case .raiseAlert: Routes.raiseAlert.endpoint.isStoppedByLock
            case .endAlert: Routes.endAlert.endpoint.isStoppedByLock
            }
        }
    }

    /// Sends a request of a person, and checks what a lock does to it.
    func ask<Value: Sendable>(
        _ person: Int, _ request: Request,
        _ command: (SafetyNetwork, Caller) async throws -> Value
    ) async -> Answer<Value> {
        let isLocked = truth.accounts[person]?.isLocked ?? false
        if request.isCheckedByRouter {
            let check = await ask(person) { try await $0.accountLocks.check($1) }
            switch check {
            case .answered: break
            case .refused(let error):
                noteLock(person, request, isLocked: isLocked, isStopped: error == .accountLocked)
                return .refused(error)
            case .unreachable: return .unreachable
            }
        }
        let answer = await ask(person, command)
        switch answer {
        case .answered: noteLock(person, request, isLocked: isLocked, isStopped: false)
        case .refused(.accountLocked):
            noteLock(person, request, isLocked: isLocked, isStopped: true)
        case .refused, .unreachable: break
        }
        return answer
    }

    private func noteLock(_ person: Int, _ request: Request, isLocked: Bool, isStopped: Bool) {
        if isLocked { sights.insert(isStopped ? "lock: stopped" : "lock: \(request)") }
        guard isStopped != (isLocked && request.mayBeStopped) else { return }
        note(
            "lock",
            "\(name(person))'s request (\(request)) was \(isStopped ? "stopped" : "answered"), "
                + "and the account is \(isLocked ? "locked" : "not locked")")
    }
}
