import API
import Clients
import Domain

extension AdministrationClient {
    static func live(_ controller: SessionController) -> AdministrationClient {
        AdministrationClient(
            acts: {
                try await controller.with(.loadAdministration) {
                    try await $0.connection.call(Routes.administratorActs).items
                }
            },
            stopNumberMove: {
                try await controller.with(.stopNumberMove) { account in
                    try await account.perform(
                        { try await $0.call(Routes.stopNumberMove) }, { .reply(.profile($0)) })
                }
            })
    }
}
