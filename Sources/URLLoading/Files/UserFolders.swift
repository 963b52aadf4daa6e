import System

/// The folders of the user who runs the program, as the XDG Base Directory Specification has them.
///
/// This is the one file of the library that reads the environment.
public struct UserFolders: Sendable {
    /// Where the user keeps what can be got again (D22): `XDG_CACHE_HOME`, else `~/.cache`. An absolute path without a
    /// slash at its end; `nil` where the user has no home. The folder need not be there.
    public static var caches: String? { current.cachesFolder }

    /// As the environment was at the first look.
    static let current = UserFolders(
        environment: ProcessEnvironment.variable, homeOfUser: { ProcessEnvironment.homeOfUser })

    /// The same as `caches`.
    let cachesFolder: String?

    /// The folders by these variables, and the home that the system knows. A path that is not absolute counts as none.
    init(environment: (String) -> String?, homeOfUser: () -> String?) {
        func folder(_ path: String?) -> String? {
            guard let path, path.hasPrefix("/") else { return nil }
            let end = path.utf8.lastIndex { $0 != 0x2F }
            return end.map { String(path[...$0]) } ?? ""
        }
        if let caches = folder(environment("XDG_CACHE_HOME")) {
            cachesFolder = caches.isEmpty ? "/" : caches
        } else {
            let home = folder(environment("HOME")) ?? folder(homeOfUser())
            cachesFolder = home.map { "\($0)/.cache" }
        }
    }
}
