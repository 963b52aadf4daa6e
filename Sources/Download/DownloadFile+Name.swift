import Glibc
import HTTPClient
import System
import Transport

extension DownloadFile {
    /// Takes the name that the content will get, unless another transfer of the run has it or it must not be replaced.
    /// Throws `writeFailed`.
    func take(_ wanted: OutputName) throws(TransferError) {
        name = wanted
        var isSource = plan.isSource(wanted.path)
        if isSource, plan.destination != .suggestedName {
            throw DownloadPlan.refusal(ofSource: wanted.path)
        }
        guard plan.keepsNamesApart || isSource else { return }
        if plan.refusesExisting, !wanted.mayReplace {
            let status = try? File.status(of: wanted.path, in: plan.folder, followsLinks: false)
            if status != nil || !plan.takenNames.take(wanted.path) {
                throw TransferError(storing: wanted.path, SystemError(call: "open", errno: EEXIST))
            }
            return
        }
        var candidate = wanted.path
        while isSource || !plan.takenNames.take(candidate) {
            isSource = false
            // A device may serve many.
            if wanted.isExplicit, plan.isSpecial(wanted.path) { return }
            repeat {
                let number = plan.takenNames.nextNumber(for: wanted.base)
                guard number < OutputFile.mostNumbers else {
                    throw TransferError(storing: wanted.path, SystemError(call: "open", errno: EEXIST))
                }
                candidate = "\(wanted.base).\(number)"
            } while plan.exists(candidate)
            // Nobody asked for this name: what has it keeps it.
            name?.mayReplace = false
        }
        name?.path = candidate
    }
}
