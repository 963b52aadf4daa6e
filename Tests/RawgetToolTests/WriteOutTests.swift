import Testing

@testable import RawgetTool

@Suite("-w, --write-out")
struct WriteOutTests {
    private var values: WriteOutValues {
        var values = WriteOutValues()
        values.url = "http://a/x"
        values.effectiveURL = "http://b/y"
        values.urlNumber = 2
        values.status = 206
        values.httpVersion = "1.1"
        values.scheme = "http"
        values.method = "PUT"
        values.fields = [("Content-Type", "text/plain"), ("X-A", "1"), ("x-a", "2 \"q\"\u{1}")]
        values.redirectURL = "http://c/"
        values.redirectCount = 3
        values.referer = "http://r/"
        values.fileName = "f"
        values.downloadSize = 1000
        values.uploadSize = 5
        values.headSize = 70
        values.requestSize = 80
        values.nameLookupTime = .microseconds(1)
        values.connectTime = .microseconds(20)
        values.appConnectTime = .microseconds(300)
        values.preTransferTime = .milliseconds(4)
        values.startTransferTime = .milliseconds(50)
        values.redirectTime = .milliseconds(600)
        values.totalTime = .seconds(2)
        values.connectionCount = 1
        values.remoteAddress = "127.0.0.1"
        values.remotePort = 80
        values.localAddress = "::1"
        values.localPort = 4000
        return values
    }

    @Test(
        "each variable",
        arguments: [
            ("http_code", "206"), ("response_code", "206"), ("size_download", "1000"), ("size_header", "70"),
            ("size_request", "80"), ("size_upload", "5"), ("speed_download", "500"), ("speed_upload", "2"),
            ("time_namelookup", "0.000001"), ("time_connect", "0.000020"), ("time_appconnect", "0.000300"),
            ("time_pretransfer", "0.004000"), ("time_starttransfer", "0.050000"),
            ("time_redirect", "0.600000"),
            ("time_total", "2.000000"), ("url", "http://a/x"), ("url_effective", "http://b/y"),
            ("urlnum", "2"),
            ("content_type", "text/plain"), ("filename_effective", "f"), ("method", "PUT"),
            ("num_connects", "1"),
            ("num_headers", "3"), ("num_redirects", "3"), ("http_version", "1.1"), ("scheme", "http"),
            ("remote_ip", "127.0.0.1"), ("remote_port", "80"), ("local_ip", "::1"), ("local_port", "4000"),
            ("exitcode", "0"), ("errormsg", ""), ("redirect_url", "http://c/"), ("referer", "http://r/"),
            ("num_retries", "0"), ("http_connect", "000"),
        ])
    func variables(name: String, expected: String) {
        #expect(WriteOut("<%{\(name)}>", for: values).output == "<\(expected)>")
        #expect(WriteOut("%{\(name)}", for: values).warnings.isEmpty)
        #expect(WriteOutVariable.names.contains(name))
    }

    @Test func namesAreInOrderAndKnown() {
        #expect(WriteOutVariable.names == WriteOutVariable.names.sorted())
        for name in WriteOutVariable.names {
            #expect(WriteOutVariable.value(of: name, in: values) != nil)
        }
    }

    @Test("without a response the numbers are zero, as curl prints them")
    func nothingKnown() {
        let format = "%{http_code}|%{scheme}|%{http_version}|%{time_total}|%{speed_download}|%{content_type}"
        #expect(WriteOut(format, for: WriteOutValues()).output == "000||0|0.000000|0|")
    }

    @Test(
        "escapes, percent signs and what never ends",
        arguments: [
            (#"a\n\r\t\q\\"#, "a\n\r\t\\q\\\\"), ("%%{url}", "%{url}"), ("%x|%", "%x|%"), ("100%", "100%"),
            ("%{url", "%{url"), ("\\", "\\"), ("使用%{urlnum}🙂", "使用2🙂"), ("", ""), ("%header{", "%header{"),
        ])
    func literals(format: String, expected: String) {
        let result = WriteOut(format, for: values)
        #expect(result.output == expected)
        #expect(result.warnings.isEmpty)
    }

    @Test("fields of the response, in any case of letters, both spellings") func fields() {
        #expect(
            WriteOut("%header{CONTENT-type}|%{header{x-a}}|%header{none}|", for: values).output
                == "text/plain|1||")
    }

    @Test("an unknown variable prints nothing and is warned of") func unknown() {
        let result = WriteOut("a%{nope}b%{\u{1B}}", for: values)
        #expect(result.output == "ab")
        #expect(
            result.warnings == [
                "unknown --write-out variable: 'nope'", "unknown --write-out variable: '\\x1B'",
            ])
    }

    @Test("what follows stdout, stderr and onerror") func streams() {
        let format = "a%{stderr}b%{stdout}c%{onerror}d %{exitcode} %{errormsg}%{stderr}e"
        let success = WriteOut(format, for: values)
        #expect(success.output == "ac" && success.errorOutput == "b")
        var failed = values
        failed.exitCode = 7
        failed.errorMessage = "no"
        let failure = WriteOut(format, for: failed)
        #expect(failure.output == "acd 7 no" && failure.errorOutput == "be")
    }

    @Test("JSON") func json() {
        #expect(
            WriteOut("%{header_json}", for: values).output
                == "{\"content-type\":[\"text/plain\"],\n\"x-a\":[\"1\",\"2 \\\"q\\\"\\u0001\"]\n}")
        let all = WriteOut("%{json}", for: WriteOutValues()).output
        #expect(all.hasPrefix("{\"certs\":\"\",\"content_type\":\"\",\"errormsg\":null,\"exitcode\":0,"))
        #expect(all.contains("\"num_certs\":0,") && all.contains("\"proxy_ssl_verify_result\":0,"))
        #expect(all.hasSuffix("\"time_total\":0.000000,\"url\":\"\",\"url_effective\":\"\",\"urlnum\":0}"))
    }
}
