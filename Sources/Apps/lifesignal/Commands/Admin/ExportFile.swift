import CommandLine
import Foundation
import Persistence

/// The file of `admin export`. It gets its space before the server is asked, because the server
/// tells the person of the export with its answer.
struct ExportFile {
    /// In bytes. A person's usual export is smaller; a long history may need more.
    private static let reserve = 1 << 20

    let path: String

    /// Makes the file, for this user alone, with space for a usual export. It must not exist yet.
    func make() throws(AdminFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure(errno) }
            throw AdminFailure(
                code: "exists", message: "\(path) exists already. Give another name.",
                status: .usage)
        }
        defer { close(descriptor) }
        if let error = Self.error(writing: Data(count: Self.reserve), to: descriptor) {
            throw failure(error)
        }
    }

    /// Replaces the reserved space with the export.
    func fill(with export: Data) throws(AdminFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, isPersonTold: true) }
        defer { close(descriptor) }
        if let error = Self.error(writing: export, to: descriptor) {
            throw failure(error, isPersonTold: true)
        }
    }

    /// Writes the whole content of a file. Returns the system's error; nil after a success.
    private static func error(writing content: Data, to descriptor: Int32) -> Int32? {
        content.withUnsafeBytes { bytes -> Int32? in
            var done = 0
            while done < bytes.count {
                let written = write(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if written > 0 {
                    done += written
                } else if written == 0 || errno != EINTR {
                    return written == 0 ? ENOSPC : errno
                }
            }
            guard ftruncate(descriptor, off_t(bytes.count)) == 0, fsync(descriptor) == 0 else {
                return errno
            }
            return nil
        }
    }

    private func failure(_ error: Int32, isPersonTold: Bool = false) -> AdminFailure {
        var message = "\(path) can't be written: \(String(cString: strerror(error)))."
        if [ENOSPC, EDQUOT, EFBIG].contains(error) {
            message = "\(DatabaseError.noRoomForCopy(path: path))"
        }
        if isPersonTold {
            message += " No file was made, but the person was told of it, and the log has it."
        }
        return AdminFailure(code: "storage", message: message, status: .failed)
    }
}
