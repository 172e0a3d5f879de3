import ArgumentParser
import Clients
import Domain
import Foundation

/// `lifesignal qr show`.
public struct ShowQRCode: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Draw your own code in the terminal, for someone's camera. Needs a connection.",
        discussion: """
            Anyone with the code or its link can become your responder at once, see when you check \
            in, and read your emergency note. After --renew the old code no longer works.
            """)

    @OptionGroup var client: ClientOptions

    @Flag(help: "Make a new code first.")
    var renew = false

    @Flag(help: "Draw the link that any camera app opens, not the code for LifeSignal.")
    var anyCamera = false

    @Flag(help: "Draw for dark terminals, even when piped.")
    var invert = false

    public init() {}

    public func run() async throws { try await ClientRun.locked(client, perform) }

    func perform(_ session: ClientSession) async throws -> Report {
        let code =
            renew
            ? try await session.values.userClient.renewQRCode()
            : try await session.values.userClient.qrCode()
        let drawing = QRDrawing(
            image: try await session.values.qrCodeClient.generateQRCode(
                code.text(for: anyCamera ? .anyCamera : .lifeSignal)))
        let isTerminal = ClientProcess.isTerminal(STDOUT_FILENO)
        var lines = drawing.lines(
            isTerminal && !invert ? .coloured : invert ? .lightOnDark : .darkOnLight)
        let size = ClientProcess.size
        var shortage: String?
        if isTerminal {
            shortage = drawing.shortage(of: size.rows, isForAnyCamera: anyCamera)
        }
        if isTerminal, size.columns < drawing.width {
            shortage = nil
            lines = [
                """
                This terminal is too narrow: it needs \(drawing.width) columns. Make it wider, or \
                use lifesignal qr save FILE.
                """
            ]
        }
        return Report(
            lines: lines + ["", code.id, code.shareLink.absoluteString]
                + [shortage].compactMap(\.self),
            json: CodeView(code))
    }
}

/// `lifesignal qr save FILE`.
public struct SaveQRCode: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Write your own code as a PNG picture. Needs a connection.",
        discussion: """
            Only you can read the file: anyone with the code can become your responder at once, \
            see when you check in, and read your emergency note.
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The PNG file to write.")
    var file: String

    @Flag(help: "Make a new code first. The old one stops working.")
    var renew = false

    @Flag(help: "Draw the link that any camera app opens, not the code for LifeSignal.")
    var anyCamera = false

    @Flag(help: "Overwrite an existing file.")
    var force = false

    public init() {}

    public func run() async throws { try await ClientRun.locked(client, perform) }

    func perform(_ session: ClientSession) async throws -> Report {
        guard force || !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(
                .usage, "exists", title: "The file already exists",
                "\(Plain.line(file)) was not changed.", "Give another name, or --force.")
        }
        let code =
            renew
            ? try await session.values.userClient.renewQRCode()
            : try await session.values.userClient.qrCode()
        let image = try await session.values.qrCodeClient.generateQRCode(
            code.text(for: anyCamera ? .anyCamera : .lifeSignal))
        do {
            try image.png.write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CommandFailure(
                .failed, "storage", title: "The picture can't be written",
                "\(Plain.line(file)) can't be written.", "Check the folder and its rights.")
        }
        return Report(
            lines: ["Your code is in \(Plain.line(file))."], json: CodeView(code, file: file))
    }
}

private struct CodeView: Encodable, Sendable {
    var id: String
    var payload: String
    var shareLink: String
    var createdAt: Date
    var file: String?

    init(_ code: QRCodeInfo, file: String? = nil) {
        (id, payload, shareLink, createdAt) = (
            code.id, code.payload, code.shareLink.absoluteString, code.createdAt
        )
        self.file = file
    }
}
