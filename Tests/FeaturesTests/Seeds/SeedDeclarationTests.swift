import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

/// For each declaration of the seeds, this app has one with the same name, type and default. The
/// exceptions are the differences that Docs/features.md explains.
@Suite struct SeedDeclarationTests {
    /// The differences in type or default, each with the name of the entry in the document that
    /// explains it.
    static let differences = [
        "qrCodeImage: UIImage?": "`qrCodeImage: UIImage?`",
        "qrCodeID = UUID().uuidString": "`qrCodeID: String = UUID().uuidString`",
        "confirmSignOut: ConfirmationAlertState<Never>?": "`confirmSignOut`",
    ]

    struct Declaration: Equatable {
        let name: String
        let type: String
        /// The default as text; nil if the property is computed or has no default.
        let value: String?

        /// Parses a line of a seed; nil if it is not a declaration.
        init?(_ line: Substring) {
            let pattern = #/^(?:@Presents )?(?:var|let) (\w+): ([^={]+?)(?: = (.+)| \{)?$/#
            guard let match = line.wholeMatch(of: pattern) else { return nil }
            (name, type) = (String(match.output.1), String(match.output.2))
            value = match.output.3.map(String.init)
        }

        /// The type in the form in which Swift prints it.
        var fullType: String {
            if type.hasSuffix("?") { return "Optional<\(type.dropLast())>" }
            if type.hasPrefix("[") { return "Array<\(type.dropFirst().dropLast())>" }
            return type == "TimeInterval" ? "Double" : type
        }
    }

    static func declarations(in seed: String) -> [Declaration] {
        seed.split(separator: "\n").compactMap { Declaration($0) }
    }

    struct Kept: CustomTestStringConvertible, Sendable {
        let name: String
        let seed: String
        /// Makes a value with the defaults of all properties.
        let value: @Sendable () throws -> Any
        /// The names of the computed properties, with their types.
        let computed: [String: Any.Type]
        var testDescription: String { name }
    }

    static let kept: [Kept] = [
        Kept(
            name: "QRCodeFeature.State", seed: SeedDeclarations.qrCode,
            value: { QRCodeFeature.State() },
            computed: [
                "qrCodeIDForDisplay": type(of: \QRCodeFeature.State.qrCodeIDForDisplay).valueType,
                "hasQRCode": type(of: \QRCodeFeature.State.hasQRCode).valueType,
            ]),
        Kept(
            name: "QRCodeData", seed: SeedDeclarations.qrCodeData,
            value: {
                QRCodeData(
                    id: "", userID: "", timestamp: Fixture.now, appVersion: "", deviceModel: "")
            }, computed: [:]),
        Kept(
            name: "AlertFeature.State", seed: SeedDeclarations.alert,
            value: { AlertFeature.State() },
            computed: [
                "alertDuration": type(of: \AlertFeature.State.alertDuration).valueType,
                "formattedAlertDuration": type(of: \AlertFeature.State.formattedAlertDuration)
                    .valueType,
                "canActivateAlert": type(of: \AlertFeature.State.canActivateAlert).valueType,
                "canDeactivateAlert": type(of: \AlertFeature.State.canDeactivateAlert).valueType,
                "isFullyActivated": type(of: \AlertFeature.State.isFullyActivated).valueType,
                "isFullyDeactivated": type(of: \AlertFeature.State.isFullyDeactivated).valueType,
            ]),
        Kept(
            name: "AlertRecord", seed: SeedDeclarations.alertRecord,
            value: { Fixture.alert(1) }, computed: [:]),
        Kept(
            name: "ProfileFeature.State", seed: SeedDeclarations.profile,
            value: { ProfileFeature.State() },
            computed: [
                "canSaveProfile": type(of: \ProfileFeature.State.canSaveProfile).valueType,
                "displayName": type(of: \ProfileFeature.State.displayName).valueType,
                "hasProfilePicture": type(of: \ProfileFeature.State.hasProfilePicture).valueType,
            ]),
        Kept(
            name: "RespondersFeature.State", seed: SeedDeclarations.responders,
            value: { RespondersFeature.State() },
            computed: [
                "pendingPingsCount": type(of: \RespondersFeature.State.pendingPingsCount).valueType
            ]),
        Kept(
            name: "RespondersFeature.State.AlertState", seed: SeedDeclarations.responderAlerts,
            value: { RespondersFeature.State.AlertState() }, computed: [:]),
    ]

    /// Returns the type in the form that the seeds use: without modules, and without the types that
    /// contain it.
    static func plain(_ type: Any.Type) -> String {
        String(reflecting: type)
            .replacing(
                #/\b(Swift|Foundation|FoundationEssentials|Features|Domain|Clients)\./#, with: ""
            )
            .replacing("ComposableArchitecture.", with: "")
            .replacing("RespondersFeature.State.AlertState", with: "AlertState")
            .replacing("PresentationState<", with: "Optional<")
            .replacing("AlertState<AlertFeature.Action>", with: "AlertState<Action>")
    }

    @Test(arguments: kept)
    func everyDeclarationIsOurs(kept: Kept) throws {
        let ours = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: try kept.value()).children.compactMap {
                child -> (String, Any)? in
                // The storage of a property wrapper has a name with an underscore.
                child.label.map { (String($0.trimmingPrefix("_")), child.value) }
            })
        let declarations = Self.declarations(in: kept.seed)
        #expect(declarations.count == kept.seed.split(separator: "\n").count)
        for declaration in declarations {
            let (name, type) = (declaration.name, declaration.type)
            let found = ours[name].map { Swift.type(of: $0) } ?? kept.computed[name]
            guard let found else {
                Issue.record("\(kept.name) has no \(name).")
                continue
            }
            if Self.differences["\(name): \(type)"] == nil {
                #expect(Self.plain(found) == declaration.fullType, "\(kept.name).\(name)")
            }
            guard let value = declaration.value, value != ".init()",
                Self.differences["\(name) = \(value)"] == nil, let our = ours[name]
            else { continue }
            let shown = our is String ? "\"\(our)\"" : "\(our)"
            #expect(shown == value, "\(kept.name).\(name)")
        }
    }

    @Test func everyDefaultByInitIsOurs() {
        #expect(QRCodeFeature.State().qrScanner == .init())
        let responders = RespondersFeature.State()
        #expect(responders.contacts == .init() && responders.alerts == .init())
        #expect(responders.contactDetails == .init() && responders.qrScanner == .init())
        #expect(responders.addContact == .init())
    }

    @Test func everyActionOfSeed002IsOurs() throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        let actions: [DependentsFeature.Action] = [
            .onAppear, .contacts(.loadContacts), .setSortOption(.name), .selectContact(ben),
            .showQRScanner, .setError(nil), .ping(.pingDependent(Fixture.ben)),
            .ping(.pingDependentSucceeded(Fixture.ben)), .ping(.pingDependentFailed(.unknown)),
            .ping(.clearPing(Fixture.ben)), .ping(.clearPingSucceeded(Fixture.ben)),
            .ping(.clearPingFailed(.unknown)), .contactDetails(.closeButtonTapped),
            .qrScanner(.dismissButtonTapped), .addContact(.cancelButtonTapped),
        ]
        let ours = Set(actions.flatMap { Self.names(of: $0) })
        let named = SeedDeclarations.dependents.matches(
            of: #/(?:case |let |send\(|action: \\|\()\.(\w+)/#)
        #expect(named.count >= 20)
        for name in named {
            #expect(ours.contains(String(name.output.1)), "\(name.output.1)")
        }
    }

    /// Returns the names of an action and of the action inside it.
    private static func names(of action: Any) -> [String] {
        let children = Mirror(reflecting: action).children
        guard let child = children.first, let label = child.label else { return ["\(action)"] }
        return [label] + names(of: child.value)
    }

    @Test func everyClientOfSeed002IsADependency() {
        let ours = ["contactClient", "pingClient", "userClient"]
        // This doesn't compile unless each client exists under the seed's name.
        _ = [
            \DependencyValues.contactClient as PartialKeyPath<DependencyValues>,
            \DependencyValues.pingClient, \DependencyValues.userClient,
        ]
        let named = SeedDeclarations.dependentsClients.matches(of: #/var (\w+)/#)
        #expect(named.map { String($0.output.1) } == ours)
    }

    @Test func everyDifferenceIsExplained() throws {
        let features = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Docs/features.md"), encoding: .utf8)
        for (declaration, entry) in Self.differences {
            #expect(features.contains("**\(entry)"), "\(declaration)")
        }
    }
}
