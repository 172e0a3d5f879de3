import API
import Clients
import Domain

extension AlertClient {
    static func live(_ controller: SessionController) -> AlertClient {
        AlertClient(
            raise: { id in try await controller.submit(.raiseAlert(id), \.alert) },
            raiseEarlier: { id, moment in
                try await controller.submit(.raiseAlert(id), at: moment, \.alert)
            },
            end: { id in try await controller.submit(.endAlert(id), \.alert) },
            opened: { id in
                try await controller.with(.openAlert) { account in
                    _ = try await account.connection.call(Routes.openAlert, id: id.uuid)
                }
            },
            acknowledge: { id in
                try await controller.with(.acknowledgeAlert) { account in
                    try await account.perform(
                        { try await $0.call(Routes.acknowledgeAlert, id: id.uuid) },
                        { .reply(.alert($0)) })
                }
            },
            decline: { id in
                try await controller.with(.declineAlert) { account in
                    try await account.perform(
                        { try await $0.call(Routes.declineAlert, id: id.uuid) },
                        { .reply(.alert($0)) })
                }
            },
            withdraw: { id in
                try await controller.with(.withdrawAcknowledgement) { account in
                    try await account.perform(
                        { try await $0.call(Routes.withdrawAcknowledgement, id: id.uuid) },
                        { .reply(.alert($0)) })
                }
            },
            report: { id, report in
                try await controller.with(.reportOnAlert) { account in
                    let request = ReportRequest(report: report)
                    return try await account.perform(
                        { try await $0.call(Routes.reportOnAlert, request, id: id.uuid) },
                        { .reply(.alert($0)) })
                }
            },
            resume: { id in
                try await controller.with(.resumeAlert) { account in
                    try await account.perform(
                        { try await $0.call(Routes.resumeAlert, id: id.uuid) },
                        { .reply(.alert($0)) })
                }
            },
            alert: { id in try await controller.with(.loadAlerts) { try await $0.alert(id) } },
            history: { before in
                try await controller.with(.loadAlerts) { try await $0.alertHistory(before: before) }
            },
            alertsStream: { controller.stream(\.alerts) }
        )
    }
}
