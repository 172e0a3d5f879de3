import Foundation

/// A command of `lifesignal admin`, as it is sent to the server through the local socket.
public enum AdminRequest: Codable, Equatable, Sendable {
    /// - `search`: the beginning of a number or of a name; nil for everyone.
    /// - `after`: `next` of the previous page; nil for the first page.
    case people(search: String?, after: String?, limit: Int)
    /// - `number`: a phone number or an account's id, here and below.
    case person(number: String)
    /// - `after`: `next` of the previous answer, to examine further people; nil to begin.
    case stuck(after: String?)
    case alert(id: String)
    /// - `number`: nil for the acts about everyone.
    case log(number: String?, limit: Int)
    case lock(number: String, reason: String)
    case unlock(number: String, reason: String)
    case delete(number: String, reason: String)
    case announce(text: String, maintenance: Maintenance?, reason: String)
    case test(channel: AdminTestChannel, to: String, reason: String)
    /// - `recoveryCode`: a code of the person, which skips the wait; nil to wait.
    case move(number: String, to: String, reason: String, recoveryCode: String? = nil)
    case export(number: String, reason: String)
    /// - `file`: the export of the other server.
    case importPerson(file: AccountExport, reason: String)
    /// - `number`: the number that the token signs in once; nil for a token that opens accounts.
    case invite(number: String?, uses: Int, days: Int, note: String, reason: String)
    case tokens
    case revoke(id: String, reason: String)
    /// - `from`: the fingerprint of the key in the key file.
    /// - `to`: the bytes of the new key.
    case rotateKey(from: Int64, to: Data, reason: String)
    /// Asks what `forgetKeys` would end.
    case formerKeys
    case forgetKeys(reason: String)
    /// Asks for the answer of `/health/ready`.
    case health
}

/// What `admin test` sends by.
public enum AdminTestChannel: String, Codable, Sendable, CaseIterable {
    case sms, mail, call, push
}
