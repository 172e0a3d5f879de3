import ArgumentParser
import CommandLine
import Foundation
import QRCode

struct QR: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show your own code; make and read others.",
        subcommands: ClientCommands.ownCode + [Encode.self, Decode.self]
    )

    struct Encode: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Write a text as a QR code.")

        @Argument(help: "The text.")
        var text: String

        @Option(name: .shortAndLong, help: "The PNG file to write.")
        var output: String

        func run() throws {
            let image = try QRCode.encode(text)
            do { try image.png.write(to: URL(fileURLWithPath: output)) } catch {
                throw Failure("\(output) can't be written: \(error.localizedDescription)")
            }
        }
    }

    struct Decode: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the text of the QR code in a picture.",
            discussion: "PNG or JPEG; a photo of a screen or of paper too."
        )

        @Argument(help: "The picture.")
        var file: String

        func run() throws {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw Failure("\(file) can't be read.")
            }
            let text = try QRCode.decode(bytes)
            // A pipe gets the text as it is.
            Terminal.printLine(isatty(STDOUT_FILENO) == 0 ? text : Plain.text(text))
        }
    }
}
