import CV4L2

/// A streaming camera, whose mode is negotiated and whose buffers are mapped and queued. Owned by one thread.
final class CaptureStream {
    let device: V4L2Device
    let layout: FrameLayout
    let description: StreamDescription
    let queue: BufferQueue
    private(set) var buffers: [MappedBuffer] = []

    /// The names of drivers that fill buffers which were not queued again. v4l2loopback 0.12.7 does so when a frame is
    /// kept for longer than it takes to fill the others.
    private static let driversThatReuseBuffers: Set<String> = ["v4l2 loopback"]

    /// Whether frames must be copied at once, because libv4lconvert frees its memory when the device is closed, or
    /// because the driver writes into buffers that are in use.
    let copiesAlways: Bool

    /// Negotiates the mode, maps buffers and starts streaming; a failure undoes all of this.
    init(_ device: V4L2Device, _ configuration: CameraConfiguration, _ orientation: Orientation) throws(V4L2Error) {
        try device.apply(configuration.controls)
        let (mode, layout, rate) = try device.negotiate(configuration.request)
        self.layout = layout
        self.device = device
        copiesAlways = mode.isEmulated || Self.driversThatReuseBuffers.contains(device.identity.driver)
        let format = mode.format.description
        description = .init(name: device.path, size: layout.size, format: format, rate: rate, orientation: orientation)
        let count = try Self.requestBuffers(configuration.bufferCount, device)
        queue = BufferQueue(of: device, count: count)
        for index in 0..<count {
            buffers.append(try MappedBuffer(index, of: device, in: queue))
            queue.queue(index)
        }
        try setStreaming(true)
    }

    /// Stops streaming, unmaps the buffers that no frame uses, and makes the driver free its buffers. The device is
    /// closed by its last owner. Failures are ignored, since they are usual when the device is gone.
    deinit {
        let held = queue.detach()
        try? setStreaming(false)
        for index in held where index < buffers.count { buffers[index].makePrivate() }
        buffers = []
        _ = try? Self.requestBuffers(0, device)
    }

    func setStreaming(_ on: Bool) throws(V4L2Error) {
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
        try device.request(on ? .startStreaming : .stopStreaming, &type, for: on ? .startStreaming : .stopStreaming)
    }

    private static func requestBuffers(_ count: Int, _ device: V4L2Device) throws(V4L2Error) -> Int {
        var request = v4l2_requestbuffers()
        request.count = UInt32(count)
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try device.request(.requestBuffers, &request, for: .makeBuffers)
        guard count == 0 || request.count >= 2 else {
            let what = "it made \(request.count) buffers of \(count); streaming takes two"
            throw .misbehaved(device: device.path, what: what)
        }
        return Int(request.count)
    }
}

extension V4L2Device {
    /// Sets the mode that suits a request best.
    /// - Returns: The mode, the layout of its frames, and the driver's frame rate (nil if the driver knows no rates).
    fileprivate func negotiate(_ request: CaptureRequest) throws(V4L2Error) -> (CaptureMode, FrameLayout, Double?) {
        let negotiation = FormatNegotiation(request: request)
        let offers = try formats(focus: negotiation.wanted)
        var chosen = negotiation.choose(from: offers)
        if chosen == nil {
            // As the last resort, libv4lconvert adds the formats to which it can convert.
            do { try calls.convert(descriptor) } catch { throw V4L2Error(.convert, device: path, error) }
            chosen = negotiation.choose(from: try formats(focus: negotiation.wanted))
            chosen?.isEmulated = true
        }
        guard let mode = chosen else { throw .unsupportedMode(device: path, request, offers: offers) }
        let layout = try setMode(mode, for: request)
        let rate = try setRate(mode.rate)
        if let wanted = request.rate, abs((rate ?? 0) - wanted) > wanted * FormatNegotiation.rateTolerance {
            let answered = rate.map { "\(CameraSize.decimal($0)) fps" } ?? "that its rate can't be set"
            let asked = "\(CameraSize.decimal(wanted)) fps at \(layout.size)"
            throw .modeRefused(device: path, asked: asked, answered: answered)
        }
        return (mode, layout, rate)
    }

    private func setMode(_ mode: CaptureMode, for request: CaptureRequest) throws(V4L2Error) -> FrameLayout {
        let answer = try setFormat(mode.format, mode.size)
        let fourCC = FourCC(rawValue: answer.pixelformat)
        let size = FrameSize(answer)
        let isWanted = [nil, size].contains(request.size) && [nil, fourCC].contains(request.format)
        // Separate fields are two half pictures, in which no face is found.
        let whole = [V4L2_FIELD_NONE, V4L2_FIELD_INTERLACED, V4L2_FIELD_ANY]
        let isWhole = whole.contains { $0.rawValue == answer.field }
        guard isWanted, isWhole, let layout = FrameLayout(answer), Int(answer.sizeimage) >= layout.byteCount else {
            let answered = "\(size) in \(fourCC)\(isWhole ? "" : ", interlaced in separate fields")"
            throw .modeRefused(device: path, asked: "\(mode.size) in \(mode.format)", answered: answered)
        }
        return layout
    }
}
