import Delivery
import Foundation
import HTTPClient
import Settings

extension TwilioAccount {
    /// Throws `Failure`, which names the missing variables.
    /// - Parameters:
    ///   - option: the option that needs the account, for the error text.
    ///   - others: further variables that this option needs.
    init(
        _ environment: SettingValues, for option: String, besides others: [String] = []
    ) throws {
        let names = ["LIFESIGNAL_TWILIO_ACCOUNT_SID", "LIFESIGNAL_TWILIO_AUTH_TOKEN"]
        let missing = (names + others).filter { environment[$0, default: ""].isEmpty }
        guard missing.isEmpty else {
            throw Failure("\(option) needs \(missing.joined(separator: ", ")).")
        }
        let base = environment["LIFESIGNAL_TWILIO_BASE_URL"] ?? "https://api.twilio.com"
        guard let baseURL = URL(string: base), let host = baseURL.host else {
            throw Failure("LIFESIGNAL_TWILIO_BASE_URL is not a URL.")
        }
        // Requests have the account's token.
        let scheme = baseURL.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" && NearHost.isInOwnNetwork(host) else {
            throw Failure(
                """
                LIFESIGNAL_TWILIO_BASE_URL must be https, or http to an address of your own \
                network.
                """)
        }
        self.init(
            sid: environment[names[0], default: ""], authToken: environment[names[1], default: ""],
            baseURL: baseURL)
    }
}
