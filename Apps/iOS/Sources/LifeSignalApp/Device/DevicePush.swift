import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Features
import Foundation
import LifeSignalDevice
import UIKit
import UserNotifications

/// Push messages on this device: the permission, the token, and the registration. Stores the id of
/// the user who has asked for push messages. The device's next user gets none without asking, and
/// never sees a registration of an earlier session.
@MainActor
final class DevicePush {
    private enum Key {
        static let wantedBy = "push-wanted-by"
        static let putOffBy = "push-put-off-by"
    }

    private let clients: LiveClients
    private let defaults: UserDefaults
    /// The folder shared with the notification service extension.
    private let folder: URL
    /// True if Apple has entitled this build to critical alerts.
    private let allowsCritical = DeviceConfiguration()?.allowsCritical == true
    private var readers: [Int: AsyncStream<PushStatus>.Continuation] = [:]
    private var lastReader = 0
    /// Nil before the first registration, and after `turnOff`.
    private var registration: PushRegistration?
    /// True while the system asks for the permission, which makes the app inactive.
    private var isAsking = false
    /// Nil before the first report.
    private var reportedPermission: PushStatus.Permission?

    init(clients: LiveClients, folder: URL, defaults: UserDefaults = .standard) {
        (self.clients, self.folder, self.defaults) = (clients, folder, defaults)
    }

    var client: PushClient {
        PushClient(
            status: { [weak self] in self?.statusStream() ?? .finished },
            turnOn: { [weak self] in await self?.turnOn() },
            turnOff: { [weak self] in await self?.turnOff() },
            putOff: { [weak self] in await self?.putOff() })
    }

    nonisolated private func statusStream() -> AsyncStream<PushStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PushStatus.self, bufferingPolicy: .bufferingNewest(1))
        Task { await add(continuation) }
        return stream
    }

    private func add(_ reader: AsyncStream<PushStatus>.Continuation) async {
        lastReader += 1
        let number = lastReader
        readers[number] = reader
        reader.onTermination = { [weak self] _ in
            Task { @MainActor in self?.readers[number] = nil }
        }
        await refresh()
    }

    /// Registers at each launch, because the system may have changed the token.
    func refresh() async {
        if await isUsed(by: await signedIn()) {
            UIApplication.shared.registerForRemoteNotifications()
        }
        await report()
        await forgetUnused()
    }

    /// Removes this device's registration while the person wants no messages or iOS shows none.
    /// Otherwise the server would count this device as one that its user hears. `retry` repeats a
    /// removal that has failed.
    private func forgetUnused() async {
        guard let signedIn = await signedIn(), await !isUsed(by: signedIn) else { return }
        registration = nil
        await clients.forgetPushEndpoint()
        // The person may have turned messages on during the request.
        if await isUsed(by: signedIn) { UIApplication.shared.registerForRemoteNotifications() }
    }

    /// Registers or removes the registration, and reports, if the person has changed the permission
    /// in the system's settings. Otherwise retries.
    func checkSettings() async {
        guard !isAsking else { return }
        await clearIfSignedOut()
        if let reportedPermission, await permission() != reportedPermission {
            await refresh()
        } else {
            await retry()
        }
    }

    /// Stops the messages for a user who has signed out, and removes those that are shown.
    /// After a sign-out without a connection, the server still sends them.
    func clearIfSignedOut() async {
        do {
            guard try await clients.start() == nil else { return }
        } catch {
            // Until the phone is first unlocked, the keychain can't say who is signed in.
            return
        }
        MessageRecipient.write(nil, in: folder)
        UIApplication.shared.unregisterForRemoteNotifications()
        await PressNotice.removeAllOthers()
        await IconBadge.show(0)
        defaults.removeObject(forKey: Key.wantedBy)
        registration = nil
        await report()
    }

    /// Registers again if this session's last registration failed, and repeats a removal that has
    /// failed.
    func retry() async {
        guard !isAsking else { return }
        await forgetUnused()
        guard let registration, registration.endpoint == nil,
            registration.belongs(to: await signedIn())
        else { return }
        await refresh()
    }

    /// Retries each time the connection returns.
    func followConnection() async {
        @Dependency(\.connectivityClient) var connectivityClient
        var wasOnline = true
        for await status in connectivityClient.status() {
            if status.isOnline, !wasOnline { await retry() }
            wasOnline = status.isOnline
        }
    }

    private func turnOn() async {
        // Stored before the question: after a refusal, the person may still allow messages in the
        // system's settings.
        defaults.set(await signedIn()?.userID.description, forKey: Key.wantedBy)
        defaults.removeObject(forKey: Key.putOffBy)
        guard await requestAuthorization() else { return await report() }
        UIApplication.shared.registerForRemoteNotifications()
    }

    /// Shows the system's question, unless the person has answered it. Returns whether the system
    /// shows notifications.
    private func requestAuthorization() async -> Bool {
        var options: UNAuthorizationOptions = [.alert, .sound, .badge]
        // Critical alerts are requested only with the entitlement, because otherwise the system
        // refuses the whole request.
        if allowsCritical { options.insert(.criticalAlert) }
        isAsking = true
        defer { isAsking = false }
        let center = UNUserNotificationCenter.current()
        return (try? await center.requestAuthorization(options: options)) ?? false
    }

    /// Asks for critical alerts if the person allowed notifications before Apple's grant. The app
    /// must be active.
    func askForCriticalAlerts() async {
        guard !isAsking, allowsCritical else { return }
        let isUsed = await isUsed(by: await signedIn())
        let settings = await UNUserNotificationCenter.current().notificationSettings()
        guard !isAsking,
            PushRegistration.lacksCriticalAlerts(
                isUsed: isUsed, allowsCritical: allowsCritical, settings.criticalAlertSetting)
        else { return }
        _ = await requestAuthorization()
    }

    private func turnOff() async {
        defaults.removeObject(forKey: Key.wantedBy)
        defaults.set(await signedIn()?.userID.description, forKey: Key.putOffBy)
        UIApplication.shared.unregisterForRemoteNotifications()
        await clients.forgetPushEndpoint()
        registration = nil
        await report()
    }

    private func putOff() async {
        defaults.set(await signedIn()?.userID.description, forKey: Key.putOffBy)
        await report()
    }

    func registered(token: Data, in environment: APNsEnvironment) async {
        guard let signedIn = await signedIn(), await isUsed(by: signedIn) else { return }
        MessageRecipient.write(signedIn.userID, in: folder)
        let text = token.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
        let hex = text.joined()
        do {
            let endpoint = try await clients.registerApp(token: hex, in: environment)
            registration = PushRegistration(of: signedIn, token: hex, endpoint: endpoint)
        } catch {
            registration = PushRegistration(of: signedIn, token: hex, endpoint: nil)
                .afterFailure(UserFacingError(catching: error), earlier: registration)
        }
        await report()
    }

    func failed() async {
        registration = await signedIn().map { PushRegistration(of: $0, endpoint: nil) }
        await report()
    }

    private func report() async {
        let signedIn = await signedIn()
        let permission = await permission()
        reportedPermission = permission
        let status = PushStatus(
            permission, registration, of: signedIn,
            isPutOff: isStored(signedIn, Key.putOffBy))
        for reader in readers.values { reader.yield(status) }
    }

    private func permission() async -> PushStatus.Permission {
        let settings = await UNUserNotificationCenter.current().notificationSettings()
        return switch settings.authorizationStatus {
        case .notDetermined: .undecided
        case .denied: .denied
        case .authorized, .provisional, .ephemeral: .granted
        @unknown default: .undecided
        }
    }

    private func isUsed(by signedIn: SignedIn?) async -> Bool {
        let permission = await permission()
        return PushRegistration.isUsed(
            isWanted: isStored(signedIn, Key.wantedBy), permission: permission)
    }

    private func isStored(_ signedIn: SignedIn?, _ key: String) -> Bool {
        guard let signedIn else { return false }
        return defaults.string(forKey: key) == signedIn.userID.description
    }

    private func signedIn() async -> SignedIn? {
        @Dependency(\.authClient) var authClient
        return await authClient.session()
    }
}
