import Foundation

extension Examination {
    /// Checks the push services of apps. Invalid key files have already stopped the program.
    static func apps(_ settings: ServeSettings) -> Examination {
        let subject = "apps"
        var names: [String] = []
        if let apns = settings.apps.apns {
            names.append("Apple's push service for \(apns.configuration.topic)")
        }
        if settings.apps.fcm != nil { names.append("Firebase Cloud Messaging") }
        guard !names.isEmpty else {
            return .init(
                grade: .good, subject: subject,
                finding: "no messages: no key of Apple's or Google's push service is given")
        }
        return .init(
            grade: .good, subject: subject, finding: "by \(names.joined(separator: " and by "))")
    }

    static func links(_ settings: ServeSettings) -> Examination {
        let subject = "links"
        let (ios, android) = (settings.linkedApps.ios, settings.linkedApps.android)
        let pushed = settings.apps.apns?.configuration.appID
        if let pushed, !ios.contains(where: { $0.id == pushed }) {
            return .init(
                grade: .note, subject: subject,
                finding: "they open the browser on iPhones that have the app \(pushed)",
                mend: "Give --ios-app \(pushed)")
        }
        let apps = ios.map(\.id) + android.map(\.package)
        guard !apps.isEmpty else {
            return .init(grade: .good, subject: subject, finding: "they open the web app")
        }
        guard settings.publicURL.scheme == "https" else {
            return .init(
                grade: .note, subject: subject,
                finding: "Apple and Google read only over https which apps may open them",
                mend: "Give --public-url an https address.")
        }
        return .init(
            grade: .good, subject: subject,
            finding: "they open \(apps.joined(separator: " and "))")
    }
}
