import API
import Clients
import Domain

extension DrillClient {
    static func live(_ controller: SessionController) -> DrillClient {
        DrillClient(
            overview: {
                try await controller.with(.loadDrills) {
                    try await $0.connection.call(Routes.drills)
                }
            },
            start: {
                let id = controller.environment.makeID()
                return try await controller.with(.startDrill) {
                    try await $0.connection.call(Routes.startDrill, id: id)
                }
            },
            stop: { id in
                try await controller.with(.stopDrill) {
                    try await $0.connection.call(Routes.stopDrill, id: id.uuid)
                }
            },
            answer: { id in
                try await controller.with(.answerDrill) { account in
                    let question = try await account.connection.call(
                        Routes.answerDrill, DrillAnswerRequest(), id: id.uuid)
                    if question.answeredAt != nil, let notification = question.notificationID {
                        await account.showDone(.markAsRead(notification))
                    }
                    return question
                }
            })
    }
}
