import API
import Domain
import Testing

@Suite struct RoutesTests {
    /// The promised routes of version 1.
    static let promised: [(path: String, methods: Set<String>)] = [
        ("/v1/auth/codes", ["POST"]), ("/v1/auth/sessions", ["GET", "POST"]),
        ("/v1/auth/tokens", ["POST"]), ("/v1/auth/options", ["GET"]),
        ("/v1/auth/sessions/{id}", ["DELETE"]), ("/v1/auth/sessions/current", ["DELETE"]),
        ("/v1/me", ["GET", "PATCH", "DELETE"]), ("/v1/me/export", ["GET"]),
        ("/v1/me/picture", ["PUT", "DELETE"]), ("/v1/pictures/{id}", ["GET"]),
        ("/v1/me/phone-number", ["POST"]), ("/v1/me/deletion-codes", ["POST"]),
        ("/v1/me/phone-number-codes", ["POST"]),
        ("/v1/me/email", ["GET", "PUT", "DELETE"]), ("/v1/me/email/confirmation", ["POST"]),
        ("/v1/me/check-in-settings", ["PUT"]), ("/v1/me/pause", ["PUT", "DELETE"]),
        ("/v1/me/journey", ["PUT"]), ("/v1/journeys/{id}/return", ["PUT"]),
        ("/v1/journeys/{id}/arrival", ["PUT"]), ("/v1/journeys/{id}", ["PUT"]),
        ("/v1/me/qr-code", ["GET", "POST"]),
        ("/v1/me/qr-code.png", ["GET"]),
        ("/v1/qr-codes/{id}", ["GET"]), ("/v1/qr-codes/{id}/name", ["GET"]),
        ("/v1/qr-codes/decode", ["POST"]),
        ("/v1/check-ins/{id}", ["PUT"]), ("/v1/check-ins", ["GET"]),
        ("/v1/sources", ["GET", "POST"]), ("/v1/sources/{id}", ["DELETE"]),
        ("/s/{secret}", ["POST"]),
        ("/v1/contacts", ["GET", "POST"]), ("/v1/contacts/{id}", ["PATCH", "DELETE"]),
        ("/v1/contacts/{id}/quietly", ["DELETE"]),
        ("/v1/contacts/{id}/requests/responder", ["PUT", "DELETE"]),
        ("/v1/contacts/{id}/requests/dependent", ["PUT", "DELETE"]),
        ("/v1/blocks", ["GET"]), ("/v1/blocks/{id}", ["PUT", "DELETE"]),
        ("/v1/invitations", ["GET", "POST"]), ("/v1/invitations/{id}", ["DELETE"]),
        ("/v1/pings/{id}", ["PUT", "DELETE"]), ("/v1/pings", ["GET"]),
        ("/v1/pings/{id}/response", ["POST"]), ("/v1/pings/responses", ["POST"]),
        ("/v1/drills", ["GET"]), ("/v1/drills/{id}", ["PUT"]),
        ("/v1/drills/{id}/end", ["POST"]), ("/v1/drills/{id}/answer", ["POST"]),
        ("/v1/alerts/{id}", ["PUT", "GET"]), ("/v1/alerts", ["GET"]),
        ("/v1/alerts/{id}/end", ["POST"]),
        ("/v1/alerts/{id}/acknowledgement", ["POST", "DELETE"]),
        ("/v1/alerts/{id}/report", ["PUT", "DELETE"]),
        ("/v1/alerts/{id}/refusal", ["POST"]),
        ("/v1/alerts/{id}/opening", ["POST"]), ("/v1/alert-passes", ["POST"]),
        ("/v1/responder-order", ["PUT"]),
        ("/v1/notifications", ["GET", "DELETE"]), ("/v1/notifications/{id}/read", ["POST"]),
        ("/v1/notifications/read", ["POST"]),
        ("/v1/notifications/{id}", ["DELETE"]), ("/v1/notification-preferences", ["GET", "PUT"]),
        ("/v1/devices", ["GET"]),
        ("/v1/devices/{id}", ["PUT", "DELETE"]), ("/v1/devices/{id}/test", ["POST"]),
        ("/v1/push-key", ["GET"]), ("/v1/receipts", ["POST"]),
        ("/v1/auth/passkey-requests", ["POST"]), ("/v1/auth/passkey-sessions", ["POST"]),
        ("/v1/me/passkeys", ["GET", "POST"]), ("/v1/me/passkey-requests", ["POST"]),
        ("/v1/me/passkeys/{id}", ["PATCH", "DELETE"]),
        ("/v1/me/sign-in-security", ["GET"]), ("/v1/me/sign-in-lock", ["PUT"]),
        ("/v1/me/sign-in-lock/end", ["POST"]), ("/v1/me/sign-in-wait/end", ["POST"]),
        ("/v1/me/recovery-codes", ["POST"]),
        ("/v1/me/administration", ["GET"]), ("/v1/me/number-move", ["DELETE"]),
        ("/v1/events", ["GET"]), ("/health/live", ["GET"]), ("/health/ready", ["GET"]),
        ("/metrics", ["GET"]), ("/openapi.json", ["GET"]),
    ]

    @Test func routesMatchTheDesign() {
        let present = Set(Routes.all.map { "\($0.method.rawValue) \($0.path)" })
        let promised = Set(
            Self.promised.flatMap { line in line.methods.map { "\($0) \(line.path)" } })
        #expect(present.subtracting(promised) == [])
        #expect(promised.subtracting(present) == [])
        #expect(present.count == Routes.all.count)
    }

    @Test func onlySignInAndOperatorRoutesAreOpen() {
        let open = Set(Routes.all.filter { $0.access == .anyone }.map(\.path))
        #expect(
            open == [
                "/v1/auth/codes", "/v1/auth/sessions", "/v1/auth/tokens", "/v1/receipts",
                "/v1/auth/options", "/v1/auth/passkey-requests", "/v1/auth/passkey-sessions",
                "/v1/qr-codes/{id}/name", "/s/{secret}",
                "/health/live",
                "/health/ready", "/metrics", "/openapi.json",
            ])
        #expect(Routes.sessions.endpoint.access == .session)
    }

    /// Clients retry a repeatable POST after a lost response.
    @Test func onlyPostsThatSettleSomethingAreRepeatable() {
        let posts = Routes.all.filter { $0.method == .post && $0.isRepeatable }
        #expect(
            Set(posts.map(\.operationID)) == [
                "respondToPing", "respondToAllPings", "endAlert", "openAlert", "acknowledgeAlert",
                "declineAlert", "answerDrill", "stopDrill", "readNotification",
                "readAllNotifications", "decodeQRCode",
            ])
        #expect(!Routes.updateProfile.endpoint.isRepeatable)
        #expect(Routes.checkIn.endpoint.isRepeatable && Routes.raiseAlert.endpoint.isRepeatable)
    }

    /// The rest stays: calls for help, check-ins, and operations that take something back.
    @Test func lockStopsWhatAddsSomething() {
        func operations(_ lock: Endpoint.Lock) -> Set<String> {
            Set(Routes.all.filter { $0.lock == lock }.map(\.operationID))
        }
        #expect(
            operations(.whole) == [
                "putPicture", "sendNumberCode", "changePhoneNumber", "setEmail", "confirmEmail",
                "addSource", "addContact", "invite", "ping", "startDrill",
            ])
        #expect(
            operations(.partly) == [
                "updateProfile", "changeRoles", "acceptResponder", "acceptDependent",
            ])
        for endpoint in Routes.all {
            #expect(endpoint.isStoppedByLock == endpoint.allErrors.contains(.accountLocked))
            #expect(!endpoint.isStoppedInPart || endpoint.isStoppedByLock)
        }
    }

    @Test func errorStatusesAndTitlesAreUnique() {
        #expect(Set(ErrorCode.allCases.map(\.status)).count == ErrorCode.allCases.count)
        #expect(Set(ErrorCode.allCases.map(\.title)).count == ErrorCode.allCases.count)
        let table: [ErrorCode: Int] = [
            .unauthenticated: 401, .permissionDenied: 403, .notFound: 404, .alreadyExists: 409,
            .invalidArgument: 422, .accountLocked: 423, .payloadTooLarge: 413,
            .rateLimited: 429, .unavailable: 503, .methodNotAllowed: 405,
            .unsupportedMediaType: 415, .internal: 500,
        ]
        for code in ErrorCode.allCases { #expect(code.status == table[code]) }
    }

    @Test(arguments: Routes.all.map(\.operationID)) func routesListTheirCommonErrors(
        operationID: String
    ) throws {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        #expect(
            endpoint.allErrors.contains(.unauthenticated)
                == (endpoint.access == .session || endpoint.errors.contains(.unauthenticated)))
        #expect(endpoint.allErrors.contains(.payloadTooLarge) == (endpoint.input != .none))
        #expect(Set(endpoint.allErrors).isSuperset(of: [.rateLimited, .unavailable]))
        #expect(!endpoint.allErrors.contains(.internal))
    }
}
