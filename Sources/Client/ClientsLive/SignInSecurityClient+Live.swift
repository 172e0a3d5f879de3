import API
import Clients
import Domain

extension SignInSecurityClient {
    static func live(_ controller: SessionController) -> SignInSecurityClient {
        SignInSecurityClient(
            security: {
                try await controller.with(.loadSignInSecurity) {
                    try await $0.connection.call(Routes.signInSecurity)
                }
            },
            lock: {
                try await controller.with(.lockSignIn) {
                    try await $0.connection.call(Routes.lockSignIn)
                }
            },
            unlock: { code in
                try await controller.with(.unlockSignIn) {
                    try await $0.connection.call(
                        Routes.unlockSignIn, RecoveryCodeRequest(recoveryCode: code))
                }
            },
            stopWait: {
                try await controller.with(.stopSignInWait) {
                    try await $0.connection.call(Routes.stopSignInWait)
                }
            },
            makeCodes: { code, request in
                try await controller.with(.makeRecoveryCodes) {
                    try await $0.connection.call(
                        Routes.makeRecoveryCodes, RecoveryCodeRequest(recoveryCode: code),
                        key: request
                    ).codes
                }
            })
    }
}
