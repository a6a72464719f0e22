import CV4L2
import Frames
import SystemPackage

@testable import V4L2Capture

extension ScriptedV4L2 {
    func request(_ descriptor: CInt, _ request: V4L2Request, _ argument: UnsafeMutableRawPointer) throws(Errno) {
        let failure: Errno? = state.withLock { state in
            guard let path = state.open[descriptor] else { return .badFileDescriptor }
            guard let node = state.nodes[path] else { return .operationNotSupportedByDevice }
            if let failure = node.failures[request] { return failure }
            switch request {
            case .queueBuffer: return state.queue(argument.load(as: v4l2_buffer.self).index)
            case .dequeueBuffer:
                return state.dequeue(&argument.assumingMemoryBound(to: v4l2_buffer.self).pointee)
            case .startStreaming: state.isStreaming = true
            case .stopStreaming:
                state.isStreaming = false
                state.queued = []
            default: return state.answer(request, node, argument)
            }
            return nil
        }
        if let failure { throw failure }
    }
}

extension ScriptedV4L2.State {
    fileprivate mutating func queue(_ index: UInt32) -> Errno? {
        guard !queued.contains(index) else { return .invalidArgument }
        queued.append(index)
        if isStreaming { requeues[index, default: 0] += 1 }
        return nil
    }

    fileprivate mutating func dequeue(_ buffer: inout v4l2_buffer) -> Errno? {
        if let dequeueFailure { return dequeueFailure }
        guard !filled.isEmpty, !queued.isEmpty else { return .resourceTemporarilyUnavailable }
        let fill = filled.removeFirst()
        let own = queued.removeFirst()
        fewestQueued = min(fewestQueued, queued.count)
        buffer.index = fill.index ?? own
        buffer.sequence = fill.sequence
        buffer.flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) | (fill.hasError ? UInt32(V4L2_BUF_FLAG_ERROR) : 0)
        let stamp = fill.age.map { clock.monotonic - $0 } ?? 0
        let parts = fill.stamp ?? (Int(stamp / 1_000_000_000), Int(stamp % 1_000_000_000 / 1000))
        (buffer.timestamp.tv_sec, buffer.timestamp.tv_usec) = parts
        buffer.bytesused = UInt32(fill.byteCount ?? ScriptedV4L2.bufferLength)
        let target = memory[memory.count - bufferCount + Int(own)]
        UnsafeMutableRawBufferPointer(start: target, count: ScriptedV4L2.bufferLength).copyBytes(from: fill.bytes)
        return nil
    }

    fileprivate mutating func answer(
        _ request: V4L2Request,
        _ node: ScriptedV4L2.Node,
        _ argument: UnsafeMutableRawPointer
    ) -> Errno? {
        let formats = isConverting ? node.formats + node.converted : node.formats
        switch request {
        case .queryCapabilities:
            fill(&argument.assumingMemoryBound(to: v4l2_capability.self).pointee, node)
        case .enumerateFormats, .enumerateSizes, .enumerateIntervals:
            return Self.enumerate(request, formats, argument)
        case .setFormat: return setFormat(&argument.assumingMemoryBound(to: v4l2_format.self).pointee, formats)
        case .getParameters, .setParameters:
            let answer = argument.assumingMemoryBound(to: v4l2_streamparm.self)
            answer.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
            if request == .getParameters {
                answer.pointee.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: 30)
            } else {
                rateSet = answer.pointee.parm.capture.timeperframe.denominator
            }
        case .requestBuffers: bufferCount = Int(argument.load(as: v4l2_requestbuffers.self).count)
        case .queryBuffer:
            argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.length = UInt32(ScriptedV4L2.bufferLength)
        case .queryControl, .queryMenu, .getControl, .setControl: return control(request, node, argument)
        default: return .inappropriateIOCTLForDevice
        }
        return nil
    }

    private func fill(_ answer: inout v4l2_capability, _ node: ScriptedV4L2.Node) {
        answer.capabilities = node.capabilities | UInt32(V4L2_CAP_DEVICE_CAPS)
        answer.device_caps = node.capabilities
        copy(node.driver, to: &answer.driver)
        copy(node.card, to: &answer.card)
        copy(node.bus, to: &answer.bus_info)
    }

    private static func enumerate(
        _ request: V4L2Request,
        _ formats: [CameraFormat],
        _ argument: UnsafeMutableRawPointer
    ) -> Errno? {
        switch request {
        case .enumerateFormats:
            let answer = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
            guard Int(answer.pointee.index) < formats.count else { return .invalidArgument }
            let format = formats[Int(answer.pointee.index)]
            answer.pointee.pixelformat = format.fourCC.rawValue
            answer.pointee.flags = format.isEmulated ? UInt32(V4L2_FMT_FLAG_EMULATED) : 0
        case .enumerateSizes:
            let answer = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
            let sizes = formats.first { $0.fourCC.rawValue == answer.pointee.pixel_format }?.sizes ?? []
            guard Int(answer.pointee.index) < sizes.count else { return .invalidArgument }
            let size = sizes[Int(answer.pointee.index)].minimum
            answer.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
            answer.pointee.discrete = v4l2_frmsize_discrete(width: UInt32(size.width), height: UInt32(size.height))
        default:
            let answer = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
            let sizes = formats.first { $0.fourCC.rawValue == answer.pointee.pixel_format }?.sizes ?? []
            let size = FrameSize(width: Int(answer.pointee.width), height: Int(answer.pointee.height))
            let rates = sizes.first { $0.contains(size) }?.rates ?? []
            guard Int(answer.pointee.index) < rates.count else { return .invalidArgument }
            answer.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
            let rate = UInt32(rates[Int(answer.pointee.index)].lowerBound)
            answer.pointee.discrete = v4l2_fract(numerator: 1, denominator: rate)
        }
        return nil
    }

    /// Sets a format as drivers do: one that the camera does not have becomes its first one.
    private func setFormat(_ format: inout v4l2_format, _ formats: [CameraFormat]) -> Errno? {
        guard let known = formats.first(where: { $0.fourCC.rawValue == format.fmt.pix.pixelformat }) ?? formats.first,
            let size = known.sizes.first?.minimum
        else { return .invalidArgument }
        format.fmt.pix.pixelformat = known.fourCC.rawValue
        format.fmt.pix.width = UInt32(size.width)
        format.fmt.pix.height = UInt32(size.height)
        format.fmt.pix.sizeimage = UInt32(ScriptedV4L2.bufferLength)
        return nil
    }

    private mutating func control(
        _ request: V4L2Request,
        _ node: ScriptedV4L2.Node,
        _ argument: UnsafeMutableRawPointer
    ) -> Errno? {
        switch request {
        case .queryControl:
            let answer = argument.assumingMemoryBound(to: v4l2_queryctrl.self)
            let previous = answer.pointee.id & ~UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
            guard let control = node.controls.first(where: { $0.id > previous }) else { return .invalidArgument }
            answer.pointee.id = control.id
            answer.pointee.minimum = Int32(control.range.lowerBound)
            answer.pointee.maximum = Int32(control.range.upperBound)
            answer.pointee.step = Int32(control.step)
            copy(control.label, to: &answer.pointee.name)
            let isInactive = control.isInactive && controlsSet[UInt32(V4L2_CID_EXPOSURE_AUTO)] != 1
            answer.pointee.flags =
                (control.isReadOnly ? UInt32(V4L2_CTRL_FLAG_READ_ONLY) : 0)
                | (isInactive ? UInt32(V4L2_CTRL_FLAG_INACTIVE) : 0)
            let types: [CameraControl.Kind: v4l2_ctrl_type] = [
                .integer: V4L2_CTRL_TYPE_INTEGER, .boolean: V4L2_CTRL_TYPE_BOOLEAN, .menu: V4L2_CTRL_TYPE_MENU,
            ]
            answer.pointee.type = types[control.kind]?.rawValue ?? 0
        case .queryMenu:
            let answer = argument.assumingMemoryBound(to: v4l2_querymenu.self)
            let control = node.controls.first { $0.id == answer.pointee.id }
            let index = Int(Int32(bitPattern: answer.pointee.index))
            guard let name = control?.choices[index] else { return .invalidArgument }
            copy(name, to: &answer.pointee.name)
        case .setControl:
            let setting = argument.load(as: v4l2_control.self)
            controlsSet[setting.id] = setting.value
        default: break
        }
        return nil
    }

    private func copy<Bytes>(_ text: String, to bytes: inout Bytes) {
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: Array(text.utf8.prefix($0.count - 1))) }
    }
}
