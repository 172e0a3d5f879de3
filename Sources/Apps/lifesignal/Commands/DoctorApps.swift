import Foundation

extension Examination {
    /// The services of apps. Files that are of no use have stopped the program before.
    static func apps(
        _ settings: ServeSettings,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Examination {
        let subject = "apps"
        var names: [String] = []
        if let apns = settings.apps.apns {
            names.append("Apple's push service for \(apns.configuration.topic)")
        }
        if settings.apps.fcm != nil { names.append("Firebase Cloud Messaging") }
        guard !names.isEmpty else {
            return .init(
                grade: .good, subject: subject,
                finding: "none is told: no key of Apple's or Google's push service is given")
        }
        let files = ["LIFESIGNAL_APNS_KEY_FILE", "LIFESIGNAL_FCM_CREDENTIALS_FILE"]
            .compactMap { environment[$0] }
        let open = files.first { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
        }
        if let open {
            return .init(
                grade: .note, subject: subject,
                finding: "others on this machine can read \(open)", mend: "chmod 600 \(open)")
        }
        return .init(
            grade: .good, subject: subject, finding: "by \(names.joined(separator: " and by "))")
    }
}
