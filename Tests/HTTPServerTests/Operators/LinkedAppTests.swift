import Foundation
import Testing

@testable import HTTPServer

/// Phones ask the server which apps may open its links.
@Suite struct LinkedAppTests {
    private static let fingerprint = Array(repeating: "A1", count: 32).joined(separator: ":")

    private func server(ios: [String] = [], android: [String] = []) throws -> TestServer {
        let apps = LinkedApps(
            ios: try ios.map { try #require(LinkedApps.IOSApp($0)) },
            android: try android.map { try #require(LinkedApps.AndroidApp($0)) })
        return try TestServer { $0.configuration.linkedApps = apps }
    }

    private func json(_ server: TestServer, _ name: String) async throws -> NSObject? {
        let answer = try await server.send("GET", "/.well-known/\(name)")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        return try JSONSerialization.jsonObject(with: answer.body) as? NSObject
    }

    @Test func appleFileHasAppsAndPaths() async throws {
        let server = try server(ios: ["TEAM012345.org.example.app", "TEAM012345.org.example.beta"])
        let expected: NSDictionary = [
            "applinks": [
                "details": [
                    [
                        "appIDs": ["TEAM012345.org.example.app", "TEAM012345.org.example.beta"],
                        "components": [["/": "/add/*"], ["/": "/alerts/*"], ["/": "/join/*"]],
                    ]
                ]
            ],
            "webcredentials": [
                "apps": ["TEAM012345.org.example.app", "TEAM012345.org.example.beta"]
            ],
        ]
        #expect(try await json(server, "apple-app-site-association") == expected)
        let android = try await server.send("GET", "/.well-known/assetlinks.json")
        #expect(android.status == 404)
    }

    @Test func googleFileHasPackagesAndFingerprints() async throws {
        let server = try server(android: ["org.example.app=\(Self.fingerprint)"])
        let expected: NSArray = [
            [
                "relation": ["delegate_permission/common.handle_all_urls"],
                "target": [
                    "namespace": "android_app", "package_name": "org.example.app",
                    "sha256_cert_fingerprints": [Self.fingerprint],
                ],
            ]
        ]
        #expect(try await json(server, "assetlinks.json") == expected)
        let apple = try await server.send("GET", "/.well-known/apple-app-site-association")
        #expect(apple.status == 404)
    }

    @Test(arguments: ["apple-app-site-association", "assetlinks.json"])
    func associationFilesAre404WithoutApps(name: String) async throws {
        #expect(try await server().send("GET", "/.well-known/\(name)").status == 404)
    }

    @Test(arguments: [
        "", "TEAM012345", "TEAM012345.", "team012345.org.example", "TEAM01234.org.example",
        "TEAM0123456.org.example", "TEAM012345.org..example", "TEAM012345.org.exämple",
        "TEAM012345.org.example/", "TEAM012345.\(String(repeating: "a", count: 256))",
    ])
    func malformedAppleIDsAreRejected(text: String) {
        #expect(LinkedApps.IOSApp(text) == nil)
    }

    @Test func fingerprintsAreNormalised() throws {
        for text in [
            Self.fingerprint, Self.fingerprint.lowercased(),
            Self.fingerprint.replacing(":", with: ""),
        ] {
            let app = try #require(LinkedApps.AndroidApp("org.example_1.app=\(text)"))
            #expect(app.package == "org.example_1.app" && app.fingerprint == Self.fingerprint)
        }
    }

    @Test(arguments: [
        "", "org.example.app", "org.example.app=", "app=\(fingerprint)", "=\(fingerprint)",
        "org.1example=\(fingerprint)", "org..app=\(fingerprint)", "org.ex-ample=\(fingerprint)",
        "org.example=\(fingerprint.dropLast(3))", "org.example=\(fingerprint):A1",
        "org.example=\(fingerprint.dropLast(2))G1", "org.example=:\(fingerprint)",
        "org.example=\(fingerprint.replacing("A1:A1:", with: "A1A1:"))",
    ])
    func malformedAndroidAppsAreRejected(text: String) {
        #expect(LinkedApps.AndroidApp(text) == nil)
    }
}
