import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation
import LifeSignalDevice
import UIKit
import UserNotifications

/// Push messages on this device: the permission, the token, and the registration. Stores the id of
/// the user who has asked for push messages. The device's next user gets none without asking.
@MainActor
final class DevicePush {
    private enum Key {
        static let wantedBy = "push-wanted-by"
        static let putOffBy = "push-put-off-by"
    }

    private let clients: LiveClients
    private let defaults: UserDefaults
    private var readers: [Int: AsyncStream<PushStatus>.Continuation] = [:]
    private var lastReader = 0
    private var endpoint: PushEndpointID?
    private var hasFailed = false

    init(clients: LiveClients, defaults: UserDefaults = .standard) {
        (self.clients, self.defaults) = (clients, defaults)
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
        if await permission() == .granted, await isWanted() {
            UIApplication.shared.registerForRemoteNotifications()
        }
        await report()
    }

    private func turnOn() async {
        let center = UNUserNotificationCenter.current()
        var options: UNAuthorizationOptions = [.alert, .sound, .badge]
        // Critical alerts are requested only with the entitlement, because otherwise the system
        // refuses the whole request.
        if DeviceConfiguration()?.allowsCritical == true { options.insert(.criticalAlert) }
        let isAllowed = try? await center.requestAuthorization(options: options)
        guard isAllowed == true else { return await report() }
        defaults.set(await userID(), forKey: Key.wantedBy)
        defaults.removeObject(forKey: Key.putOffBy)
        UIApplication.shared.registerForRemoteNotifications()
    }

    private func turnOff() async {
        defaults.removeObject(forKey: Key.wantedBy)
        defaults.set(await userID(), forKey: Key.putOffBy)
        UIApplication.shared.unregisterForRemoteNotifications()
        await clients.forgetPushEndpoint()
        endpoint = nil
        await report()
    }

    private func putOff() async {
        defaults.set(await userID(), forKey: Key.putOffBy)
        await report()
    }

    func registered(token: Data, in environment: APNsEnvironment) async {
        guard await isWanted() else { return }
        let text = token.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
        do {
            endpoint = try await clients.registerApp(token: text.joined(), in: environment)
            hasFailed = false
        } catch {
            hasFailed = true
        }
        await report()
    }

    func failed() async {
        hasFailed = true
        await report()
    }

    private func report() async {
        let user = await userID()
        let status = PushStatus(
            await permission(), endpoint: user == nil ? nil : endpoint,
            isPutOff: user != nil && defaults.string(forKey: Key.putOffBy) == user,
            hasFailed: hasFailed)
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

    private func isWanted() async -> Bool {
        let user = await userID()
        return user != nil && defaults.string(forKey: Key.wantedBy) == user
    }

    private func userID() async -> String? {
        @Dependency(\.authClient) var authClient
        return await authClient.session()?.userID.description
    }
}
