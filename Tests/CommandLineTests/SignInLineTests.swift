import Domain
import Testing

@testable import CommandLine

@Suite struct SignInLineTests {
    @Test(arguments: [
        (SignUpMode.open, false, true), (.invited, false, false), (.invited, true, true),
        (.closed, false, false),
    ])
    func lineSaysOnlyWhatIsKnown(mode: SignUpMode, hasToken: Bool, isSure: Bool) {
        let line = SignIn.sentLine(
            "+15550100", SignInOptions(signUp: mode, sendsCodes: true), hasToken: hasToken)
        #expect(line.hasPrefix("If +15550100 may sign in here") == !isSure)
        #expect(line.contains("unless this server has reached a limit of codes") == hasToken)
        #expect(line.hasSuffix("Go on with --code."))
    }

    @Test func otherCountriesMayGetNoCode() {
        let options = SignInOptions(signUp: .open, sendsCodes: true, limitsCountries: true)
        for hasToken in [true, false] {
            let line = SignIn.sentLine("+15550100", options, hasToken: hasToken)
            #expect(line.hasPrefix("If +15550100 may sign in here") == !hasToken)
        }
    }

    @Test func unknownRulesPromiseNoCode() {
        let line = SignIn.sentLine("+15550100", nil, hasToken: false)
        #expect(line.hasPrefix("If +15550100 may sign in here, a code is on its way."))
    }
}
