import Domain
import HTTPServer

/// Numbers that sign in with a code chosen by the operator.
extension ServeOptions {
    static func testNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.code(code) else {
            throw Failure(
                """
                --test-phone must be a number and a code of 6 digits, as +15550100=000000; this \
                is not: \(name)
                """
            )
        }
        return (number, code)
    }

    static func canaryNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.canaryCode(code) else {
            throw Failure(
                """
                LIFESIGNAL_CANARY_PHONES must have numbers with codes of 20 to 100 letters and \
                digits, as +15550190=CODE,+15550191=CODE (openssl rand -hex 16 makes a code); \
                wrong is: \(name)
                """
            )
        }
        return (number, code)
    }

    private static func numberAndCode(
        _ text: String
    ) -> (name: String, number: PhoneNumber?, code: String) {
        let parts = text.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            .map(String.init)
        let name = parts.first ?? ""
        let number = try? PhoneNumberCheck.libphonenumber(except: []).read(name)
        return (name, number, parts.count == 2 ? parts[1] : "")
    }
}
