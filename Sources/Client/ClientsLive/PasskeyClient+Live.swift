import API
import Clients
import Domain

extension PasskeyClient {
    static func live(_ controller: SessionController) -> PasskeyClient {
        PasskeyClient(
            signInRequest: {
                try await controller.inWords(.signInByPasskey) {
                    try await controller.connection.call(Routes.passkeySignInRequest)
                }
            },
            signIn: { assertion in
                try await controller.inWords(.signInByPasskey) {
                    try await controller.signIn(assertion)
                }
            },
            passkeys: {
                try await controller.with(.loadPasskeys) {
                    try await $0.connection.call(Routes.passkeys).items
                }
            },
            newPasskeyRequest: {
                try await controller.with(.addPasskey) {
                    try await $0.connection.call(Routes.newPasskeyRequest)
                }
            },
            add: { registration in
                let name = PasskeyRules.name(ofDevice: controller.options.deviceName)
                return try await controller.with(.addPasskey) {
                    try await $0.connection.call(
                        Routes.addPasskey, AddPasskeyRequest(passkey: registration, name: name))
                }
            },
            rename: { id, name in
                try await controller.with(.renamePasskey) {
                    try await $0.connection.call(
                        Routes.renamePasskey, PasskeyNameRequest(name: name), id: id.uuid)
                }
            },
            remove: { id in
                try await controller.with(.removePasskey) {
                    _ = try await $0.connection.call(Routes.removePasskey, id: id.uuid)
                }
            })
    }
}
