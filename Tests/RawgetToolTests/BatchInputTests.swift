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

@Suite("The clock of a batch")
struct BatchClockTests {
    @Test(
        "moves by what lines say, whole seconds at a time, and never past its ends",
        arguments: [
            ([], 100), ([3600], 3700), ([0.5], 100), ([0.5, 0.5], 101), ([-0.5], 99), ([-200], -100),
            ([1e12, -1e12, 1], 101), ([0.25, 0.25, 0.25, 0.25, 1], 102),
        ] as [([Double], Int64)])
    func advance(steps: [Double], seconds: Int64) {
        let clock = BatchClock(WallClock { 100 })
        for step in steps { clock.advance(by: .seconds(step)) }
        #expect(clock.wallClock.secondsSinceEpoch == seconds)
    }

    @Test("saturates, however often it is moved, and whatever it begins with")
    func saturation() {
        for (base, step) in [(Int64.max - 5, 1e12), (.min + 5, -1e12)] {
            let clock = BatchClock(WallClock { base })
            for _ in 0..<10_000 { clock.advance(by: .seconds(step)) }
            #expect(clock.wallClock.secondsSinceEpoch == (base < 0 ? .min : .max))
            // It comes back from there.
            for _ in 0..<10_000 { clock.advance(by: .seconds(-step)) }
            #expect(abs(clock.wallClock.secondsSinceEpoch / 2 - base / 2) < 1 << 52)
        }
    }
}
