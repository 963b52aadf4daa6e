import Testing

@testable import URLLoading

@Suite("The folders of the user (D22)")
struct UserFoldersTests {
    @Test(
        "caches are where XDG_CACHE_HOME says, else in the home, by HOME or by the list of users",
        arguments: [
            (["XDG_CACHE_HOME": "/c", "HOME": "/h"], "/u", "/c"),
            (["XDG_CACHE_HOME": "/c//"], nil, "/c"),
            (["XDG_CACHE_HOME": "/"], nil, "/"),
            (["HOME": "/h"], "/u", "/h/.cache"),
            (["HOME": "/h/"], nil, "/h/.cache"),
            (["HOME": "/"], nil, "/.cache"),
            ([:], "/u", "/u/.cache"),
            (["XDG_CACHE_HOME": "c", "HOME": "h"], "/u", "/u/.cache"),
            (["XDG_CACHE_HOME": "", "HOME": ""], "/u", "/u/.cache"),
            (["XDG_CACHE_HOME": "~/c"], nil, nil),
            ([:], "u", nil),
            ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func caches(_ variables: [String: String], _ home: String?, _ expected: String?) {
        let folders = UserFolders(environment: { variables[$0] }, homeOfUser: { home })
        #expect(folders.cachesFolder == expected)
    }

    @Test("those of this process are absolute")
    func current() {
        #expect(UserFolders.caches == UserFolders.current.cachesFolder)
        #expect(UserFolders.caches?.hasPrefix("/") ?? true)
    }
}
