import Glibc
import HTTPClient
import RawgetTool
import Replay
import System
import TestSupport
import Testing
import Transport

/// Runs the command of a fixture against the fixture's own servers, and tells what was not as it says.
func problems(playing text: [UInt8]) async throws -> [String] {
    let fixture: Fixture
    do { fixture = try FixtureParser.parse(text) } catch {
        return error.problems.map { "line \($0.line): \($0.message)" }
    }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return ["no pipe"] }
    defer { for end in ends { close(end) } }
    let (reading, writing) = (ends[0], ends[1])
    let interrupt: @Sendable () -> Void = {
        var octet: UInt8 = 1
        _ = write(writing, &octet, 1)
    }
    let stage = try FixtureStage(fixture, patience: .seconds(10), onInterrupt: interrupt)
    try stage.start()
    defer { stage.stop() }
    var problems: [String] = []
    for (index, run) in fixture.runs.enumerated() {
        let folder = TemporaryFolder()
        problems += try await play(run, index, stage, in: folder, interruptions: reading)
    }
    return problems
}

private func play(
    _ run: Fixture.Run, _ index: Int, _ stage: FixtureStage, in folder: TemporaryFolder,
    interruptions: Int32
) async throws -> [String] {
    guard case .command(let words) = run.action else { return ["no command"] }
    let trust = TemporaryFolder()
    trust.write(stage.authorityPEM, to: "ca")
    trust.write(stage.clientCertificatePEM, to: "certificate")
    trust.write(stage.clientKeyPEM, to: "key")
    let values = [
        ("{ca}", trust.path(of: "ca")), ("{client-certificate}", trust.path(of: "certificate")),
        ("{client-key}", trust.path(of: "key")), ("{pin}", stage.pin ?? ""),
    ]
    let arguments = words.dropFirst().map { word in
        values.reduce(word) { $0.replacing($1.0, by: $1.1) }
    }
    var input: [UInt8] = []
    var clock: Int64?
    for preparation in run.preparations {
        switch preparation.value {
        case .folder(let name): folder.makeFolder(name)
        case .file(let name, let content):
            if let slash = name.lastIndex(of: "/") { folder.makeFolder(String(name[..<slash])) }
            folder.write(octets(content), to: name)
        case .time(let name, let seconds):
            let times = [
                timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0),
            ]
            utimensat(AT_FDCWD, folder.path(of: name), times, 0)
        case .input(let content): input = octets(content)
        case .clock(let seconds): clock = seconds
        default: return ["a preparation that a recorder never makes: \(preparation)"]
        }
    }
    stage.begin(run: index)
    let result = await rawget(Array(arguments), in: folder, input: String(decoding: input, as: UTF8.self)) {
        for place in stage.places {
            let addresses = place.addresses.compactMap { SocketAddress(literal: $0.host, port: $0.port) }
            // The map knows addresses of IPv6 without their brackets.
            let host = place.host.hasPrefix("[") ? String(place.host.dropFirst().dropLast()) : place.host
            $0.addressMap.entries.append(.init(host: host, port: place.port, addresses: addresses))
        }
        $0.addressMap.entries.append(.init(host: nil, port: nil, addresses: []))
        $0.interruptions = { interruptions }
        if let clock { $0.clock = .init { clock } }
    }
    var problems: [String] = []
    for _ in 0..<500 where !stage.isIdle { try await Task.sleep(for: .milliseconds(2)) }
    let record = stage.end(run: index)
    problems += record.problems.map { "line \($0.line): \($0.message)" }
    var named = Set(
        run.preparations.compactMap { preparation -> String? in
            if case .file(let name, _) = preparation.value { name } else { nil }
        })
    for outcome in run.outcomes {
        switch outcome.value {
        case .exit(let status):
            if result.exit != status { problems.append("exit \(result.exit): \(result.errors)") }
        case .output(.equals(let content)):
            if result.output != octets(content) { problems.append("output \(result.text.debugDescription)") }
        case .file(let name, .equals(let content)):
            named.insert(name)
            let found = folder.octets(of: name)
            if found != octets(content) {
                problems.append(
                    "file \(name): \(found.map { String(decoding: $0, as: UTF8.self) } ?? "none")")
            }
        case .fileTime(let name, let seconds):
            if folder.status(of: name).map({ Int64($0.st_mtim.tv_sec) }) != seconds {
                problems.append("time of \(name)")
            }
        case .connections(let count, nil):
            if record.connections.reduce(0, +) != count {
                problems.append("connections \(record.connections)")
            }
        default: problems.append("an outcome that a recorder never makes: \(outcome)")
        }
    }
    for name in names(in: folder.path) where !named.contains(name) {
        guard let status = folder.status(of: name), status.st_mode & S_IFMT == S_IFREG else { continue }
        problems.append("\(name) is left")
    }
    return problems
}

/// The names of what lies in a folder itself.
private func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// All octets of `content`.
func octets(_ content: FixtureContent) -> [UInt8] {
    var result: [UInt8] = []
    content.forEachPart { result += $0 }
    return result
}

extension String {
    fileprivate func replacing(_ text: String, by other: String) -> String {
        var parts: [String] = []
        var (rest, start) = (Array(utf8)[...], 0)
        let wanted = Array(text.utf8)
        while start + wanted.count <= rest.endIndex {
            if rest[start..<start + wanted.count].elementsEqual(wanted) {
                parts.append(String(decoding: rest[..<start], as: UTF8.self))
                rest = rest[(start + wanted.count)...]
                start += wanted.count
            } else {
                start += 1
            }
        }
        return (parts + [String(decoding: rest, as: UTF8.self)]).joined(separator: other)
    }
}
