import Foundation

@testable import Settings

let catalogue = SettingCatalogue(
    prefix: "EXAMPLE_",
    [
        "host", "key-file", "mail-user", "port", Setting("country"),
        Setting("log-level", isReread: true), Setting("numbers", isList: true),
        Setting("key", isSecret: true), Setting("mail-password", isSecret: true),
        Setting("server", of: .client), Setting("seed", of: .tool),
    ])

func settingsFile(_ text: String) throws -> SettingsFile {
    try SettingsFile(path: "settings.yaml", text: text, catalogue: catalogue)
}

func loaded(
    _ environment: [String: String] = [:], file text: String = ""
) throws -> SettingValues {
    try SettingValues(environment: environment, file: try settingsFile(text), catalogue: catalogue)
}

/// A file of its own for a test, with permissions. It is removed with the folder.
func withFile(
    _ text: String, mode: Int, _ body: (_ path: String) throws -> Void
) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "settings-\(ProcessInfo.processInfo.processIdentifier)-\(UInt64.random(in: 0...(.max)))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("file").path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    try body(path)
}
