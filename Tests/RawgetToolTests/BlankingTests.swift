import Glibc
import Replay
import TestSupport
import Testing

@testable import RawgetTool

@Suite("Secrets in what is written down (RFC 9110, sections 4.2.4 and 11.6; RFC 6265, section 4)")
struct BlankingTests {
    private func blanked(_ lines: [String]) -> [String] {
        let head = ["HTTP/1.1 200 OK"] + lines
        let result = Blanking.lines(head.map { .init(octets: Array($0.utf8), end: [0x0D, 0x0A]) })
        return result.dropFirst().map { String(decoding: $0.octets, as: UTF8.self) }
    }

    @Test(
        "go out of field lines; the rest of them stays",
        arguments: [
            ("Authorization: Basic c2VjcmV0", "Authorization: blanked"),
            ("proxy-authorization:x", "proxy-authorization:blanked"), ("Authorization: ", "Authorization: "),
            ("Authorization : x", "Authorization : blanked"), ("Cookie: a=b; c=d", "Cookie: blanked"),
            ("Set-Cookie: a=b=c; Path=/; Secure", "Set-Cookie: a=blanked; Path=/; Secure"),
            ("Set-Cookie: ; a=b", "Set-Cookie: blanked; a=b"), ("Set-Cookie: lone", "Set-Cookie: blanked"),
            ("Location: http://u:p@h/x", "Location: http://blanked:blanked@h/x"),
            ("Location: //u@h", "Location: //blanked@h"), ("Location: /x@y", "Location: /x@y"),
            ("Referer: http://u:p@h/", "Referer: http://blanked:blanked@h/"),
            (
                "Link: <http://u:p@h>; rel=a, <https://v:q@h/>",
                "Link: <http://blanked:blanked@h>; rel=a, <https://blanked:blanked@h/>"
            ),
            ("X: http://u:p@h/", "X: http://u:p@h/"), ("no colon", "no colon"), ("", ""),
        ])
    func fields(line: String, expected: String) { #expect(blanked([line]) == [expected]) }

    @Test("go out of lines that are folded (RFC 9112, section 5.2)")
    func folded() {
        #expect(
            blanked(["Set-Cookie: a=", "\ts3cret", " more", "X: y", " z"]) == [
                "Set-Cookie: a=blanked", " blanked", " blanked", "X: y", " z",
            ])
    }

    @Test(
        "go out of URLs, with a scheme and without",
        arguments: [
            ("http://u:p@h/a?b@c", "http://blanked:blanked@h/a?b@c"), ("http://u@h", "http://blanked@h"),
            ("u:p@h/x", "blanked:blanked@h/x"), ("http://h/u:p@x", "http://h/u:p@x"), ("h/a@b", "h/a@b"),
            ("http://u:p@q@h/", "http://blanked:blanked@h/"),
            ("http://u:pa/ss@h/", "http://blanked:blanked@h/"),
            ("http://[::1]:80/", "http://[::1]:80/"), ("http://u:p@[::1]/", "http://blanked:blanked@[::1]/"),
            ("http://@h/", "http://@h/"), ("", ""), ("http://", "http://"),
            ("http://h/?to=http://u:p@i/", "http://h/?to=http://blanked:blanked@i/"),
            ("h:80/a@b", "h:80/a@b"), ("http://h:80/a@b", "http://h:80/a@b"),
        ])
    func urls(url: String, expected: String) { #expect(Blanking.url(url) == expected) }

    @Test(
        "go out of URLs that are misspelled",
        arguments: [
            "http:/me:PW@h/x", "http:\\\\me:PW@h/x", "http:\\me:PW@h/x", "HTTP:me:PW@h", "http:me:PW@h/x",
            "//me:PW@h/x", "///me:PW@h", "://me:PW@h", "/me:PW@h", "me:PW@h/path", "http//me:PW@h/x",
            "http;//me:PW@h/x", "http/me:PW@h/x", "htp:/me:PW@h/x", "htp://me:PW@h", "http:///me:PW@h/",
            "http://http:/me:PW@h/", "http:https://me:PW@h/", " http://me:PW@h/", "http:// me:PW@h/",
            "ht tp:/ /me:PW@h/", "http:/\t/me:PW@h/", "http://me:P W@h/", "http://me:P\tW@h/",
            "http://me:PW%40h/", "http://me%3aPW%40h/", "http://me:P/W@h", "http://me:P?W@h",
            "http://me:P#W@h",
            "http://me:/PW@h/", "http://me:P\\W@h/", "http://h/?to=http:/me:PW@i",
            "http://h/?to=http:me:PW@i",
            "http://h/?to=http%3A%2F%2Fme%3APW%40i%2F&x=y", "http://h/?to=\\\\me:PW@i", "ftp:/me:PW@h",
        ])
    func misspelled(url: String) {
        let blanked = Blanking.url(url)
        let isRid = !["me", "PW", "P W", "P/W"].contains { blanked.firstRange(of: $0) != nil }
        #expect(isRid || url.hasPrefix("http://me:/"), "\(blanked)")
        #expect(blanked.firstRange(of: "W") == nil && blanked.firstRange(of: "blanked") != nil, "\(blanked)")
    }

    @Test("go out of URLs that servers misspell; paths stay")
    func misspelledFields() {
        let lines = [
            ("Location: http:/u:p@h/x", "Location: http:/blanked:blanked@h/x"),
            ("Location: http:\\\\u:p@h", "Location: http:\\\\blanked:blanked@h"),
            ("Refresh: 0;url=http:u:p@h/", "Refresh: 0;url=http:blanked:blanked@h/"),
            ("Location: /a/u:p@h", "Location: /a/u:p@h"), ("Location: u:p@h", "Location: u:p@h"),
        ]
        for (line, expected) in lines { #expect(blanked([line]) == [expected]) }
    }

    @Test(
        "of URLs that are misspelled are in no line of a fixture, which replays",
        arguments: [
            ["http:/me:s3cret@A/plain"], ["http:\\\\me:s3cret@A/plain"], ["HTTP:me:s3cret@A/x"],
            ["-X", "HUSH", "http:/me:s3cret@127.0.0.1/p", "--connect-to", "::127.0.0.1:PORT"],
            ["-X", "HUSH", "http//me:s3cret@127.0.0.1/p?q=//u:s3cret@h", "--connect-to", "::127.0.0.1:PORT"],
            ["-X", "HUSH", "http://A/x?to=http:/me:s3cret@i/"],
            ["-X", "HUSH", "http://A/x?to=http%3A%2F%2Fme%3As3cret%40i%2F"],
            ["--url=http:/me:s3cret@A/x"], ["--url", "//me:s3cret@A/x"], ["me:s3cret%40h/x"],
            ["--as-curl", "-e", "http:/me:s3cret@h", "http://A/x"], ["--referer=me:s3cret@h/", "http://A/x"],
            ["-H", "Referer: http:/me:s3cret@h", "http://A/x"], ["-K", "config"],
            ["http://A/x", "--next", "--resolve", "RESOLVE", "http:/me:s3cret@A/x"],
            ["--proto-default", "http", "me:s3cret@A/x"],
        ])
    func replayed(arguments: [String]) async throws {
        let rig = try RecordingRig()
        rig.folder.write(
            "url=\"http:/me:s3cret@h/\"\n--url me:s3cret%40h/\nurl: HTTP:me:s3cret@h\n-e http:\\\\me:s3cret@h\n",
            to: "config")
        let run = await rig.run(arguments.map { $0.replacing("PORT", with: "\(rig.first.port)") })
        let text = try rig.recorded()
        #expect(text.firstRange(of: "s3cret") == nil, "\(run.errors)\n\(text)")
        let problems = try await problems(playing: Array(text.utf8))
        #expect(problems == [], "\(problems)\n\(text)")
    }

    @Test(
        "go out of what -H and -b say",
        arguments: [
            ("Authorization: Bearer x", "Authorization: blanked"), ("X-Key: kept", "X-Key: kept"),
            ("cookie: a=b", "cookie: blanked=blanked"), ("Authorization:", "Authorization:"),
            ("Authorization;", "Authorization;"),
            ("Referer: http://u:p@h/", "Referer: http://blanked:blanked@h/"),
        ])
    func options(text: String, expected: String) { #expect(Blanking.field(text) == expected) }

    @Test func cookiesKeepTheirNames() {
        #expect(Blanking.cookies("a=1; b=2;c") == "a=blanked; b=blanked;blanked")
    }

    @Test("none is left in a fixture, wherever it stood")
    func everywhere() async throws {
        let rig = try RecordingRig()
        let secret = "s3cret"
        rig.folder.write(
            "Authorization: Bearer \(secret)\nProxy-Authorization: \(secret)\nCookie: x=\(secret)",
            to: "fields")
        rig.folder.write(
            "# -u a:\(secret)\nuser: \"b:\(secret)\"\n-b c=\(secret)\nheader = \"Authorization: \(secret)\"\nurl = http://u:\(secret)@\(rig.filled("A/"))x\n",
            to: "config")
        let lines = [
            ["-u", "me:\(secret)", "http://A/private"], ["-ume:\(secret)", "http://A/private"],
            ["--user=me:\(secret)", "http://A/private"], ["--oauth2-bearer", secret, "http://A/private"],
            ["http://me:\(secret)@A/private"], ["me:\(secret)@A/private"],
            ["--url", "http://me:\(secret)@A/x"],
            ["-b", "a=\(secret); b=\(secret)", "http://A/cookies"], ["-H", "@fields", "http://A/private"],
            ["-H", "Authorization: \(secret)", "-H", "Cookie: a=\(secret)", "http://A/private"],
            ["--as-curl", "-e", "http://x:\(secret)@h/", "http://A/small"],
            ["-K", "config"], ["-K", "config", "--next", "-u", "x:\(secret)", "http://A/moved"],
            ["-i", "http://A/moved"],
            ["-D", "d", "http://A/moved", "-w", "%{url_effective} %{redirect_url}"],
            ["--no-location", "http://A/moved", "-w", "%header{location}"],
            ["http://me:\(secret)@A/cookies", "-w", "%{json} %{url}"],
            ["-k", "--pass", secret, "-E", "x:\(secret)", "http://A/x"],
        ]
        for arguments in lines {
            unlink(rig.folder.path(of: "r.wire"))
            _ = await rig.run(arguments)
            let text = try rig.recorded()
            for word in [secret, "t0psecret", "bWU6czNjcmV0"] {
                #expect(text.firstRange(of: word) == nil, "\(arguments): \(word) in\n\(text)")
            }
        }
    }
}
