import HTTPMessage
import Testing

@Suite("Challenges (RFC 9110, section 11.3)")
struct ChallengeTests {
    /// The challenges of one line, each as its scheme, token68 and parameters, the values in quotes.
    private func read(_ value: String) -> [String] {
        Challenge.all(in: ["WWW-Authenticate": value], of: .wwwAuthenticate).map(text)
    }

    private func text(_ challenge: Challenge) -> String {
        let parameters = challenge.parameters.all.map { "\($0.name)=\"\($0.value)\"" }
        return ([challenge.scheme] + (challenge.token68.map { [$0] } ?? []) + parameters).joined(
            separator: " ")
    }

    @Test(
        "the examples of the RFCs",
        arguments: [
            // RFC 9110, section 11.6.1
            (
                #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
                [#"basic realm="simple""#, #"newauth realm="apps" type="1" title="Login to "apps"""#]
            ),
            (
                #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
                [#"newauth realm="apps" type="1" title="Login to "apps"""#, #"basic realm="simple""#]
            ),
            // RFC 7617, sections 2 and 2.1
            (#"Basic realm="WallyWorld""#, [#"basic realm="WallyWorld""#]),
            (#"Basic realm="foo", charset="UTF-8""#, [#"basic realm="foo" charset="UTF-8""#]),
            // RFC 7616, section 3.9.1
            (
                #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, opaque="FQhe""#,
                [
                    #"digest realm="http-auth@example.org" qop="auth, auth-int" algorithm="SHA-256" opaque="FQhe""#
                ]
            ),
        ])
    func examples(_ value: String, _ expected: [String]) { #expect(read(value) == expected) }

    @Test(
        "a comma divides parameters and challenges, empty members count as none",
        arguments: [
            ("Basic", ["basic"]),
            ("Negotiate, Basic", ["negotiate", "basic"]),
            ("Negotiate, NTLM , Basic realm=x", ["negotiate", "ntlm", #"basic realm="x""#]),
            (", ,Basic ,, realm=x,, ,charset=y, ,", [#"basic realm="x" charset="y""#]),
            ("Basic realm = x ,charset= y", [#"basic realm="x" charset="y""#]),
            ("Basic\trealm=x", [#"basic realm="x""#]),
            ("Basic   realm=x", [#"basic realm="x""#]),
            (#"A b="1,2", C d="e=f, g", h=i"#, [#"a b="1,2""#, #"c d="e=f, g" h="i""#]),
            ("BASIC REALM=X", [#"basic realm="X""#]),
            ("", []), (",", []), ("  ", []),
        ])
    func commas(_ value: String, _ expected: [String]) { #expect(read(value) == expected) }

    @Test(
        "a value alone behind the scheme is a token68",
        arguments: [
            ("Negotiate YII/+w==", ["negotiate YII/+w=="]),
            ("Negotiate abc=, Basic realm=x", ["negotiate abc=", #"basic realm="x""#]),
            ("Basic realm=x, Negotiate abc", [#"basic realm="x""#, "negotiate abc"]),
            ("NTLM TlRMTVNT~-._/+ ", ["ntlm TlRMTVNT~-._/+"]),
            ("A b=c", [#"a b="c""#]), ("A b = c", [#"a b="c""#]),
            ("A b==c", [#"a b="=c""#]),
        ])
    func token68(_ value: String, _ expected: [String]) { #expect(read(value) == expected) }

    @Test(
        "what servers get wrong is read as browsers do",
        arguments: [
            ("Basic realm=My server (1), charset=x", [#"basic realm="My server (1)" charset="x""#]),
            (#"Basic realm="not closed, Digest a=b"#, [#"basic realm="not closed, Digest a=b""#]),
            (#"Basic realm="x" y, charset=z"#, [#"basic realm="x" charset="z""#]),
            (#"Basic charset=z, realm="#, [#"basic charset="z" realm="""#]),
            ("Negotiate Basic realm=x", ["negotiate", #"basic realm="x""#]),
            ("Basic realm=\u{E9}", ["basic realm=\"\u{E9}\""]),
            ("Basic realm=\"a\u{0}b\"", ["basic realm=\"a\u{0}b\""]),
            (#"Basic realm="\"#, [#"basic realm="\""#]),
        ])
    func leniency(_ value: String, _ expected: [String]) { #expect(read(value) == expected) }

    @Test(
        "what cannot be read ends its line",
        arguments: [
            (#"Basic realm="x", "y", Digest a=b"#, [#"basic realm="x""#]),
            ("Basic realm=x, =y, Digest a=b", [#"basic realm="x""#]),
            ("Basic, Di/gest a=b", ["basic"]), ("(", []), (#""Basic""#, []), ("realm=x", []),
            ("Basic: realm=x", []), ("Basic;realm=x", []), ("\u{0}", []),
        ])
    func garbage(_ value: String, _ expected: [String]) { #expect(read(value) == expected) }

    @Test("several lines are read one by one")
    func lines() {
        let fields: HTTPFields = [
            "WWW-Authenticate": "Negotiate", "Proxy-Authenticate": "Basic realm=proxy",
            "www-authenticate": #"Basic realm="open"#, "WWW-Authenticate": "(",
            "WWW-AUTHENTICATE": "Digest a=b",
        ]
        #expect(
            Challenge.all(in: fields, of: .wwwAuthenticate).map(text)
                == ["negotiate", #"basic realm="open""#, #"digest a="b""#])
        #expect(Challenge.all(in: fields, of: .proxyAuthenticate).map(\.realm) == ["proxy"])
        #expect(Challenge.all(in: HTTPFields(), of: .wwwAuthenticate).isEmpty)
    }

    @Test("no more is read than is allowed")
    func limits() {
        let many = (0..<100).map { "A\($0) x=1" }.joined(separator: ", ")
        let fields: HTTPFields = ["WWW-Authenticate": many, "WWW-Authenticate": many]
        #expect(Challenge.all(in: fields, of: .wwwAuthenticate).count == 64)
        #expect(Challenge.all(in: fields, of: .wwwAuthenticate, mostChallenges: 101).count == 101)
        let long = "A " + (0..<100).map { "x\($0)=1" }.joined(separator: ", ") + ", B y=2"
        let challenges = Challenge.all(in: ["WWW-Authenticate": long], of: .wwwAuthenticate)
        #expect(challenges.map(\.scheme) == ["a", "b"])
        #expect(challenges.first?.parameters.all.count == 64)
        let few = Challenge.all(in: ["WWW-Authenticate": long], of: .wwwAuthenticate, mostParameters: 0)
        #expect(few.map(text) == ["a", "b"])
    }

    @Test("schemes and names are the same in either case, of a name given twice the first counts")
    func comparing() {
        #expect(Challenge(scheme: "Basic") == Challenge(scheme: "BASIC"))
        let twice = Challenge.all(in: ["WWW-Authenticate": "Basic Realm=a, realm=b"], of: .wwwAuthenticate)
        #expect(twice.first?.realm == "a")
        #expect(Challenge(scheme: "Basic").realm == nil)
    }
}
