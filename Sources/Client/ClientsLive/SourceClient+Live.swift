import API
import Clients
import Domain

extension SourceClient {
    static func live(_ controller: SessionController) -> SourceClient {
        SourceClient(
            sources: {
                try await controller.with(.loadSources) {
                    try await $0.connection.call(Routes.sources).items
                }
            },
            add: { name in
                try await controller.with(.addSource) {
                    try await $0.connection.call(
                        Routes.addSource, SourceRequest(name: name),
                        key: controller.environment.makeID())
                }
            },
            remove: { id in
                try await controller.with(.removeSource) {
                    _ = try await $0.connection.call(Routes.removeSource, id: id.uuid)
                }
            })
    }
}
