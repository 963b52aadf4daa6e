import Glibc
import System
import TestSupport
import Testing
import Transport

@testable import RawgetTool

@Suite("The lines of standard input")
struct BatchInputTests {
    /// All lines that come from a descriptor; `nil` stands for one that is too long.
    private func lines(of descriptor: Int32, limit: Int) async throws -> [String?] {
        try await onLoop {
            let input = BatchInput(descriptor, limit: limit)
            var lines: [String?] = []
            while let line = try await input.next() {
                switch line {
                case .octets(let octets): lines.append(String(decoding: octets, as: UTF8.self))
                case .tooLong: lines.append(nil)
                }
            }
            return lines
        }
    }

    private static let texts: [(String, [String?])] = [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]),
        ("1234\n", ["1234"]),
        ("1234", ["1234"]), ("12345", [nil]), ("12345\n", [nil]), ("12345\nab\n", [nil, "ab"]),
        ("ab\n12345678\ncd\n123456", ["ab", nil, "cd", nil]), ("123456789012345\n\n1", [nil, "", "1"]),
        ("\r\n", ["\r"]),
    ]

    @Test("of a file and of a pipe, those that are too long in their places", arguments: texts.indices)
    func limit(index: Int) async throws {
        let (text, expected) = Self.texts[index]
        let file = NamelessFile(Array(text.utf8))
        #expect(try await lines(of: file.descriptor, limit: 4) == expected)
        let pipe = Pipe()
        _ = write(pipe.input, text, text.utf8.count)
        pipe.closeInput()
        #expect(try await lines(of: pipe.output, limit: 4) == expected)
    }

    @Test("of a pipe that gives them octet by octet", arguments: texts.indices)
    func pieces(index: Int) async throws {
        let (text, expected) = Self.texts[index]
        let pipe = Pipe()
        async let lines = lines(of: pipe.output, limit: 4)
        for octet in text.utf8 {
            var octet = octet
            _ = write(pipe.input, &octet, 1)
            usleep(500)
        }
        pipe.closeInput()
        #expect(try await lines == expected)
    }

    @Test("lines of all lengths around what is read at once")
    func portions() async throws {
        let lengths = [65_535, 65_536, 65_537, 0, 1, 131_071, 131_072, 200_000]
        let text = lengths.map { String(repeating: "x", count: $0) + "\n" }.joined()
        let file = NamelessFile(Array(text.utf8))
        #expect(try await lines(of: file.descriptor, limit: 200_000).map { $0?.utf8.count } == lengths)
        lseek(file.descriptor, 0, SEEK_SET)
        let cut = lengths.map { $0 <= 131_071 ? $0 : nil }
        #expect(try await lines(of: file.descriptor, limit: 131_071).map { $0?.utf8.count } == cut)
    }

    @Test("a descriptor that never blocks is waited for, and stays as it is")
    func nonblocking() async throws {
        let pipe = Pipe()
        _ = fcntl(pipe.output, F_SETFL, O_NONBLOCK)
        async let lines = lines(of: pipe.output, limit: 10)
        usleep(20_000)
        _ = write(pipe.input, "a\nb", 3)
        usleep(20_000)
        pipe.closeInput()
        #expect(try await lines == ["a", "b"])
        #expect(fcntl(pipe.output, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test("other work of the loop goes on while a line is awaited")
    func doesNotBlock() async throws {
        let pipe = Pipe()
        async let lines = lines(of: pipe.output, limit: 10)
        // The wait for the line stands on the same loop as this one.
        let isAwake = try await onLoop { await NetworkActor.loop.sleep(until: .now + .milliseconds(20)) }
        #expect(isAwake)
        _ = write(pipe.input, "a", 1)
        pipe.closeInput()
        #expect(try await lines == ["a"])
    }
}

@Suite("The clocks of a batch")
struct BatchClockTests {
    @Test(
        "time passes by what lines say, and a negative number sets the wall clock back",
        arguments: [
            ([], 100, 7), ([3600], 100, 3607), ([0.5], 100, 7.5), ([0.5, 0.5], 100, 8), ([-0.5], 99, 7),
            ([-200], -100, 7), ([3600, -3600, 1], -3500, 3608), ([0.25, -0.25, 0.25, -0.75], 99, 7.5),
            ([8e9, 200], 300, 8_000_000_007),
        ] as [([Double], Int64, Double)])
    func advance(steps: [Double], date: Int64, uptime: Double) {
        let clock = BatchClock(WallClock({ 100 }, uptimeNanoseconds: { 7_000_000_000 }))
        for step in steps { clock.advance(by: .seconds(step)) }
        #expect(clock.wallClock.secondsSinceEpoch == date)
        #expect(clock.wallClock.uptimeNanoseconds == Int64(uptime * 1000) * 1_000_000)
    }

    @Test("saturates, however often it is moved, and whatever it begins with")
    func saturation() {
        let clock = BatchClock(WallClock({ .min + 5 }, uptimeNanoseconds: { .max - 5 }))
        for _ in 0..<10_000 {
            clock.advance(by: .seconds(1e12))
            clock.advance(by: .seconds(-1e12))
        }
        #expect(clock.wallClock.secondsSinceEpoch == .min && clock.wallClock.uptimeNanoseconds == .max)
    }
}
