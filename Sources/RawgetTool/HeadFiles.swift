import Download
import Glibc
import HTTPClient
import HTTPMessage
import System
import Transport

/// The files of `-D`: each is emptied with the first head of a run and grows with every other.
@NetworkActor
final class HeadFiles {
    private let console: Console
    /// By octets: names that look alike may be two files.
    private var begun: Set<[UInt8]> = []
    /// Pipes and devices stay open: whoever reads a pipe takes its closing for the end. Files do not, there may be
    /// more of them than a process may hold.
    private var open: [[UInt8]: OpenFile] = [:]

    private final class OpenFile {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    init(_ console: Console) { self.console = console }

    /// Writes a head, or lines of a trailer section. A reader of a pipe is waited for, unless `interruption` has
    /// something to read.
    func write(
        _ lines: [UInt8], to file: FileArgument, unless interruption: Int32?
    ) throws(TransferError) {
        let invocation = console.invocation
        switch file {
        case .standard: try write(lines, to: invocation.standardOutput, named: "-", interruption)
        case .path(let path):
            if let descriptor = try invocation.openDescriptor(named: path) {
                return try write(lines, to: descriptor, named: path, interruption)
            }
            let key = Array(path.utf8)
            if let file = open[key] {
                return try write(lines, to: file.descriptor.rawValue, named: path, interruption)
            }
            do throws(SystemError) {
                let isFirst = begun.insert(key).inserted
                // What is no file takes no notice of O_TRUNC and O_APPEND; a pipe without a reader must not block.
                let flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | (isFirst ? O_TRUNC : O_APPEND)
                let file = OpenFile(try File.open(path, in: invocation.directory, flags: flags))
                try File.write(
                    console.shown(head: lines, on: file.descriptor.rawValue).span,
                    to: file.descriptor.rawValue, unless: interruption)
                if try File.status(of: file.descriptor.rawValue).kind != .regular { open[key] = file }
            } catch {
                throw HeadFiles.failure(path, error)
            }
        }
    }

    private func write(
        _ lines: [UInt8], to descriptor: Int32, named path: String, _ interruption: Int32?
    ) throws(TransferError) {
        do throws(SystemError) {
            let octets = console.shown(head: lines, on: descriptor)
            if descriptor == console.invocation.standardOutput {
                console.log?.notePrinted(Blanking.head(octets).span)
            }
            try File.write(octets.span, to: descriptor, unless: interruption)
        } catch {
            throw HeadFiles.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> TransferError {
        let reason = error.errno == ENXIO ? "nobody reads that pipe" : error.explanation
        let name = path == "-" ? "standard output" : path
        return TransferError(
            .writeFailed, during: .store, "could not write the head to \(name): \(reason)",
            errno: error.errno)
    }
}

extension HTTPFields {
    /// The lines of a trailer section, without the empty one.
    var trailerOctets: [UInt8] {
        var octets: [UInt8] = []
        appendLines(to: &octets)
        return octets
    }
}

extension Console {
    /// Lines of a head, escaped one by one where `descriptor` is a terminal.
    func shown(head octets: [UInt8], on descriptor: Int32) -> [UInt8] {
        guard invocation.isTerminal(descriptor) else { return octets }
        var result: [UInt8] = []
        for line in octets.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            let text = line.last == 0x0D ? line.dropLast() : line
            result.append(contentsOf: TerminalText.escaped(Array(text)).utf8)
            result.append(contentsOf: [0x0D, 0x0A])
        }
        return result
    }
}

extension ParsedCommand {
    /// The first file that is to hold heads and content alike, which no good comes of; `nil` where there is none.
    func fileOfHeadsAndContent(in folder: Int32) -> String? {
        for (number, group) in groups.enumerated() {
            guard case .path(let heads) = group.options.headFile, OpenDescriptor.number(of: heads) == nil
            else { continue }
            let status = try? File.status(of: heads, in: folder, followsLinks: true)
            if status?.kind == .special { continue }
            for index in 0..<group.count {
                guard case .file(var path) = output(index, inGroup: number), path != "-" else { continue }
                if let parent = group.options.outputFolder, !parent.isEmpty { path = "\(parent)/\(path)" }
                if ParsedCommand.isSamePath(path, heads) { return path }
                guard let status, let other = try? File.status(of: path, in: folder, followsLinks: true)
                else { continue }
                if other.device == status.device, other.inode == status.inode { return path }
            }
        }
        return nil
    }

    /// Whether two paths differ in slashes and dots at most.
    private static func isSamePath(_ left: String, _ right: String) -> Bool {
        func parts(_ path: String) -> [Substring.UTF8View] {
            path.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        }
        guard left.hasPrefix("/") == right.hasPrefix("/") else { return false }
        return parts(left).elementsEqual(parts(right)) { $0.elementsEqual($1) }
    }
}
