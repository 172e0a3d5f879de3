import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// New numbers get codes only in the operator's countries.
@Suite struct CodeCountryTests {
    private func isSent(_ text: String, on server: TestServer) async throws -> Bool {
        let number = try PhoneNumber(text)
        try await server.network.codes.requestCode(for: number, from: "phone of \(number)")
        return !server.environment.codes(on: number).isEmpty
    }

    private func germany() throws -> Set<CallingCode> {
        CallingCode.all(of: try #require(PhoneCountry("DE")))
    }

    @Test func otherCountriesGetNone() async throws {
        let countries = try germany()
        let server = try TestServer(hasBystanders: false, options: { $0.smsCountries = countries })
        #expect(try await isSent("+493020000001", on: server))
        #expect(try await !isSent("+331020000001", on: server))
        #expect(server.environment.codeBounds == [.otherCountry])
        #expect(
            try await server.network.signUpTokens.signInOptions().limitsCountries == true)
    }

    @Test(arguments: [true, false])
    func countriesOfPeopleAreServedByDefault(includesPeoples: Bool) async throws {
        let (countries, known) = (try germany(), try PhoneNumber("+331020000001"))
        let server = try TestServer(
            hasBystanders: false,
            options: {
                $0.smsCountries = countries
                $0.includesCountriesOfPeople = includesPeoples
                $0.testNumbers = [known: "000000"]
            })
        try await server.network.codes.requestCode(for: known, from: "192.0.2.1")
        _ = try await server.network.signIn.signIn(known, code: "000000", deviceName: "Phone")
        #expect(try await isSent("+331020000002", on: server) == includesPeoples)
        #expect(try await !isSent("+18765550100", on: server))
    }

    @Test func countriesAndModeChangeWhileTheServerRuns() async throws {
        let live = LiveSignUpPolicy(
            .init(mode: .closed, countries: try germany(), includesCountriesOfPeople: false))
        let server = try TestServer(
            hasBystanders: false, options: { $0.liveSignUpPolicy = live })
        #expect(try await server.network.signUpTokens.signInOptions().signUp == .closed)
        #expect(try await !isSent("+493020000001", on: server))
        live.change(
            to: .init(mode: .open, countries: nil, includesCountriesOfPeople: false),
            withCountries: false)
        #expect(try await isSent("+493020000002", on: server))
        #expect(try await !isSent("+331020000001", on: server))
        live.change(to: .init(mode: .open, countries: nil, includesCountriesOfPeople: false))
        #expect(try await isSent("+331020000002", on: server))
        #expect(try await server.network.signUpTokens.signInOptions().limitsCountries == nil)
    }

    @Test func knownNumberGetsOneFromAnyCountry() async throws {
        let countries = try germany()
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        var options = SafetyNetwork.Options(
            publicURL: try #require(URL(string: "https://lifesignal.example")))
        options.smsCountries = countries
        options.includesCountriesOfPeople = false
        let before = server.environment.codes(on: ada.number).count
        try await server.makeNetwork(options).codes.requestCode(for: ada.number, from: "192.0.2.1")
        #expect(server.environment.codes(on: ada.number).count == before + 1)
    }
}
