import Foundation

/// The environment variables of the settings. An empty variable counts as not set.
enum SettingsEnvironment {
    static let prefix = "LIFESIGNAL_"
    /// The maximum edit distance of a misspelling.
    private static let misspelling = 2

    static var current: [String: String] { withoutEmpty(ProcessInfo.processInfo.environment) }

    static func withoutEmpty(_ environment: [String: String]) -> [String: String] {
        environment.filter { name, value in
            !name.hasPrefix(prefix) || !value.allSatisfy(\.isWhitespace)
                // Keeps empty misspelt variables, so that they are reported.
                || !known.contains(String(name.dropFirst(prefix.count)))
        }
    }

    /// Returns the variables with the prefix `LIFESIGNAL_` that no program of LifeSignal reads.
    /// Throws `Failure` for a misspelt name, because the operator expects it to have an effect.
    static func unknown(in environment: [String: String]) throws -> [String] {
        let names = environment.keys.filter {
            $0.hasPrefix(prefix) && !known.contains(String($0.dropFirst(prefix.count)))
        }.sorted()
        for name in names {
            let (nearest, distance) = nearest(to: String(name.dropFirst(prefix.count)))
            guard distance > misspelling else {
                throw Failure("\(name) is not a setting. Did you mean \(prefix)\(nearest)?")
            }
        }
        return names
    }

    static func warning(about name: String) -> String {
        let (nearest, distance) = nearest(to: String(name.dropFirst(prefix.count)))
        let guess = distance <= nearest.count / 3 ? " Did you mean \(prefix)\(nearest)?" : ""
        return "\(name) is not a setting and has no effect.\(guess)"
    }

    private static func nearest(to name: String) -> (name: String, distance: Int) {
        known.sorted().map { ($0, distance(name, $0)) }.min { $0.1 < $1.1 } ?? ("", .max)
    }

    /// Returns the number of letters to add, remove, replace or swap with their neighbour.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var rows = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                let isSame = one[i] == other[j]
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (isSame ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }

    /// The known names without the prefix: settings of `serve`, of clients and of the canary.
    private static let known = Set(
        """
        ACCEPT_NEW_KEY ADMIN_SOCKET ALLOW_PRIVATE_WEBHOOKS ANDROID_APP APNS_BASE_URL APNS_CA_FILE
        APNS_CRITICAL APNS_KEY_FILE APNS_KEY_ID APNS_TEAM_ID APNS_TOPIC BEGIN_ANEW CALL_BUDGET
        CALL_BUDGET_PER_USER CANARY_PHONES CANARY_WEBHOOK CHECK_INS_PER_HOUR CODES_PER_ADDRESS
        CODES_PER_HOUR CODES_PER_NUMBER CODES_TO_NEW_NUMBERS CODES_TO_NEW_NUMBERS_PER_COUNTRY
        COUNTRY DATABASE DATABASE_CONNECTIONS DEMO_INTERVALS FCM_BASE_URL FCM_CA_FILE
        FCM_CREDENTIALS_FILE FIRESTORE_CREDENTIALS FIRESTORE_PROJECT FIRESTORE_URL HEARTBEAT_URL
        HOME HOST IOS_APP KEY KEY_FILE LEDGER_DAYS LOG_FORMAT LOG_LEVEL MAIL_CA_FILE MAIL_FROM
        MAIL_PASSWORD MAIL_PASSWORD_FILE MAIL_SERVER MAIL_USER OPERATOR_CONTACT PORT PROXY_HOPS
        PUBLIC_URL PUSH_CONTACT REQUESTS_PER_ADDRESS REQUESTS_PER_USER SERVER SHOW_NOTIFICATIONS
        SIGN_UP SMS SMS_ANSWERS SMS_ANSWERS_SECRET SMS_ANSWERS_SECRET_FILE SMS_BUDGET
        SMS_BUDGET_PER_USER SMS_COUNTRIES SMS_FROM SMS_FROM_FILE SMS_GATEWAY_FILE SMS_GATEWAY_SECRET
        SMS_GATEWAY_SECRET_FILE SMS_VALIDITY_MINUTES TEST_PHONE TRUST_CLOCK TRUST_PROXY
        TWILIO_ACCOUNT_SID TWILIO_AUTH_TOKEN TWILIO_BASE_URL TWILIO_CALL_FROM TWILIO_FROM VOICE
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
