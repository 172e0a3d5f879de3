import ComposableArchitecture
import Foundation
import Testing

@Suite struct DependencyIssueTests {
    @Test func liveOnlyKeyReportsItsNameInTest() {
        @Dependency(\.liveOnly) var liveOnly
        withKnownIssue {
            #expect(liveOnly.name() == "live")
        } matching: {
            let text = $0.description
            return text.contains(#"@Dependency(\.liveOnly) has no test implementation"#)
                && text.contains("LiveOnlyClient")
                && $0.sourceLocation?.fileName == "DependencyIssueTests.swift"
                && $0.sourceLocation?.line == 7
        }
    }

    @Test func liveOnlyKeyByTypeReportsItsType() {
        @Dependency(LiveOnlyClient.self) var liveOnly
        withKnownIssue {
            _ = liveOnly
        } matching: {
            $0.description.contains("@Dependency(LiveOnlyClient.self) has no test implementation")
        }
    }

    @Test func eachAccessReports() {
        @Dependency(\.liveOnly) var liveOnly
        for _ in 1...2 { withKnownIssue { _ = liveOnly } }
    }

    @Test func settingPartDoesNotReport() {
        withDependencies {
            $0.liveOnly.name = { "set" }
        } operation: {
            @Dependency(\.liveOnly) var liveOnly
            #expect(liveOnly.name() == "set")
        }
    }

    @Test func liveContextDoesNotReport() {
        #expect(DependencyValues.live.liveOnly.name() == "live")
        #expect(DependencyValues.preview.liveOnly.name() == "live")
    }

    @Test func missingLiveValueReportsInLiveContext() {
        withDependencies {
            $0.context = .live
        } operation: {
            @Dependency(\.interface) var interface
            withKnownIssue {
                #expect(interface.name() == "test")
            } matching: {
                $0.description.contains(#"@Dependency(\.interface) has no live implementation"#)
            }
        }
        #expect(DependencyValues.preview.interface.name() == "test")
    }

    @Test func keysCanDisableReports() {
        enum QuietKey: DependencyKey {
            static let liveValue = 1
            static let shouldReportUnimplemented = false
        }
        @Dependency(QuietKey.self) var quiet
        #expect(quiet == 1)
    }

    @Test func builtInValuesReportTheirNames() async {
        @Dependency(\.date) var date
        @Dependency(\.date.now) var now
        @Dependency(\.uuid) var uuid
        @Dependency(\.continuousClock) var continuousClock
        @Dependency(\.suspendingClock) var suspendingClock
        @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
        @Dependency(\.calendar) var calendar
        @Dependency(\.locale) var locale
        @Dependency(\.timeZone) var timeZone
        await expectIssue("date") { _ = date() }
        await expectIssue("date") { _ = now }
        await expectIssue("uuid") { _ = uuid() }
        await expectIssue("continuousClock") { try? await continuousClock.sleep(for: .zero) }
        await expectIssue("suspendingClock") { try? await suspendingClock.sleep(for: .zero) }
        await expectIssue("withRandomNumberGenerator") {
            _ = withRandomNumberGenerator { Bool.random(using: &$0) }
        }
        await expectIssue("calendar") { _ = calendar }
        await expectIssue("locale") { _ = locale }
        await expectIssue("timeZone") { _ = timeZone }
    }

    private func expectIssue(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async -> Void
    ) async {
        await withKnownIssue(sourceLocation: sourceLocation) {
            await body()
        } matching: {
            $0.description.contains("@Dependency(\\.\(name))")
        }
    }

    @Test func unimplementedEndpointsReport() throws {
        struct Failure: Error {}
        let endpoint: @Sendable (Int) -> String = unimplemented(
            "Client.endpoint", placeholder: "placeholder")
        withKnownIssue {
            #expect(endpoint(1) == "placeholder")
        } matching: {
            $0.description.contains("Unimplemented: Client.endpoint")
        }
        let throwing: @Sendable () throws -> Int = unimplemented("Client.throwing")
        withKnownIssue { _ = try throwing() }
    }
}
