import API
import Domain
import SafetyNetwork

extension RouteBuilder {
    func addContactRoutes() {
        let network = network
        signedIn(Routes.contacts) { _, call in
            List(items: try await network.contacts.contacts(of: call.caller))
        }
        signedIn(Routes.addContact) { input, call in
            let roles = try ContactRoles(
                isResponder: input.isResponder, isDependent: input.isDependent)
            return try await network.contacts.addContact(
                code: try QRCodeRules.id(in: input.code), roles: roles, to: call.caller)
        }
        signedIn(Routes.changeRoles) { input, call in
            try await network.contacts.changeRoles(
                of: try call.id(), to: input, by: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.orderResponders) { input, call in
            try await network.responderOrder.orderResponders(input.ids, of: call.caller)
            return Empty()
        }
        signedIn(Routes.removeContact) { _, call in
            try await network.contacts.removeContact(try call.id(), by: call.caller)
            return Empty()
        }
        signedIn(Routes.removeContactQuietly) { _, call in
            try await network.contacts.removeContact(try call.id(), quietly: true, by: call.caller)
            return Empty()
        }
        for role in ContactRole.allCases {
            signedIn(Routes.acceptRequest(role)) { _, call in
                try await network.contacts.acceptRequest(role, from: try call.id(), by: call.caller)
            }
            signedIn(Routes.endRequest(role)) { _, call in
                try await network.contacts.endRequest(role, with: try call.id(), by: call.caller)
                return Empty()
            }
        }
        signedIn(Routes.blocks) { _, call in
            List(items: try await network.blocks.blocks(of: call.caller))
        }
        signedIn(Routes.block) { _, call in
            try await network.blocks.block(try call.id(), by: call.caller)
        }
        signedIn(Routes.unblock) { _, call in
            try await network.blocks.unblock(try call.id(), by: call.caller)
            return Empty()
        }
    }
}
